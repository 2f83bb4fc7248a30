import { cutChars } from "../agent/toolbox.js";
import { ModelError } from "../errors.js";
import { selectionCalls, sharedSelectionCalls } from "../selectors/open.js";
import type { SelectorChoice } from "../selectors/select-option.js";
import { pyStrip } from "../text/python.js";
import type { AskRequest, CallPlan, Kit, Phase } from "../types/index.js";

/**
 * Asks the question's one answer call with one user message and returns the reply. No system prompt where it is empty. `opening`:
 * characters that other questions begin with too.
 */
export async function answer(kit: Kit, content: string, system = "", opening = 0): Promise<string> {
  const { text } = await kit.ask("answer", {
    ...(system === "" ? {} : { system }),
    messages: [{ role: "user", content }],
    ...(opening === 0 ? {} : { opening }),
  });
  return text;
}

/** Ends the system prompt of a method that answers in one call. */
export const DIRECT = "Give only the answer, in exactly the form the question asks for.";

/** Asks and returns the text of the reply, stripped; empty for a refusal. */
export async function askText(kit: Kit, phase: Phase, request: AskRequest): Promise<string> {
  const reply = await kit.ask(phase, request);
  return reply.stop === "refusal" ? "" : pyStrip(reply.text);
}

/**
 * Returns what `work` gives; undefined, counted as `incident`, where a model call of it failed for good. Throws on what ends the run
 * (keys, caps, stops) and bugs.
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

/** METHODS 6.2: a failed summary is the raw text cut to 400 tokens, here at 4 characters each. */
const FALLBACK_CHARS = 1600;

/** Returns what a summary call wrote; where it failed or gave no text, the first characters of its material, counted as `incident`. */
export async function summaryOrFallback(
  request: AskRequest,
  material: string,
  kit: Kit,
  incident: string,
): Promise<string> {
  const text = await withoutFailedCall(incident, kit, () => askText(kit, "summary", request));
  if (text === "") kit.count(incident);
  return text || cutChars(material, FALLBACK_CHARS);
}

/** A range of calls whose number is known. */
export const fixedCalls = (calls: number) => ({ low: calls, high: calls });

/** Plans one answer call a question behind the calls of the selector that the options name; `more` replaces parts. */
export const callPlan = (
  options: Readonly<Record<string, unknown>> & { readonly select?: SelectorChoice | undefined },
  more: Partial<CallPlan> = {},
): CallPlan => ({
  perUnit: () => ({}),
  perQuestion: () => ({ ...selectionCalls(options), answer: fixedCalls(1) }),
  perArm: () => sharedSelectionCalls(options),
  ...more,
});
