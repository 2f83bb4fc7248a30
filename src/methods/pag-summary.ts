import { UsageError } from "../errors.js";
import type { ListedWords } from "../memory/bank-prompts.js";
import { eventOptions } from "../memory/episodic.js";
import { type Counted, choice, counted, integer } from "../registry/options.js";
import { pyStrip } from "../text/python.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, Options, OptionTable, PromptStyle, Random, TaskBrief, User } from "../types/index.js";
import { retrievalOptions, runTemperature, styleOf } from "./recall-answer.js";

/** Tokens (characters / 4) of events in the request; the newest are kept. Ours. */
const MAX_HISTORY_TOKENS = 24_000;
/** Most tokens of the summary. Ours; OPPU: 200. */
const SUMMARY_TOKENS = 1024;

/** The profile summary of one user; empty where the history is empty or the model wrote none. */
export async function summarize(user: User, style: PromptStyle, options: SummaryOptions, kit: Kit): Promise<string> {
  if (user.history.length === 0) return "";
  const items = summaryItems(user.history, options["pag.items"], kit.random("pag.items"));
  const kind = options["pag.summary"];
  const summary = kind === "llm" ? await written(items, style, options, kit) : computer(kind, kit.task)(items);
  kit.note({ kind: "summary", data: summary });
  return summary;
}

/** Throws UsageError where the options ask for a computed summary and the task has none. */
export function checkSummary(options: Pick<SummaryOptions, "pag.summary">, task: TaskBrief): void {
  const kind = options["pag.summary"];
  if (kind !== "llm") computer(kind, task);
}

function computer(kind: "exact" | "counts", task: TaskBrief): (history: readonly Event[]) => string {
  const compute = task.summary[kind];
  if (compute !== undefined) return compute;
  throw new UsageError(`pag.summary=${kind}: ${task.name} has no labels worth counting; use --set pag.summary=llm`);
}

async function written(all: readonly Event[], style: PromptStyle, options: SummaryOptions, kit: Kit): Promise<string> {
  const { task } = kit;
  const maxWords = options["events.maxWords"];
  const line = listedBy(task);
  const show = (event: Event): string => line({ ...event, content: cutWords(event.content, maxWords) });
  const items = newestWithin(all, show, MAX_HISTORY_TOKENS);
  const content =
    style.profile?.(items, maxWords === 0 ? Number.POSITIVE_INFINITY : maxWords) ??
    `${task.summary.instruction} User History:\n${items.map(show).join("\n")}\nAnswer:`;
  const summary = (await asked(content, 0, options, kit)) || (await asked(content, 1, options, kit));
  if (summary === "") kit.count("summary-empty");
  const exact = task.summary.exact?.(items) ?? "";
  const forms = task.summary.exactForms?.(items) ?? [exact];
  if (exact !== "" && !forms.some((form) => summary.toLowerCase().includes(form.toLowerCase())))
    kit.count("summary-not-exact");
  return summary;
}

/** A refusal is an empty summary. */
async function asked(content: string, draw: number, options: SummaryOptions, kit: Kit): Promise<string> {
  const temperature = options["pag.temperature"];
  const reply = await kit.ask("summary", {
    messages: [{ role: "user", content }],
    maxTokens: SUMMARY_TOKENS,
    draw,
    ...(temperature === undefined ? {} : { temperature }),
  });
  return reply.stop === "refusal" ? "" : pyStrip(reply.text);
}

/** Which events a summary is made of, oldest first. It depends on the history alone, never on a question. */
function summaryItems(history: readonly Event[], wanted: Counted, random: Random): readonly Event[] {
  return choosers[wanted.kind]?.(history, wanted.count, random) ?? history;
}

/** The newest events whose shown lines fit in `maxTokens` (characters / 4), oldest first; the newest always. */
export function newestWithin(
  events: readonly Event[],
  show: (event: Event) => string,
  maxTokens: number,
): readonly Event[] {
  let tokens = 0;
  const tooOld = events.findLastIndex((event, index) => {
    tokens += Math.ceil(show(event).length / CHARACTERS_PER_TOKEN);
    return tokens > maxTokens && index < events.length - 1;
  });
  return events.slice(tooOld + 1);
}

const CHARACTERS_PER_TOKEN = 4;

type Chooser = (history: readonly Event[], count: number, random: Random) => readonly Event[];

const choosers: Readonly<Record<string, Chooser>> = {
  all: (history) => history,
  latest: (history, count) => history.slice(-count),
  random: (history, count, random) => {
    const drawn = new Set(random.sample(history, count));
    return history.filter((event) => drawn.has(event));
  },
};

/** One line of an event in the material of a summary. */
export const listedBy = (task: TaskBrief): ((event: Event) => string) => task.list ?? task.show;

/** The task's words for what is listed of these events: none for answers where none is shown (past papers of LaMP-1). */
export function listedWords(task: TaskBrief, past: readonly Event[]): ListedWords {
  const showsAnswers = task.list === undefined && past.some(({ label }) => label !== undefined);
  return {
    itemNoun: task.itemNoun,
    answerNoun: showsAnswers ? task.answerNoun : undefined,
    areTexts: task.kind === "text",
  };
}

/** Knobs of the profile summary, shared by all methods that show one. */
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
  "pag.temperature": runTemperature("temperature of the summary call (OPPU: 0.6)"),
} satisfies OptionTable;

export type SummaryOptions = Options<typeof summaryOptions>;

export const pagOptions = {
  ...summaryOptions,
  "pag.k": integer({ default: 4, help: "events shown per question (OPPU: 1); 0 = the summary alone" }),
  ...retrievalOptions,
} satisfies OptionTable;

/** The knobs of PAG that decide on its summary. */
export const semanticMemoryOptions = {
  ...summaryOptions,
  "prompt.style": retrievalOptions["prompt.style"],
} satisfies OptionTable;

type SemanticMemoryOptions = Options<typeof semanticMemoryOptions>;

/** P^u: the summary PAG would make of this user's events (PersonaAgent eq. 3 and appendix E). Empty where there are none. */
export async function semanticMemory(user: User, options: SemanticMemoryOptions, kit: Kit): Promise<string> {
  return summarize(user, styleOf(kit.task, options), options, kit);
}
