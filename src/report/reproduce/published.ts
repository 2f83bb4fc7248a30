import { holm, isSignificant } from "../../statistics/holm.js";
import type { Interval } from "../../statistics/interval.js";
import { wilson } from "../../statistics/wilson.js";
import { tasks } from "../../tasks/index.js";
import type { PaperTable } from "../papers/paper.js";
import { asShare } from "./differs.js";
import { errorsPrintedAs, fewestOutsideLabels, hitsPrintedAs, type ImpliedErrors } from "./implied-counts.js";
import { type ImpliedPair, impliedPair } from "./implied-pair.js";

/** What a published table implies for one task, by arithmetic on the printed values alone. */
export interface PublishedTask {
  readonly task: string;
  readonly title: string;
  /** The size of the test set, derived; undefined where the printed values do not tell it: then nothing else is derived. */
  readonly count: number | undefined;
  /** Sizes up to 500 that fit the printed values too, and what else speaks for the derived one. */
  readonly alsoFits: readonly number[];
  readonly support: string | undefined;
  /** Whether the size was given, not derived. */
  readonly given: boolean;
  /** Why nothing is derived; undefined where something is. */
  readonly underived: string | undefined;
  /** The printed values themselves, by metric and method. */
  readonly printed: readonly { readonly metric: string; readonly values: readonly PublishedValue[] }[];
  /** Label tasks: one line per method, in the paper's order. */
  readonly answers: readonly PublishedAnswers[];
  /** Label tasks: every pair of methods, the better one first. */
  readonly pairs: readonly PublishedPair[];
  /** Pairs that stay significant after Holm over all pairs, if in every pair the questions were paired in the way most likely to be significant. */
  readonly significantAtBest: number;
  /** Rating tasks: one line per method. */
  readonly ratings: readonly PublishedRatings[];
}

interface PublishedValue {
  readonly method: string;
  readonly printed: string;
  /** Why the value is no target. */
  readonly suspect: string | undefined;
}

export interface PublishedAnswers {
  readonly method: string;
  readonly printed: string;
  /** Undefined where the value is no share of the derived size, so of another test set: then nothing else is derived. */
  readonly hits: number | undefined;
  readonly interval: Interval | undefined;
  /** Two-label tasks: wrong replies that cannot have been labels, at least. */
  readonly outsideLabels: number | undefined;
}

export interface PublishedPair extends ImpliedPair {
  readonly better: string;
  readonly worse: string;
}

interface PublishedRatings {
  readonly method: string;
  readonly mae: string;
  /** Undefined where it is not printed. */
  readonly rmse: string | undefined;
  /** Undefined where no errors of the derived number of ratings have these values: another test set. */
  readonly errors: ImpliedErrors | undefined;
}

/** Derives all tasks of a table. `given`: its sizes are given, not derived. */
export function derivePublished(table: PaperTable, given = false): PublishedTask[] {
  if (!table.rows.some(({ printed }) => printed.some((value) => value !== "-"))) return [];
  const names = [...new Set(table.columns.map(({ task }) => task))];
  return names.map((name) => {
    const { labels, title } = tasks.get(name);
    const count = table.samples[name];
    const answers = count === undefined ? [] : answersOf(table, name, count, labels.length === 2);
    const pairs = count === undefined ? [] : pairsOf(answers, count);
    const significantAtBest = holm(pairs.map(({ smallestP }) => smallestP)).filter(isSignificant).length;
    const ratings = count === undefined ? [] : ratingsOf(table, name, count);
    const underived = count === undefined ? whyNot(table, name) : undefined;
    return {
      task: name,
      title,
      count,
      alsoFits: given ? [] : (table.alsoFits?.[name] ?? []),
      support: given ? undefined : table.support?.[name],
      given,
      underived,
      printed: printedOf(table, name),
      answers,
      pairs,
      significantAtBest,
      ratings,
    };
  });
}

/** The printed values of one column by row, or undefined where the table has no such column. */
function column(table: PaperTable, task: string, metric: string): readonly string[] | undefined {
  const at = table.columns.findIndex((column) => column.task === task && column.metric === metric);
  return at === -1 ? undefined : table.rows.map(({ printed }) => printed[at]!); // rows are as wide as the columns
}

function printedOf({ columns, rows }: PaperTable, task: string): PublishedTask["printed"] {
  return columns.flatMap((column, c) =>
    column.task !== task
      ? []
      : [
          {
            metric: column.metric,
            values: rows.map(({ method, printed, suspect }) => ({
              method,
              printed: printed[c]!, // rows are as wide as the columns
              suspect: suspect?.[task],
            })),
          },
        ],
  );
}

function whyNot({ columns }: PaperTable, task: string): string {
  const metrics = columns.filter((column) => column.task === task).map(({ metric }) => metric);
  if (metrics.includes("judge")) return "means of a model's scores have no whole counts behind them";
  if (metrics.includes("seconds")) return "seconds of an unnamed task and machine";
  return tasks.get(task).kind === "text"
    ? "ROUGE is a mean of fractions with no whole counts behind it, so N cannot be derived"
    : "N cannot be derived from the printed values";
}

function answersOf(table: PaperTable, task: string, count: number, twoLabels: boolean): PublishedAnswers[] {
  const f1 = column(table, task, "f1");
  return (column(table, task, "accuracy") ?? []).map((printed, r) => {
    const { method } = table.rows[r]!;
    const hits = hitsPrintedAs(asShare(printed), count);
    if (hits.length > 1) throw new Error(`${table.name} ${task}: ${count} is too large to tell the hits of ${printed}`);
    if (hits[0] === undefined)
      return { method, printed, hits: undefined, interval: undefined, outsideLabels: undefined };
    return {
      method,
      printed,
      hits: hits[0],
      interval: wilson(hits[0], count),
      outsideLabels: twoLabels && f1 !== undefined ? fewestOutsideLabels(f1[r]!, hits[0], count) : undefined,
    };
  });
}

function pairsOf(answers: readonly PublishedAnswers[], count: number): PublishedPair[] {
  const ranked = answers
    .flatMap(({ method, hits }) => (hits === undefined ? [] : [{ method, hits }]))
    .sort((one, other) => other.hits - one.hits);
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
  return (column(table, task, "mae") ?? []).map((mae, r) => ({
    method: table.rows[r]!.method,
    mae,
    rmse: rmse?.[r],
    errors: errorsPrintedAs(mae, rmse?.[r], count),
  }));
}
