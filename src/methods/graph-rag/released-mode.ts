import { labelFrequencies } from "../../memory/graph/report.js";
import { categoryOf } from "../../memory/graph/shared-graph.js";
import { englishStopWords } from "../../text/tokens.js";
import type { Event, Kit, TaskBrief } from "../../types/index.js";
import { type Mode, type PromptParts, profileBlock, similarBlocks } from "./prompt.js";

/**
 * The method as its code was released (METHODS 8.1), defects included, each counted where it takes effect: 1000 terms, one
 * context for all questions of a user, no community anywhere, and a reading of replies that lets short labels win.
 */
export const releasedMode: Mode = {
  tfIdf: { stopWords: englishStopWords, maxFeatures: 1000 },
  communities: false,
  reusesContext: true,
  remarks: (options) => [
    "graph-rag as released: the released code's leak (evaluated items in the memory) is not reproduced",
    "released-graph-unread: as in the released code, no answer reads the graph; similar events by TF-IDF only",
    ...(options["graph.concepts"].name !== "released" || options["graph.asOf"] !== "run"
      ? ["released mode without graph.concepts=released and graph.asOf=run, which the released code has"]
      : []),
    "released-context-reused: as in the released code, what was retrieved for a user's first question served a later one too",
  ],
  request(parts, kit) {
    kit.count("released-graph-unread");
    return {
      system: `You classify. Answer only with the ${kit.task.answerNoun}.`,
      messages: [{ role: "user", content: content(parts, kit.task) }],
      ...(kit.task.labels.length === 0 ? {} : { maxTokens: MAX_TOKENS }),
      ...temperatureOf(kit),
    };
  },
  answer: releasedAnswer,
};

const MAX_TOKENS = 50;
const TEMPERATURE = 0.3;

/** Models of today may take no temperature: counted, not refused, because nobody asked for this one by name. */
function temperatureOf(kit: Kit): { temperature?: number } {
  if (kit.model.capabilities.temperature) return { temperature: TEMPERATURE };
  kit.count("released-temperature-not-applied");
  return {};
}

const content = (parts: PromptParts, task: TaskBrief): string =>
  [
    ...similarBlocks(parts, task, `[${task.labels.join(", ")}]`),
    ...profileBlock(parts, task),
    GUIDANCE,
    `Answer with the ${task.answerNoun} only, nothing else.`,
  ].join("\n\n");

const GUIDANCE = [
  "How to use this:",
  "- Weigh HIGH similarity most, consider MEDIUM, take LOW as support.",
  "- Prefer this user's own over other users' when they are comparable.",
].join("\n");

/**
 * The reading of the release (METHODS 8.1): the first label in list order that stands anywhere in the reply ("comedy" hides
 * "dark comedy"), else the first label of which a word does, else the user's most frequent label, else `entertainment`.
 * Every case but a plain one is counted. Replies of tasks without labels are left as they are.
 */
function releasedAnswer(reply: string, history: readonly Event[], { task, count }: Kit): string {
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
  const [usual] = labelFrequencies(history.map(categoryOf(task)), 1);
  count(usual === undefined ? "released-entertainment" : "released-usual-label");
  return usual?.label ?? "entertainment";
}

/** Returns the words of a label without function words: the "a" of "based on a book" stands in nearly every reply. */
const wordsOf = (label: string): string[] =>
  (label.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !englishStopWords.has(word));
