import {
  dateSuffix,
  type EventNouns,
  habitsClause,
  isInTime,
  namedTexts,
  SUMMARY_TOKENS,
  summaryRequest,
} from "../../memory/bank-prompts.js";
import type { Bucket } from "../../memory/buckets.js";
import { contentId } from "../../text/content-id.js";
import { isJsonObject } from "../../text/json.js";
import type { AskRequest, Event, Kit, TaskBrief } from "../../types/index.js";
import { summaryOrFallback } from "../calls.js";
import { eventNouns } from "../pag-summary.js";

/** Most summaries that one call merges. Ours: the paper names MapReduce only; the release merges all days in one call. */
const FAN_IN = 20;

/** Writes the profile of what the buckets hold. */
type Profiler = (buckets: readonly Bucket[], kit: Kit) => Promise<string>;

/**
 * Daily summaries side by side, merged in groups of `FAN_IN` until one call can take all, then one profile (SAGE section 5.1.2: map and
 * reduce). Remembers what was written of the same content: only what changed is asked again. An empty history costs no call.
 */
export function openProfiler(show: (event: Event) => string, fields: readonly string[], task: TaskBrief): Profiler {
  const known = new Map<string, Promise<string>>();
  const written = (request: AskRequest, material: string, kit: Kit): Promise<string> => {
    const key = contentId(request);
    const text = known.get(key) ?? summaryOrFallback(request, material, kit, "sage-summary-fallback");
    known.set(key, text);
    return text;
  };
  const daily = async ({ name, events }: Bucket, kit: Kit): Promise<DatedText> => {
    const text = events.map(show).join("\n");
    return { name, text: await written(dailyRequest({ name, text }, eventNouns(task, events)), text, kit) };
  };
  const merged = async (group: readonly DatedText[], kit: Kit): Promise<DatedText> => {
    const [first] = group;
    if (first !== undefined && group.length === 1) return first;
    const text = await written(mergeRequest(group), joined(group), kit);
    return { name: `${first?.name} to ${group.at(-1)?.name}`, text };
  };
  return async (buckets, kit) => {
    if (buckets.length === 0) return NO_INFORMATION;
    const days = await Promise.all(buckets.map((bucket) => daily(bucket, kit)));
    let summaries: readonly DatedText[] = days;
    while (summaries.length > FAN_IN)
      summaries = await Promise.all(groupsOf(summaries, FAN_IN).map((group) => merged(group, kit)));
    const profile = await written(profileRequest(summaries, fields), joined(summaries), kit);
    if (!isJsonObject(profile.replace(/^```(?:json)?|```$/g, ""))) kit.count("sage-profile-not-json");
    const noted = buckets.map(({ name, events }, at) => ({
      name,
      events: events.map(({ id }) => id),
      summary: days[at]!.text, // one summary a bucket
    }));
    kit.note({ kind: "profile", data: { days: noted, profile } });
    return profile;
  };
}

/** Counts the calls that turn so many daily summaries into a profile. */
export function reduceCalls(summaries: number): number {
  if (summaries === 0) return 0;
  if (summaries <= FAN_IN) return 1;
  const full = Math.floor(summaries / FAN_IN);
  const rest = summaries % FAN_IN;
  return full + (rest > 1 ? 1 : 0) + reduceCalls(full + (rest > 0 ? 1 : 0));
}

/** Counts the levels of merging, the profile included: one event changes a call on each, at most. */
export function reduceLevels(summaries: number): number {
  return summaries <= FAN_IN ? 1 : 1 + reduceLevels(Math.ceil(summaries / FAN_IN));
}

const joined = (summaries: readonly DatedText[]): string => summaries.map(({ text }) => text).join("\n");

function groupsOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) =>
    items.slice(group * size, (group + 1) * size),
  );
}

/**
 * SAGE's prompts in our words, after what SAGE section 5.1 says of them: daily summaries, one global profile, and the answer
 * of the personalization tool. Built by concatenation: contents hold braces.
 */

const PROFILER = "You keep a profile of one user's preferences, made of what the user did day by day.";
const TOOL =
  "You answer questions about the preferences of one user. Infer them from the user's profile first; where it says nothing, from what the user did before. Where neither tells anything, reply: no information.";

/** The text in place of an empty profile, memory or answer. */
export const NO_INFORMATION = "no information";

/** Named texts in the order of time. */
interface DatedText {
  readonly name: string;
  readonly text: string;
}

/** Asks for the preferences that one day shows. `text`: its events, one a line. */
function dailyRequest({ name, text }: DatedText, words: EventNouns): AskRequest {
  return profilerRequest(
    text,
    `Above is what the user did${dateSuffix(name)}, one event per line. Say what it shows of this user's preferences: what the user likes, chooses, asks for or avoids${words.answerNoun === undefined ? "" : `, and ${habitsClause(words)}`}. Keep every detail that may matter later. Write only these preferences.`,
  );
}

/** Several summaries as one: what the reduction of a long history passes on. */
function mergeRequest(summaries: readonly DatedText[]): AskRequest {
  return profilerRequest(
    namedTexts(summaries),
    `Above are the user's preferences${isInTime(summaries) ? " at different times, oldest first. Merge them into one summary in the order of time" : ". Merge them into one summary"}; drop what is said twice and nothing else. Write only the summary.`,
  );
}

/** The profile of a user, as a JSON object with the given fields. */
function profileRequest(summaries: readonly DatedText[], fields: readonly string[]): AskRequest {
  const listed = fields.map((field) => `"${field}"`).join(", ");
  return profilerRequest(
    namedTexts(summaries),
    `Above are the user's preferences${isInTime(summaries) ? " at different times, oldest first. Merge them into one profile of this user; where they differ, later ones count" : ". Merge them into one profile of this user"}. Reply with one JSON object and nothing else, with the fields ${listed}. Write "${NO_INFORMATION}" in a field that they say nothing of.`,
  );
}

/** A question of the personalization tool. */
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

const profilerRequest = (material: string, instruction: string): AskRequest =>
  summaryRequest(PROFILER, material, instruction);
