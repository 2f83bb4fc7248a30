import { labelShares } from "../../memory/graph/report.js";
import { categoryOf } from "../../memory/graph/shared-graph.js";
import { englishStopWords } from "../../text/stop-words.js";
import type { Event, Kit } from "../../types.js";

/**
 * The reading of the release (METHODS 8.1): the first label in list order that stands anywhere in the reply ("comedy" hides
 * "dark comedy"), else the first label of which a word does, else the user's most frequent label, else `entertainment`.
 * Every case but a plain one is counted. Replies of tasks without labels are left as they are.
 */
export function releasedAnswer(reply: string, history: readonly Event[], { task, count }: Kit): string {
  if (task.labels.length === 0) return reply;
  const text = reply.toLowerCase();
  const named = task.labels.filter((label) => text.includes(label.toLowerCase()));
  const [first] = named;
  if (first !== undefined) {
    if (named.some((other) => other !== first && other.includes(first))) count("released-label-shadowed");
    else if (named.length > 1) count("released-first-of-several");
    return first;
  }
  const byWord = task.labels.find((label) => wordsOf(label).some((word) => text.includes(word)));
  if (byWord !== undefined) {
    count("released-label-word");
    return byWord;
  }
  const [usual] = labelShares(history.map(categoryOf(task)), 1);
  count(usual === undefined ? "released-entertainment" : "released-usual-label");
  return usual?.label ?? "entertainment";
}

/** Without function words: taken literally, the "a" of "based on a book" would stand in nearly every reply. */
const wordsOf = (label: string): string[] =>
  (label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !englishStopWords.has(word));
