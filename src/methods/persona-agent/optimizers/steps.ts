import { readPersona } from "../../../memory/persona.js";
import type { Event, Kit, Note, Question } from "../../../types/index.js";
import { askText, withoutFailedCall } from "../../calls.js";

export interface Persona {
  /** 0 = before alignment. */
  readonly version: number;
  readonly text: string;
}

/** A simulated history item: the user's answer and the agent's response. */
export interface Sample {
  readonly event: Event;
  readonly question: Question;
  readonly expected: string;
  readonly response: string;
}

/**
 * Runs jobs side by side and keeps what they note in the order of the jobs, so that a trace does not depend on timing.
 * Rejects with the first failed job's reason, in that order, after all have ended.
 */
export async function parallelWithOrderedNotes<T, R>(
  items: readonly T[],
  kit: Kit,
  job: (item: T, kit: Kit) => Promise<R>,
): Promise<R[]> {
  const held = items.map(() => [] as Note[]);
  const running = items.map((item, index) => job(item, { ...kit, note: (note) => void held[index]?.push(note) }));
  const results = await Promise.allSettled(running);
  for (const note of held.flat()) kit.note(note);
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Tokens of one feedback text (METHODS 0.4). */
const GRADIENT_TOKENS = 1024;

/** Asks for one text of feedback. */
export const askGradient = (kit: Kit, lines: readonly string[]): Promise<string> =>
  askText(kit, "gradient", { messages: [{ role: "user", content: lines.join("\n") }], maxTokens: GRADIENT_TOKENS });

/** Returns feedback on each sample, asked for side by side, in batch order. A sample whose call failed or said nothing is dropped and counted. */
export async function gradientsOf(
  samples: readonly Sample[],
  kit: Kit,
  ask: (sample: Sample, kit: Kit) => Promise<string>,
): Promise<readonly Gradient[]> {
  const gradients = await parallelWithOrderedNotes(samples, kit, async (sample, sampleKit) => {
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

/**
 * Asks for a rewritten persona. An unusable one is asked for once more; undefined, counted as `persona_update_failed`, when that is
 * unusable too (METHODS 7.4). `unwrap` gives what a reply holds, undefined where it breaks the asked form.
 */
export async function rewrite(
  prompt: string,
  kit: Kit,
  unwrap: (reply: string) => string | undefined = (reply) => reply,
): Promise<string | undefined> {
  const refused: string[] = [];
  const request = { messages: [{ role: "user", content: prompt } as const], maxTokens: REWRITE_TOKENS };
  for (const draw of [0, 1]) {
    const content = unwrap(await askText(kit, "update", { ...request, draw }));
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
  /** Number of tools in the persona's rules. */
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
