import { ModelError } from "../../errors.js";
import { pyStrip } from "../../text/python.js";
import type { Event, Kit, Message, Note, Phase, Question } from "../../types/index.js";

export interface Persona {
  /** 0 = before alignment. */
  readonly version: number;
  readonly text: string;
}

/** A past interaction lived through again: what the user did, and what the agent would have done. */
export interface Sample {
  readonly event: Event;
  readonly question: Question;
  readonly expected: string;
  readonly response: string;
}

/** The text of one reply without reasoning blocks; empty for a refusal. `draw` 1 asks the same once more. */
export async function askText(
  kit: Kit,
  phase: Phase,
  content: string | readonly Message[],
  limits: { readonly maxTokens: number; readonly draw?: number },
): Promise<string> {
  const messages: readonly Message[] = typeof content === "string" ? [{ role: "user", content }] : content;
  const reply = await kit.ask(phase, { messages, ...limits });
  return reply.stop === "refusal" ? "" : pyStrip(reply.text);
}

/**
 * What `work` gives; undefined, counted as `incident`, where a model call of it failed for good. One failed call costs one
 * sample of a batch, not the user. What ends the run (keys, caps, stops) and bugs are thrown on.
 */
export async function withoutFailedCall<T>(incident: string, kit: Kit, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ModelError) || error.scope !== "call") throw error;
    kit.count(incident);
    return undefined;
  }
}

/**
 * Runs jobs side by side and keeps what they note in the order of the jobs, so that a trace does not depend on timing.
 * Rejects with the first failed job's reason, in that order, after all have ended.
 */
export async function inOrder<T, R>(
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
