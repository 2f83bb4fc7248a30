import { exactBounds } from "../../results/binomial.js";
import { holm, isSignificant } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import type { PaperRow, PaperTable } from "../papers/paper.js";
import { asShare, errorsPrintedAs, fewestOutsideLabels, hitsPrintedAs, impliedPair } from "./implied.js";

/** What a published table implies for one task, by arithmetic on the printed values alone. */
export type PublishedTask = ReturnType<typeof taskOf>;
export type PublishedPair = PublishedTask["pairs"][number];

/** Derives all tasks of a table, from the rows that print a value. `given`: its sizes are given, not derived. */
export function derivePublished(table: PaperTable, given = false): PublishedTask[] {
  const rows = table.rows.filter(({ values }) => values.some((value) => value !== "-"));
  const names = rows.length === 0 ? [] : new Set(table.columns.map(({ task }) => task));
  return [...names].map((task) => taskOf(table, rows, task, given));
}

function taskOf({ columns, sizes }: PaperTable, rows: readonly PaperRow[], task: string, given: boolean) {
  const { labels, title } = tasks.get(task);
  const metrics = columns.flatMap((column, at) => (column.task === task ? [{ metric: column.metric, at }] : []));
  const printedIn = ({ values }: PaperRow, metric: string) =>
    values[metrics.find((one) => one.metric === metric)?.at ?? -1];
  const { n, stated, alsoFits = [], support, from } = sizes[task] ?? {};
  const shares = rows.flatMap((row) => printedIn(row, "accuracy") ?? []);
  const isTold = n !== undefined && shares.every((share) => hitsPrintedAs(asShare(share), n).length < 2);
  const count = isTold ? n : undefined;
  const answers = rows.flatMap((row) => {
    const printed = printedIn(row, "accuracy");
    if (count === undefined || printed === undefined) return [];
    return [answersOf(row.label, printed, labels.length === 2 ? printedIn(row, "f1") : undefined, count)];
  });
  const ratings = rows.flatMap((row) => {
    const [mae, rmse] = [printedIn(row, "mae"), printedIn(row, "rmse")];
    return count === undefined || mae === undefined
      ? []
      : [{ method: row.label, mae, rmse, errors: errorsPrintedAs(mae, rmse, count) }];
  });
  const ranked = answers.flatMap(({ method, hits }) => (hits === undefined ? [] : [{ method, hits }]));
  ranked.sort((one, other) => other.hits - one.hits);
  const pairs = ranked.flatMap((better, i) =>
    ranked.slice(i + 1).map((worse) => ({
      better: better.method,
      worse: worse.method,
      ...impliedPair(better.hits, worse.hits, count ?? 0),
    })),
  );
  return {
    ...{ task, title },
    /** The size of the test set; undefined where the printed values do not tell it: then nothing else is derived. */
    count,
    /** Sizes up to 500 that fit the printed values too, what else speaks for the derived one, and the table that it is from. */
    ...(given ? { alsoFits: [], support: undefined, from: undefined } : { alsoFits, support, from }),
    given: given || stated === true,
    underived:
      count === undefined
        ? whyNot(
            task,
            n,
            metrics.map(({ metric }) => metric),
          )
        : undefined,
    printed: metrics.map(({ metric, at }) => ({
      metric,
      values: rows.map(({ label, values, suspect }) => ({
        method: label,
        printed: values[at]!,
        suspect: suspect?.[task],
      })), // as wide as the columns
    })),
    /** Of labels: one line a row, in the paper's order; every pair of rows, the better one first. */
    ...{ answers, pairs },
    /** Pairs that stay significant after Holm, if every pair shared its questions in the way most likely to be significant. */
    significantAtBest: holm(pairs.map(({ smallestP }) => smallestP)).filter(isSignificant).length,
    /** Of ratings: one line a row. */
    ratings,
  };
}

function whyNot(task: string, n: number | undefined, metrics: readonly string[]): string {
  if (n !== undefined) return `N=${n} is too large for the printed digits to tell the hits`;
  if (metrics.includes("judge")) return "means of a model's scores have no whole counts behind them";
  if (metrics.includes("seconds")) return "seconds of an unnamed task and machine";
  return tasks.get(task).kind === "text"
    ? "ROUGE is a mean of fractions with no whole counts behind it, so N cannot be derived"
    : "N cannot be derived from the printed values";
}

/** `hits`: undefined where the value is no share of the size, so of another test set. */
function answersOf(method: string, printed: string, f1: string | undefined, count: number) {
  const [hits] = hitsPrintedAs(asShare(printed), count);
  if (hits === undefined) return { method, printed, hits, interval: undefined, outsideLabels: undefined };
  const outsideLabels = f1 === undefined ? undefined : fewestOutsideLabels(f1, hits, count);
  return { method, printed, hits, interval: exactBounds(hits, count), outsideLabels };
}
