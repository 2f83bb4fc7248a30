import type { AskRequest } from "../types/index.js";
import { isUndated } from "./buckets.js";

/** MemoryBank's four summaries (METHODS 6.1-6.2), in our words. Built by concatenation: contents hold braces. */

/** Token budget of a summary, of a profile and of a preference tool's answer. Ours; MemoryBank: 400. */
export const SUMMARY_TOKENS = 1024;

const SYSTEM = "You keep the memory of what one user did, so that others can answer on this user's behalf.";

/** The nouns for listed events. `answerNoun` is undefined where the lines hold no labels; prompts then ask nothing about labels. */
export interface EventNouns {
  readonly itemNoun: string;
  readonly answerNoun: string | undefined;
  /** Answers are texts of the user's own: their style is asked for, not which answer goes with which item. */
  readonly areTexts: boolean;
}

/** Returns ` (March 2015)`, or nothing for events without a date. */
export const dateSuffix = (name: string): string => (isUndated(name) ? "" : ` (${name})`);

/** A text about a bucket's events. */
interface NamedText {
  /** The bucket's name. */
  readonly name: string;
  readonly text: string;
}

/** Lists texts behind the names of their buckets. */
export const namedTexts = (texts: readonly NamedText[]): string =>
  texts.map(({ name, text }) => (isUndated(name) ? text : `${name}: ${text}`)).join("\n\n");

/** Returns whether texts are in chronological order, so that prompts may say so. */
export const isInTime = (texts: readonly NamedText[]): boolean =>
  texts.length > 1 && texts.every(({ name }) => !isUndated(name));

/** Returns the clause that asks how labels go with items. */
export const habitsClause = ({ itemNoun, answerNoun, areTexts }: EventNouns): string =>
  areTexts
    ? `the style of this user's own texts (${answerNoun})`
    : `which ${answerNoun} goes with which kind of ${itemNoun}`;

/** Builds the request for the event summary of a bucket. `lines`: one event each. */
export function eventSummaryRequest(name: string, lines: string, { answerNoun }: EventNouns): AskRequest {
  return request(
    lines,
    `Above is what the user did${dateSuffix(name)}, one event per line. Summarize these events concisely: what each was about${answerNoun === undefined ? "" : ` and the user's own ${answerNoun}`}. Several events may be listed one by one. Write only the summary.`,
  );
}

/** Builds the request for the preference summary of a bucket. */
export function preferenceSummaryRequest(name: string, lines: string, words: EventNouns): AskRequest {
  return request(
    lines,
    `Above is what the user did${dateSuffix(name)}, one event per line. Describe this user's preferences and habits as these events show them, and how to answer for this user${words.answerNoun === undefined ? "" : `: ${habitsClause(words)}`}. Write only the description.`,
  );
}

export function globalEventsRequest(summaries: readonly NamedText[]): AskRequest {
  return request(
    namedTexts(summaries),
    `Above are summaries of the user's past${isInTime(summaries) ? ", oldest first" : ""}. Summarize them into one overview of this user's history, highly concise. Write only the overview.`,
  );
}

export function globalPreferencesRequest(summaries: readonly NamedText[], { answerNoun }: EventNouns): AskRequest {
  return request(
    namedTexts(summaries),
    `Above are descriptions of the user's preferences${isInTime(summaries) ? " at different times, oldest first" : ""}. Summarize them into one concise profile of this user's preferences and habits, and the best way to ${answerNoun === undefined ? "answer as" : `give the ${answerNoun}`} this user would${answerNoun === undefined ? "" : " give"}. Write only the profile.`,
  );
}

interface BankView {
  /** Empty parts are left out. */
  readonly history: string;
  readonly profile: string;
  readonly memories: string;
}

/** Returns the system prompt of an answer with the bank's knowledge; `base` alone for a user without a history. */
export function bankSystemPrompt(base: string, { history, profile, memories }: BankView): string {
  return [
    base,
    ["The user's history in short:", history],
    ["The user's preferences, and how to answer for this user:", profile],
    ["What you remember of the user that may bear on the question. Use what is relevant:", memories],
  ]
    .map((part) => (typeof part === "string" ? part : part[1] === "" ? "" : part.join("\n")))
    .filter((part) => part !== "")
    .join("\n\n");
}

const request = (material: string, instruction: string): AskRequest => summaryRequest(SYSTEM, material, instruction);

/** Asks for something to be written of a material, which stands in front. */
export const summaryRequest = (system: string, material: string, instruction: string): AskRequest => ({
  system,
  messages: [{ role: "user", content: `${material}\n\n${instruction}` }],
  maxTokens: SUMMARY_TOKENS,
});
