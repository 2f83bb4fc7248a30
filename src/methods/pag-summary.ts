import { UsageError } from "../errors.js";
import type { EventNouns } from "../memory/bank-prompts.js";
import { eventOptions } from "../memory/episodic.js";
import { estimatedTokens } from "../models/tokens.js";
import { type Counted, choice, counted, decimalOr, integer } from "../registry/options.js";
import { cutWords } from "../text/words.js";
import type { CallRange, Event, Kit, Options, OptionTable, Random, TaskBrief, User } from "../types/index.js";
import { askText } from "./calls.js";
import { retrievalOptions, styleOf } from "./recall-answer.js";

/** Tokens of events in the request, the newest being kept. Ours. */
const MAX_HISTORY_TOKENS = 24_000;
/** Most tokens of the summary. Ours; OPPU: 200. */
const SUMMARY_TOKENS = 1024;

/** Makes the profile summary of one user (PersonaAgent eq. 3: P^u); empty where the history is empty or the model wrote none. */
export async function summarizeUser(user: User, options: SemanticMemoryOptions, kit: Kit): Promise<string> {
  if (user.history.length === 0) return "";
  const items = summaryItems(user.history, options["pag.items"], kit.random("pag.items"));
  const kind = options["pag.summary"];
  const summary = kind === "llm" ? await askSummary(items, options, kit) : computedSummary(kind, kit.task)(items);
  kit.note({ kind: "summary", data: summary });
  return summary;
}

/** Plans the calls of one summary: an empty one is asked for once more. */
export const summaryCalls = (history: readonly Event[], options: Pick<SummaryOptions, "pag.summary">): CallRange =>
  options["pag.summary"] === "llm" && history.length > 0 ? { summary: { low: 1, high: 2 } } : {};

/** Throws UsageError where the options ask for a computed summary and the task has none. */
export function checkSummary(options: Pick<SummaryOptions, "pag.summary">, task: TaskBrief): void {
  const kind = options["pag.summary"];
  if (kind !== "llm") computedSummary(kind, task);
}

function computedSummary(kind: "exact" | "counts", task: TaskBrief): (history: readonly Event[]) => string {
  const { modeSentences, counts } = task.summary;
  if (kind === "counts" && counts !== undefined) return counts;
  if (kind === "exact" && modeSentences !== undefined) return (history) => modeSentences(history)[0] ?? "";
  throw new UsageError(`pag.summary=${kind}: ${task.name} has no labels worth counting; use --set pag.summary=llm`);
}

async function askSummary(all: readonly Event[], options: SemanticMemoryOptions, kit: Kit): Promise<string> {
  const style = styleOf(kit.task, options);
  const { summary: wording } = kit.task;
  const maxWords = options["events.maxWords"];
  const show = summaryFormatter(kit.task, maxWords);
  const items = latestWithinTokens(all, show, MAX_HISTORY_TOKENS);
  if (items.length < all.length) kit.count("summary-without-oldest");
  const content =
    style.profile?.(items, maxWords === 0 ? Number.POSITIVE_INFINITY : maxWords) ??
    `${wording.instruction} User History:\n${items.map(show).join("\n")}\nAnswer:`;
  const temperature = options["pag.temperature"];
  const askOnce = (draw: number): Promise<string> =>
    askText(kit, "summary", {
      messages: [{ role: "user", content }],
      maxTokens: SUMMARY_TOKENS,
      draw,
      ...(temperature === undefined ? {} : { temperature }),
    });
  const summary = (await askOnce(0)) || (await askOnce(1));
  if (summary === "") kit.count("summary-empty");
  const sentences = wording.modeSentences?.(items) ?? [];
  if (sentences.length > 0 && !sentences.some((sentence) => summary.toLowerCase().includes(sentence.toLowerCase())))
    kit.count("summary-not-exact");
  return summary;
}

/** Returns the events that a summary is made of, oldest first. They depend on the history alone, never on a question. */
function summaryItems(history: readonly Event[], { kind, count }: Counted, random: Random): readonly Event[] {
  if (kind === "latest") return history.slice(-count);
  if (kind !== "random") return history;
  const drawn = new Set(random.sample(history, count));
  return history.filter((event) => drawn.has(event));
}

/** Returns the newest events whose shown lines fit in `maxTokens` (characters / 4), oldest first; the newest always. */
export function latestWithinTokens(
  events: readonly Event[],
  show: (event: Event) => string,
  maxTokens: number,
): readonly Event[] {
  const fitting = latestWithinSize(events, maxTokens, (event) => estimatedTokens(show(event)));
  return fitting.length === 0 ? events.slice(-1) : fitting;
}

/** Returns the latest events whose sizes sum up to `most` or less, oldest first. */
export function latestWithinSize(
  events: readonly Event[],
  most: number,
  size: (event: Event) => number,
): readonly Event[] {
  let left = most;
  const tooOld = events.findLastIndex((event) => {
    left -= size(event);
    return left < 0;
  });
  return events.slice(tooOld + 1);
}

/** Gives the line of an event in the material of a summary, its content cut to so many words. */
export function summaryFormatter(task: TaskBrief, maxWords: number): (event: Event) => string {
  const line = task.formatForSummary ?? task.formatEvent;
  return (event) => line({ ...event, content: cutWords(event.content, maxWords) });
}

/** Returns the nouns for listed events; no answerNoun where the list shows no labels (past papers of LaMP-1). */
export function eventNouns(task: TaskBrief, past: readonly Event[]): EventNouns {
  const showsAnswers = task.formatForSummary === undefined && past.some(({ label }) => label !== undefined);
  return {
    itemNoun: task.itemNoun,
    answerNoun: showsAnswers ? task.answerNoun : undefined,
    areTexts: task.kind === "text",
  };
}

/** Options of the profile summary, shared by all methods that show one. */
const summaryOptions = {
  "pag.summary": choice({
    default: "llm",
    of: ["llm", "exact", "counts"],
    help: "llm: the model writes it; exact: the most frequent label, computed; counts: all label counts, computed",
  }),
  "pag.items": counted({
    default: "all",
    plain: ["all"],
    counted: ["random", "latest"],
    whole: true,
    help: "events the summary is made of (OPPU: random:10)",
  }),
  ...eventOptions,
  "pag.temperature": decimalOr({
    default: "run",
    word: "run",
    min: 0,
    max: 2,
    help: "temperature of the summary call (OPPU: 0.6); run: that of the run",
  }),
} satisfies OptionTable;

type SummaryOptions = Options<typeof summaryOptions>;

export const pagOptions = {
  ...summaryOptions,
  "pag.k": integer({ default: 4, help: "events shown per question (OPPU: 1); 0 = the summary alone" }),
  ...retrievalOptions,
} satisfies OptionTable;

/** The options of PAG that decide on its summary. */
export const semanticMemoryOptions = {
  ...summaryOptions,
  "prompt.style": retrievalOptions["prompt.style"],
} satisfies OptionTable;

type SemanticMemoryOptions = Options<typeof semanticMemoryOptions>;
