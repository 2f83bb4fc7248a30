import { finalAnswer } from "../../agent/text-react.js";
import { rougeTokens } from "../../text/rouge-tokens.js";
import { trimSigns } from "../../text/scan.js";
import type { TaskBrief } from "../../types.js";

/**
 * How near an answer is to what the user did, 0 to 1; 1 = the same. For alignment's own decisions only
 * (`align.skipCorrect`, `align.validate`): the benchmark's scoring is out of a method's reach.
 */
export function agreement(kind: TaskBrief["kind"], response: string, expected: string): number {
  const given = plain(finalAnswer(response));
  const wanted = plain(expected);
  return given === wanted ? 1 : nearness[kind](given, wanted);
}

/** Letter case, outer quotes and a trailing period do not make another answer. */
function plain(text: string): string {
  const bare = text.toLowerCase().replace(/\s+/g, " ").trim();
  return trimSigns(bare, "\"'`*", "\"'`*.");
}

/** Widest distance of two LaMP-3 scores. */
const RATING_SPAN = 4;

const nearness: Readonly<Record<TaskBrief["kind"], (given: string, wanted: string) => number>> = {
  label: () => 0,
  rating: (given, wanted) => {
    const distance = given === "" ? Number.NaN : Math.abs(Number(given) - Number(wanted));
    return Number.isNaN(distance) ? 0 : Math.max(0, 1 - distance / RATING_SPAN);
  },
  text: unigramF1,
};

function unigramF1(given: string, wanted: string): number {
  const left = new Map<string, number>();
  const wantedTokens = rougeTokens(wanted);
  const givenTokens = rougeTokens(given);
  for (const token of wantedTokens) left.set(token, (left.get(token) ?? 0) + 1);
  let shared = 0;
  for (const token of givenTokens) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    shared++;
  }
  return shared === 0 ? 0 : (2 * shared) / (givenTokens.length + wantedTokens.length);
}
