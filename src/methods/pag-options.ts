import type { ListedWords } from "../memory/bank-prompts.js";
import { choice, counted, integer, onlyWhere, text } from "../options.js";
import type { Event, Options, OptionTable, TaskBrief } from "../types.js";
import { retrievalOptions, runTemperature } from "./retrieval-options.js";

/** How events are listed where a summary is made of them. */
export const listingOptions = {
  "summary.events": onlyWhere(
    ({ list }) => list !== undefined,
    choice({
      default: "listed",
      of: ["listed", "shown"],
      help: "past papers of LaMP-1 in the material of summaries: their titles, as OPPU lists them; or as memory shows them, with the two references of the question",
    }),
  ),
} satisfies OptionTable;

/** One line of an event in the material of a summary. */
export const listedBy = (task: TaskBrief, events: "listed" | "shown"): ((event: Event) => string) =>
  events === "listed" && task.list !== undefined ? task.list : task.show;

/** The task's words for what is listed of these events: none for answers where none is shown (past papers of LaMP-1). */
export function listedWords(task: TaskBrief, events: "listed" | "shown", past: readonly Event[]): ListedWords {
  const showsAnswers = listedBy(task, events) === task.show && past.some(({ label }) => label !== undefined);
  return { itemNoun: task.itemNoun, answerNoun: showsAnswers ? task.answerNoun : undefined };
}

/** Knobs of the profile summary, shared by all methods that show one. */
export const summaryOptions = {
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
  "pag.maxHistoryTokens": integer({
    default: 24_000,
    help: "tokens (characters / 4) of events in the summary request, newest kept; 0 = unlimited",
  }),
  "pag.fieldMaxWords": integer({
    default: 200,
    help: "cut each event in the summary request to so many words; 0 = whole",
  }),
  ...listingOptions,
  "pag.summaryTokens": integer({ default: 1024, min: 1, help: "most tokens of the summary" }),
  "pag.temperature": runTemperature("temperature of the summary call (OPPU: 0.6)"),
} satisfies OptionTable;

export type SummaryOptions = Options<typeof summaryOptions>;

export const pagOptions = {
  ...summaryOptions,
  "pag.k": integer({ default: 4, help: "events shown per question (OPPU: 1); 0 = the summary alone" }),
  "pag.sep": text({ default: "\\n", help: "between summary and prompt; \\n stands for a line break" }),
  ...retrievalOptions,
} satisfies OptionTable;
