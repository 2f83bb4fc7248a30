import { UsageError } from "../errors.js";
import type { Counted } from "../options.js";
import { pyStrip } from "../text/python.js";
import { cutWords } from "../text/words.js";
import type { Event, Kit, PromptStyle, Random, TaskBrief, User } from "../types.js";
import { listedBy, type SummaryOptions } from "./pag-options.js";

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
  const maxWords = options["pag.fieldMaxWords"];
  const line = listedBy(task, options["summary.events"]);
  const show = (event: Event): string => line({ ...event, content: cutWords(event.content, maxWords) });
  const items = newestWithin(all, show, options["pag.maxHistoryTokens"]);
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
    maxTokens: options["pag.summaryTokens"],
    draw,
    ...(temperature === undefined ? {} : { temperature }),
  });
  return reply.stop === "refusal" ? "" : pyStrip(reply.text);
}

/** Which events a summary is made of, oldest first. It depends on the history alone, never on a question. */
function summaryItems(history: readonly Event[], wanted: Counted, random: Random): readonly Event[] {
  return choosers[wanted.kind]?.(history, wanted.count, random) ?? history;
}

/** The newest events whose shown lines fit in `maxTokens` (characters / 4), oldest first; the newest always. 0 = unlimited. */
export function newestWithin(
  events: readonly Event[],
  show: (event: Event) => string,
  maxTokens: number,
): readonly Event[] {
  if (maxTokens === 0) return events;
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
