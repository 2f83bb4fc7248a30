import type { Interval } from "../statistics/bootstrap.js";
import { holm } from "../statistics/holm.js";
import { wilson } from "../statistics/wilson.js";
import { tasks } from "../tasks/index.js";
import { errorsPrintedAs, fewestOutsideLabels, hitsPrintedAs, type ImpliedErrors } from "./implied-counts.js";
import { ALPHA, type ImpliedPair, impliedPair } from "./implied-pair.js";
import { paperSamples } from "./paper-samples.js";
import type { PaperTable } from "./paper-tables.js";

/** What a published table implies for one task, by arithmetic on the printed values alone. */
export interface PublishedTask {
  readonly task: string;
  readonly title: string;
  /** Derived test size; undefined where the printed values do not give it away: then nothing else is derived either. */
  readonly count: number | undefined;
  /** Label tasks: one line per method, in the paper's order. */
  readonly answers: readonly PublishedAnswers[];
  /** Label tasks: every pair of methods, the better one first. */
  readonly pairs: readonly PublishedPair[];
  /** Pairs that stay significant after Holm over all pairs, were every pairing the kindest possible one. */
  readonly significantAtBest: number;
  /** Rating tasks: one line per method. */
  readonly ratings: readonly PublishedRatings[];
}

export interface PublishedAnswers {
  readonly method: string;
  readonly printed: string;
  readonly hits: number;
  readonly interval: Interval;
  /** Two-label tasks: wrong replies that cannot have been labels, at least. */
  readonly outsideLabels: number | undefined;
}

export interface PublishedPair extends ImpliedPair {
  readonly better: string;
  readonly worse: string;
}

export interface PublishedRatings extends ImpliedErrors {
  readonly method: string;
  readonly mae: string;
  readonly rmse: string;
}

/** Derives all tasks of a table. Throws Error where a printed value does not fit the derived size: then the size is wrong. */
export function derivePublished(table: PaperTable): PublishedTask[] {
  const names = [...new Set(table.columns.map(({ task }) => task))];
  return names.map((name) => {
    const { labels, title } = tasks.get(name);
    const count = paperSamples[name];
    const answers = count === undefined ? [] : answersOf(table, name, count, labels.length === 2);
    const pairs = count === undefined ? [] : pairsOf(answers, count);
    const significantAtBest = holm(pairs.map(({ smallestP }) => smallestP)).filter((p) => p <= ALPHA).length;
    const ratings = count === undefined ? [] : ratingsOf(table, name, count);
    return { task: name, title, count, answers, pairs, significantAtBest, ratings };
  });
}

// --- internal ---

/** The printed values of one column by row, or undefined where the table has no such column. */
function column(table: PaperTable, task: string, metric: string): readonly string[] | undefined {
  const at = table.columns.findIndex((column) => column.task === task && column.metric === metric);
  return at === -1 ? undefined : table.rows.map(({ printed }) => printed[at]!); // rows are as wide as the columns
}

function answersOf(table: PaperTable, task: string, count: number, twoLabels: boolean): PublishedAnswers[] {
  const f1 = column(table, task, "f1");
  return (column(table, task, "accuracy") ?? []).map((printed, r) => {
    const [hits, ...more] = hitsPrintedAs(printed, count);
    if (hits === undefined || more.length > 0)
      throw new Error(`${table.name} ${task}: ${printed} is no share of ${count}`);
    return {
      method: table.rows[r]!.method,
      printed,
      hits,
      interval: wilson(hits, count),
      outsideLabels: twoLabels && f1 !== undefined ? fewestOutsideLabels(f1[r]!, hits, count) : undefined,
    };
  });
}

function pairsOf(answers: readonly PublishedAnswers[], count: number): PublishedPair[] {
  const ranked = [...answers].sort((one, other) => other.hits - one.hits);
  return ranked.flatMap((better, i) =>
    ranked.slice(i + 1).map((worse) => ({
      better: better.method,
      worse: worse.method,
      ...impliedPair(better.hits, worse.hits, count),
    })),
  );
}

function ratingsOf(table: PaperTable, task: string, count: number): PublishedRatings[] {
  const rmse = column(table, task, "rmse");
  return (column(table, task, "mae") ?? []).map((printed, r) => {
    const squared = rmse?.[r] ?? "";
    const errors = errorsPrintedAs(printed, squared, count);
    if (errors === undefined)
      throw new Error(`${table.name} ${task}: no ${count} ratings have MAE ${printed} and RMSE ${squared}`);
    return { method: table.rows[r]!.method, mae: printed, rmse: squared, ...errors };
  });
}
