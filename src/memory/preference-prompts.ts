import type { AskRequest } from "../types/index.js";
import { at, habits, isInTime, type ListedWords, named, SUMMARY_TOKENS } from "./bank-prompts.js";

/**
 * SAGE's prompts in our words, after what SAGE section 5.1 says of them: daily summaries, one global profile, and the answer
 * of the personalization tool. Built by concatenation: contents hold braces.
 */

const PROFILER = "You keep a profile of one user's preferences, made of what the user did day by day.";
const TOOL =
  "You answer questions about the preferences of one user. Infer them from the user's profile first; where it says nothing, from what the user did before. Where neither tells anything, reply: no information.";

/** What stands for knowledge where there is none. */
export const NO_INFORMATION = "no information";

/** Named texts in the order of time. */
export interface DatedText {
  readonly name: string;
  readonly text: string;
}

/** The preferences that one day shows. `lines` are its events, one a line. */
export function dailyRequest({ name, text }: DatedText, words: ListedWords): AskRequest {
  return profilerRequest(
    text,
    `Above is what the user did${named(name)}, one event per line. Say what it shows of this user's preferences: what the user likes, chooses, asks for or avoids${words.answerNoun === undefined ? "" : `, and ${habits(words)}`}. Keep every detail that may matter later. Write only these preferences.`,
  );
}

/** Several summaries as one: what the reduction of a long past passes on. */
export function mergeRequest(summaries: readonly DatedText[]): AskRequest {
  return profilerRequest(
    datedLines(summaries),
    `Above are the user's preferences${isInTime(summaries) ? " at different times, oldest first. Merge them into one summary in the order of time" : ". Merge them into one summary"}; drop what is said twice and nothing else. Write only the summary.`,
  );
}

/** The profile of a user, as a JSON object with the given fields. */
export function profileRequest(summaries: readonly DatedText[], fields: readonly string[]): AskRequest {
  const listed = fields.map((field) => `"${field}"`).join(", ");
  return profilerRequest(
    datedLines(summaries),
    `Above are the user's preferences${isInTime(summaries) ? " at different times, oldest first. Merge them into one profile of this user; where they differ, later ones count" : ". Merge them into one profile of this user"}. Reply with one JSON object and nothing else, with the fields ${listed}. Write "${NO_INFORMATION}" in a field that they say nothing of.`,
  );
}

/** What the personalization tool asks. */
interface PreferenceQuestion {
  readonly user: string;
  readonly profile: string;
  /** Past events, the most alike first. */
  readonly memories: readonly string[];
  readonly query: string;
}

export function preferenceRequest({ user, profile, memories, query }: PreferenceQuestion): AskRequest {
  const lines = memories.length === 0 ? NO_INFORMATION : memories.join("\n");
  const content = [
    `User: ${user}`,
    `Profile of the user:\n${profile}`,
    `What the user did before, most alike first:\n${lines}`,
    `Question about the user's preferences: ${query}`,
  ].join("\n\n");
  return { system: TOOL, messages: [{ role: "user", content }], maxTokens: SUMMARY_TOKENS };
}

const datedLines = (summaries: readonly DatedText[]): string =>
  summaries.map(({ name, text }) => `${at(name, "user's preferences are")}: ${text}`).join("\n\n");

function profilerRequest(material: string, instruction: string): AskRequest {
  return {
    system: PROFILER,
    messages: [{ role: "user", content: `${material}\n\n${instruction}` }],
    maxTokens: SUMMARY_TOKENS,
  };
}
