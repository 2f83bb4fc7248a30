import { readReply } from "../tasks/reply-reading.js";
import { nounOf } from "../text/count.js";
import type { Cell, Row, Task } from "../types/index.js";
import type { Summary } from "./summary.js";
import { formatScore } from "./tables/format.js";
import { renderText } from "./tables/text.js";
import { type KnownQuestion, questionFor } from "./verify.js";

/** What came of reading rows again by today's rules. */
export interface Rescored {
  readonly changed: readonly ChangedReading[];
  /** Tasks whose lenient readings are the stored ones, because their questions are not at hand. */
  readonly kept: readonly string[];
}

interface ChangedReading {
  readonly task: string;
  readonly method: string;
  readonly question: string;
  readonly reply: string;
  readonly before: string;
  readonly after: string;
}

interface RescoreMaterial {
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly questions: (task: string) => ReadonlyMap<string, KnownQuestion> | undefined;
}

/** A row whose reply was read again. */
export interface Reread {
  readonly row: Row;
  readonly changed?: ChangedReading;
  /** The task, where its lenient reading is the stored one. */
  readonly kept?: string;
}

/** Reads stored replies again. Failed rows stay failed: there is nothing to read. */
export function rereading({ cells, task, questions }: RescoreMaterial): (row: Row) => Reread {
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  return (row) => {
    const cell = cellOf.get(row.cell);
    if (cell === undefined || row.outcome.kind === "failed") return { row };
    const rowTask = task(cell.task);
    const question = questionFor(row.question, rowTask, questions(cell.task));
    const read = readReply(
      rowTask,
      question ?? { id: row.question, text: "", content: "", query: "" },
      row.outcome.reply,
    );
    const { kind, reply } = read;
    const lenient = question === undefined ? row.outcome.lenient : read.lenient;
    const after: Row = { ...row, outcome: { kind, reply, ...(lenient === undefined ? {} : { lenient }) } };
    const [was, is] = [readingOf(row), readingOf(after)];
    const named = { task: cell.task, method: cell.method, question: row.question };
    return {
      row: after,
      ...(was === is ? {} : { changed: { ...named, reply, before: was, after: is } }),
      ...(question === undefined ? { kept: cell.task } : {}),
    };
  };
}

/** What reading these rows again changes; none of them is held. */
export function rescore(rows: Iterable<Row>, reread: (row: Row) => Reread): Rescored {
  const found: ChangedReading[] = [];
  const tasks = new Set<string>();
  for (const row of rows) {
    const { changed, kept } = reread(row);
    if (changed !== undefined) found.push(changed);
    if (kept !== undefined) tasks.add(kept);
  }
  return { changed: found, kept: [...tasks] };
}

/** One metric of one arm, before and after. Undefined: no such number. */
interface NumberPair {
  readonly task: string;
  readonly method: string;
  readonly variant: string;
  readonly metric: string;
  readonly strict: { readonly old: number | undefined; readonly new: number | undefined };
  readonly lenient: { readonly old: number | undefined; readonly new: number | undefined };
}

/** The part of a summary that two versions share. */
export type StoredSummary = Pick<Summary, "task" | "dataset" | "method" | "model" | "variant"> & {
  readonly metrics: readonly {
    readonly name: string;
    readonly strict?: number | undefined;
    readonly lenient?: number | undefined;
  }[];
};

/** Numbers side by side, in the order of `fresh`; what only one side has stands alone. */
export function pairNumbers(old: readonly StoredSummary[], fresh: readonly StoredSummary[]): NumberPair[] {
  const before = numbersOf(old);
  const after = numbersOf(fresh);
  return [...new Set([...after.keys(), ...before.keys()])].map((key) => {
    const [was, is] = [before.get(key), after.get(key)];
    const { task, method, variant, metric } = (is ?? was)!; // the key is of one of them
    return {
      task,
      method,
      variant,
      metric,
      strict: { old: was?.strict, new: is?.strict },
      lenient: { old: was?.lenient, new: is?.lenient },
    };
  });
}

/** How many changed readings are printed. */
const LISTED = 20;

export function renderRescore(numbers: readonly NumberPair[], { changed, kept }: Rescored): string {
  const left = ["task", "method", "metric"].map((title) => ({ title, align: "left" as const }));
  const right = ["strict old", "strict new", "change", "lenient old", "lenient new", "change"];
  const table = renderText({
    columns: [...left, ...right.map((title) => ({ title, align: "right" as const }))],
    rows: numbers.map(({ task, method, variant, metric, strict, lenient }) => [
      task,
      variant === "" ? method : `${method} (${variant})`,
      metric,
      ...cellsOf(strict),
      ...cellsOf(lenient),
    ]),
  });
  const shown = changed.slice(0, LISTED);
  return [
    table,
    "",
    changed.length === 0
      ? "no reading has changed"
      : `${changed.length} ${nounOf(changed.length, "reading has", "readings have")} changed:`,
    ...shown.map(
      ({ task, method, question, reply, before, after }) =>
        `  ${task} ${method} question ${question}: ${before} -> ${after}  (reply ${JSON.stringify(reply.slice(0, 60))})`,
    ),
    ...(shown.length < changed.length ? [`  ... and ${changed.length - shown.length} more (--json prints all)`] : []),
    ...kept.map(
      (task) => `${task}: lenient readings are the stored ones; give the questions with --data to read them again`,
    ),
  ].join("\n");
}

function readingOf({ outcome }: Row): string {
  if (outcome.kind === "failed") return "failed";
  return `${outcome.kind}, lenient ${outcome.lenient === undefined ? "none" : JSON.stringify(outcome.lenient.slice(0, 60))}`;
}

type Numbered = { readonly strict: number | undefined; readonly lenient: number | undefined };

function numbersOf(summaries: readonly StoredSummary[]) {
  return new Map(
    summaries.flatMap(({ task, dataset, method, model, variant, metrics }) =>
      metrics.map(({ name, strict, lenient }) => [
        JSON.stringify([task, dataset, method, model, variant, name]),
        { task, method, variant, metric: name, strict, lenient },
      ]),
    ),
  );
}

function cellsOf({
  old,
  new: fresh,
}: {
  readonly old: Numbered["strict"];
  readonly new: Numbered["strict"];
}): string[] {
  const change = old === undefined || fresh === undefined ? undefined : fresh - old;
  return [formatScore(old), formatScore(fresh), change === 0 ? "=" : formatScore(change)];
}
