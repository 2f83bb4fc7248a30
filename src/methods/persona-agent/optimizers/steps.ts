import { type PersonaReading, readPersona } from "../../../memory/persona.js";
import type { Kit } from "../../../types/index.js";
import { askText, inOrder, type Persona, type Sample, withoutFailedCall } from "../samples.js";

/** Tokens of one feedback text (METHODS 0.4). */
export const GRADIENT_TOKENS = 1024;

/** Feedback on each sample, asked for side by side, in batch order. A sample whose call failed or said nothing is dropped and counted. */
export async function gradientsOf(
  samples: readonly Sample[],
  kit: Kit,
  ask: (sample: Sample, kit: Kit) => Promise<string>,
): Promise<readonly Gradient[]> {
  const gradients = await inOrder(samples, kit, async (sample, sampleKit) => {
    const text = await withoutFailedCall("gradient-failed", sampleKit, () => ask(sample, sampleKit));
    if (text === "") sampleKit.count("gradient-empty");
    return text === undefined || text === "" ? undefined : { event: sample.event.id, text };
  });
  return gradients.filter((gradient) => gradient !== undefined);
}

/** Several feedback texts as one, in batch order (`align.reduce`): a numbered list, or merged by one more call. */
export async function aggregate(texts: readonly string[], options: OptimizerOptions, kit: Kit): Promise<string> {
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return only;
  const list = texts.map((text, index) => `${index + 1}. ${text}`).join("\n\n");
  if (options["align.reduce"] === "concat") return list;
  const merged = await askText(kit, "update", MERGE + list, { maxTokens: GRADIENT_TOKENS });
  if (merged === "") kit.count("feedback-merge-empty");
  return merged === "" ? list : merged;
}

/** Calls that `aggregate` makes for so many texts. */
export const aggregateCalls = (texts: number, options: OptimizerOptions): number =>
  options["align.reduce"] === "llm" && texts > 1 ? 1 : 0;

const MERGE =
  "Several reviewers looked at the same system prompt and commented on it. Merge their comments into one text: say once what several of them say, keep what only one of them says, and drop nothing that is particular to the user. Reply with the merged comments alone.\n\nComments:\n";

/** TextGrad's budget for an improved variable. */
const REWRITE_TOKENS = 2000;

/** What a reply holds before the persona rules are applied to it; undefined where it breaks the asked form. */
type Unwrap = (reply: string) => string | undefined;

/**
 * Asks for a rewritten persona. An unusable one (empty, too short, too long, not in the asked form) is asked for once
 * more; undefined, counted as `persona_update_failed`, when that is unusable too (METHODS 7.4).
 */
export async function rewrite(
  request: string,
  options: OptimizerOptions,
  kit: Kit,
  unwrap: Unwrap = (reply) => reply,
): Promise<string | undefined> {
  const maxPersonaTokens = options["align.maxPersonaTokens"];
  const maxTokens = Math.max(REWRITE_TOKENS, maxPersonaTokens);
  const refused: string[] = [];
  for (const draw of [0, 1]) {
    const content = unwrap(await askText(kit, "update", request, { maxTokens, draw }));
    const reading: PersonaReading | undefined =
      content === undefined ? undefined : readPersona(content, maxPersonaTokens);
    if (reading?.kind === "persona") return reading.text;
    refused.push(reading?.reason ?? "not in the asked form");
  }
  kit.count("persona_update_failed");
  kit.note({ kind: "persona-refused", data: refused });
  return undefined;
}

/** Calls of one rewrite: an unusable one is asked for once more. */
export const REWRITE_CALLS = { low: 1, high: 2 } as const;

/** A textual gradient: feedback on the persona, learned from one simulated event. */
export interface Gradient {
  readonly event: string;
  readonly text: string;
}

/** The knobs that an optimizer reads. */
export interface OptimizerOptions {
  /** 4 characters a token. */
  readonly "align.maxPersonaTokens": number;
  readonly "align.reduce": "concat" | "llm";
  /** How many earlier personas the update sees. */
  readonly "align.momentum": number;
  /** Empty: none. */
  readonly "align.constraints": string;
}

export interface StepJob {
  readonly persona: Persona;
  /** Earlier personas, oldest first, without the current one. */
  readonly past: readonly Persona[];
  /** In batch order; at least one. */
  readonly samples: readonly Sample[];
  /** How many tools the persona speaks of. */
  readonly tools: number;
  readonly options: OptimizerOptions;
  readonly kit: Kit;
}

export interface Step {
  readonly gradients: readonly Gradient[];
  /** Undefined: there is no better one, so the persona stays. */
  readonly persona: string | undefined;
}

interface Range {
  readonly low: number;
  readonly high: number;
}

/** One OPTIMIZATION step of PersonaAgent Algorithm 1: feedback on simulated answers becomes a new persona. */
export interface Optimizer {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  step(job: StepJob): Promise<Step>;
  /** Calls of one step over so many samples, when no call fails. */
  calls(samples: number, options: OptimizerOptions): { readonly gradient: Range; readonly update: Range };
}
