import { readPersona } from "../../../memory/persona.js";
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

/** TextGrad's budget for an improved variable. */
const REWRITE_TOKENS = 2000;
/** A rewritten persona longer than so many tokens (characters / 4) is refused; the bound is ours. */
const MAX_PERSONA_TOKENS = 1500;

/** What a reply holds before the persona rules are applied to it; undefined where it breaks the asked form. */
type Unwrap = (reply: string) => string | undefined;

/**
 * Asks for a rewritten persona. An unusable one (empty, too short, too long, not in the asked form) is asked for once
 * more; undefined, counted as `persona_update_failed`, when that is unusable too (METHODS 7.4).
 */
export async function rewrite(
  request: string,
  kit: Kit,
  unwrap: Unwrap = (reply) => reply,
): Promise<string | undefined> {
  const refused: string[] = [];
  for (const draw of [0, 1]) {
    const content = unwrap(await askText(kit, "update", request, { maxTokens: REWRITE_TOKENS, draw }));
    const reading = content === undefined ? undefined : readPersona(content, MAX_PERSONA_TOKENS);
    if (reading?.kind === "persona") return reading.text;
    refused.push(reading?.reason ?? "not in the asked form");
  }
  kit.count("persona_update_failed");
  kit.note({ kind: "persona-refused", data: refused });
  return undefined;
}

/** A textual gradient: feedback on the persona, learned from one simulated event. */
export interface Gradient {
  readonly event: string;
  readonly text: string;
}

interface StepJob {
  readonly persona: Persona;
  /** In batch order; at least one. */
  readonly samples: readonly Sample[];
  /** How many tools the persona speaks of. */
  readonly tools: number;
  readonly kit: Kit;
}

export interface Step {
  readonly gradients: readonly Gradient[];
  /** Undefined: there is no better one, so the persona stays. */
  readonly persona: string | undefined;
}

/** One OPTIMIZATION step of PersonaAgent Algorithm 1: feedback on simulated answers becomes a new persona. */
export interface Optimizer {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  step(job: StepJob): Promise<Step>;
  /** Feedback calls for one sample. A step makes one rewrite more. */
  readonly gradientsPerSample: number;
}
