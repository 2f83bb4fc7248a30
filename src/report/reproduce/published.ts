import { exactBounds } from "../../results/binomial.js";
import { holm, type Interval, isSignificant } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import type { PaperRow, PaperTable } from "../papers/paper.js";
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

interface PublishedAnswers {
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

/** Derives all tasks of a table, from the rows that print a value. `given`: its sizes are given, not derived. */
export function derivePublished(table: PaperTable, given = false): PublishedTask[] {
  const rows = table.rows.filter(({ printed }) => printed.some((value) => value !== "-"));
  if (rows.length === 0) return [];
  return [...new Set(table.columns.map(({ task }) => task))].map((task) => {
    const { labels, title } = tasks.get(task);
    const metrics = table.columns.flatMap((column, at) => (column.task === task ? [{ ...column, at }] : []));
    const printedIn = (row: PaperRow, metric: string) =>
      row.printed[metrics.find((one) => one.metric === metric)?.at ?? -1];
    const count = table.samples[task];
    const answers = rows.flatMap((row) => {
      const printed = printedIn(row, "accuracy");
      if (count === undefined || printed === undefined) return [];
      const f1 = labels.length === 2 ? printedIn(row, "f1") : undefined;
      return [answersOf(row.method, printed, f1, count)];
    });
    const ratings = rows.flatMap(({ method, ...row }): PublishedRatings[] => {
      const [mae, rmse] = [printedIn({ method, ...row }, "mae"), printedIn({ method, ...row }, "rmse")];
      return count === undefined || mae === undefined
        ? []
        : [{ method, mae, rmse, errors: errorsPrintedAs(mae, rmse, count) }];
    });
    const pairs = count === undefined ? [] : pairsOf(answers, count);
    return {
      task,
      title,
      count,
      alsoFits: given ? [] : (table.alsoFits?.[task] ?? []),
      support: given ? undefined : table.support?.[task],
      given,
      underived: count === undefined ? whyNot(task, metrics) : undefined,
      printed: metrics.map(({ metric, at }) => ({
        metric,
        values: rows.map(({ method, printed, suspect }) => ({
          method,
          printed: printed[at]!, // rows are as wide as the columns
          suspect: suspect?.[task],
        })),
      })),
      answers,
      pairs,
      significantAtBest: holm(pairs.map(({ smallestP }) => smallestP)).filter(isSignificant).length,
      ratings,
    };
  });
}

function whyNot(task: string, metrics: readonly { readonly metric: string }[]): string {
  const has = (name: string): boolean => metrics.some(({ metric }) => metric === name);
  if (has("judge")) return "means of a model's scores have no whole counts behind them";
  if (has("seconds")) return "seconds of an unnamed task and machine";
  return tasks.get(task).kind === "text"
    ? "ROUGE is a mean of fractions with no whole counts behind it, so N cannot be derived"
    : "N cannot be derived from the printed values";
}

function answersOf(method: string, printed: string, f1: string | undefined, count: number): PublishedAnswers {
  const [hits, ...more] = hitsPrintedAs(asShare(printed), count);
  if (more.length > 0) throw new Error(`${method}: ${count} is too large to tell the hits of ${printed}`);
  if (hits === undefined) return { method, printed, hits, interval: undefined, outsideLabels: undefined };
  const outsideLabels = f1 === undefined ? undefined : fewestOutsideLabels(f1, hits, count);
  return { method, printed, hits, interval: exactBounds(hits, count), outsideLabels };
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
