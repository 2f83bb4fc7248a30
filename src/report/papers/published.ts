import { exactBounds } from "../../results/binomial.js";
import { holm, isSignificant } from "../../results/inference.js";
import { tasks } from "../../tasks/index.js";
import { nounOf } from "../../text/count.js";
import { dash, type Table } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { bare, gridOf, NO_NUMBERS } from "./grid.js";
import { asShare, errorsPrintedAs, fewestOutsideLabels, hitsPrintedAs, impliedPair } from "./implied.js";
import type { PaperRow, PaperTable, TestSize } from "./paper.js";

/** What a published table implies for one task, by arithmetic on the printed values alone. */
export type PublishedTask = ReturnType<typeof taskOf>;

/** Derives all tasks of a table, from the rows that print a value. */
export function derivePublished(table: PaperTable): PublishedTask[] {
  const rows = table.rows.filter(({ values }) => values.some((value) => value !== "-"));
  const names = rows.length === 0 ? [] : new Set(table.columns.map(({ task }) => task));
  return [...names].map((task) => taskOf(table, rows, task));
}

function taskOf(table: PaperTable, rows: readonly PaperRow[], task: string) {
  const { labels, title } = tasks.get(task);
  const metrics = table.columns.flatMap((column, at) => (column.task === task ? [{ metric: column.metric, at }] : []));
  const printedIn = ({ values }: PaperRow, metric: string): string | undefined => {
    const value = values[metrics.find((one) => one.metric === metric)?.at ?? -1];
    return value === "-" ? undefined : value;
  };
  const size = table.sizeOf(task);
  const hitsOf = (printed: string) => hitsPrintedAs(asShare(printed), size.n ?? 0);
  const isWhole = metrics.some(({ metric }) => metric === "accuracy" || metric === "mae");
  const isTold = isWhole && rows.every((row) => hitsOf(printedIn(row, "accuracy") ?? "1.000").length < 2);
  const count = isTold ? size.n : undefined;
  const answers = rows.flatMap((row) => {
    const printed = printedIn(row, "accuracy");
    if (count === undefined || printed === undefined) return [];
    return [answersOf(row.label, printed, labels.length === 2 ? printedIn(row, "f1") : undefined, count)];
  });
  const ratings = rows.flatMap((row) => {
    const [mae, rmse] = [printedIn(row, "mae"), printedIn(row, "rmse")];
    if (count === undefined || mae === undefined) return [];
    return [{ method: row.label, mae, rmse, errors: errorsPrintedAs(mae, rmse, count) }];
  });
  const ranked = answers.flatMap(({ method, hits }) => (hits === undefined ? [] : [{ method, hits }]));
  ranked.sort((one, other) => other.hits - one.hits);
  const pairs = ranked.flatMap(({ method, hits }, i) =>
    ranked.slice(i + 1).map((worse) => ({
      ...{ better: method, worse: worse.method },
      ...impliedPair(hits, worse.hits, count ?? 0),
    })),
  );
  return {
    ...{ task, title, size, isWhole },
    /** The size of the test set; undefined where the printed values do not tell it, or not the hits: then nothing else is derived. */
    count,
    printed: metrics.map(({ metric, at }) => ({
      metric,
      values: rows.map(({ label, values, suspect }) => ({
        method: label,
        printed: values[at]!, // as wide as the columns
        suspect: suspect?.[task],
      })),
    })),
    /** Of labels: one line a row, in the paper's order; every pair of rows, the better one first. */
    ...{ answers, pairs },
    /** Pairs that stay significant after Holm, if every pair shared its questions in the way most likely to be significant. */
    significantAtBest: holm(pairs.map(({ smallestP }) => smallestP)).filter(isSignificant).length,
    /** Of ratings: one line a row. */
    ratings,
  };
}

/** `hits`: undefined where the value is no share of the size, so of another test set. */
function answersOf(method: string, printed: string, f1: string | undefined, count: number) {
  const [hits] = hitsPrintedAs(asShare(printed), count);
  if (hits === undefined) return { method, printed, hits, interval: undefined, outsideLabels: undefined };
  const outsideLabels = f1 === undefined ? undefined : fewestOutsideLabels(f1, hits, count);
  return { method, printed, hits, interval: exactBounds(hits, count), outsideLabels };
}

/** Prints what the published values of a table imply. */
export function renderPublished(
  table: PaperTable,
  derived: readonly PublishedTask[],
  form: "text" | "markdown",
): string {
  const { name, title, source, caveats, claims, labelled, rows } = table;
  const grid = (): Table => gridOf(table, (row, column) => bare(rows[row]!.values[column]!)); // places of the table
  const tables = labelled && rows.length > 0 ? [grid()] : derived.flatMap(tablesOf);
  const legend = [
    ...(derived.some(({ size, count }) => count !== undefined && size.origin === "derived") ? DERIVED : []),
    ...(derived.some(({ pairs }) => pairs.length > 0) ? TESTED : []),
  ];
  const said = claims.map((claim) => `- ${claim.text} (${claim.source})`);
  const heading = `${name} · ${title} · published values only, nothing was run`;
  const isText = form === "text";
  return [
    isText ? `${heading}\n${source}` : `### ${heading}\n\n${source}`,
    tables.length === 0 ? NO_NUMBERS : (isText ? renderText : renderMarkdown)(...tables),
    ...(legend.length === 0 ? [] : [legend.join(isText ? "\n" : "  \n")]),
    ...(caveats.length === 0 ? [] : [caveats.map((note) => `- ${note}`).join("\n")]),
    ...(said.length === 0 ? [] : [["the paper's claims, checked on your run with --run DIR:", ...said].join("\n")]),
  ].join("\n\n");
}

const DERIVED = [
  "N and all that follows from it is derived from the printed digits, taken as rounded half up (35 of 112 prints as .313): N is the smallest",
  "size of which all values of the paper are whole counts. Larger ones fit too; there the same shares can be significant: --n tries one.",
];
const TESTED = [
  "p: exact McNemar test, two-sided, smallest and largest over all ways in which the two counts can share questions;",
  "not corrected for the number of pairs, and questions taken as independent (several questions of one user usually weaken it).",
];

function tablesOf(task: PublishedTask): Table[] {
  const { count, title, printed, answers, ratings } = task;
  const values = printed[0]?.values ?? [];
  const suspects = values.filter(({ suspect }) => suspect !== undefined);
  // A row whose value is no target bears a mark.
  const label = (name: string): string => (suspects.some(({ method }) => method === name) ? `${name} !` : name);
  const made: readonly Table[] = [
    ...(count === undefined || answers.length + ratings.length === 0 ? [printedTable(task)] : []),
    ...(count === undefined || answers.length === 0
      ? []
      : [answersTable(task, count, label), ...pairsTable(task, label)]),
    ...(count === undefined || ratings.length === 0 ? [] : [ratingsTable(task, count, label)]),
  ];
  const marked = suspects.map(({ method, suspect }) => `! ${method}: ${suspect}`);
  const titled = made.map((one, at) => (at === 0 ? { ...one, title: `${title} · ${one.title}` } : one));
  return titled.map((one, at) => (at < made.length - 1 ? one : { ...one, notes: [...(one.notes ?? []), ...marked] }));
}

function printedTable({ printed, size, count, isWhole }: PublishedTask): Table {
  const known =
    size.n !== undefined && count === undefined ? `N=${size.n} is too large for the digits to tell the hits` : "";
  const least =
    size.smallest === undefined
      ? "no size below 1,000 prints all values"
      : `N >= ${size.smallest}, but some size of that order prints any such values by chance`;
  const why = isWhole ? known || `N cannot be derived (${least})` : "no whole counts stand behind these values";
  const rows = (printed[0]?.values ?? []).map(({ method }, at) => [
    method,
    ...printed.map(({ values }) => bare(values[at]!.printed)), // as many in each column
  ]);
  return {
    ...tableOf(["method", ...printed.map(({ metric }) => metric)], rows),
    title: `${why}: no counts, no intervals, no tests`,
  };
}

type Label = (method: string) => string;

function answersTable({ answers, size }: PublishedTask, count: number, label: Label): Table {
  const isOutside = answers.some(({ outsideLabels }) => outsideLabels !== undefined);
  const fitting = answers.filter(({ hits }) => hits !== undefined).length;
  const notes = [
    ...(isOutside
      ? ["no label: fewest wrong replies that were no label: with labels alone F1 cannot be above accuracy"]
      : []),
    ...(fitting < answers.length ? [`${dash}: no share of ${count} prints so: another test set`] : []),
  ];
  return {
    ...tableOf(
      ["method", "accuracy", `hits of ${count}`, "95 % (exact)", ...(isOutside ? ["no label"] : [])],
      answers.map(({ method, printed, hits, interval, outsideLabels }) => [
        ...[label(method), bare(printed), hits === undefined ? dash : String(hits)],
        interval === undefined ? dash : `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
        ...(isOutside ? [outsideLabels === undefined ? dash : `>= ${outsideLabels}`] : []),
      ]),
    ),
    title: `N=${count} (${sizeText(size)}); ${fitting} of ${answers.length} accuracies are shares of it`,
    notes,
  };
}

/** `smallest that fits 11 values of the paper; up to 500 also 246, 369, 492`. */
function sizeText({ origin, fits, n, rows }: TestSize): string {
  const others = fits.filter((size) => size !== n);
  const also = others.length === 0 ? "none other" : others.join(", ");
  const besides = `up to 500 ${others.length === 0 ? "none other fits" : `also ${also}`}`;
  if (origin === "derived") return `smallest that prints all ${rows} different values of the paper; ${besides}`;
  if (typeof origin === "string") return `${origin}; of ${rows} values here ${besides}`;
  return `derived from ${origin.table}; of ${rows} values here ${besides}`;
}

function pairsTable({ pairs, significantAtBest }: PublishedTask, label: Label): Table[] {
  const of = (kind: string) => pairs.filter(({ significant }) => significant === kind).length;
  const tally = `of ${pairs.length} ${nounOf(pairs.length, "pair")}: significant under every pairing ${of("always")}, under some ${of("depends")}, under none ${of("never")}; after Holm over the ${pairs.length}, at most ${significantAtBest}`;
  const rows = pairs.map(({ better, worse, gap, discordant, smallestP, largestP, significant, upTo }) => [
    ...[`${label(better)} - ${label(worse)}`, gap === 0 ? "0" : `+${gap}`, `${discordant.least}..${discordant.most}`],
    ...[formatP(smallestP), formatP(largestP)],
    significant === "depends"
      ? `if they disagree on ${discordant.least === upTo ? upTo : `${discordant.least}..${upTo}`} ${nounOf(upTo ?? 0, "question")}`
      : `under ${significant === "never" ? "no" : "every"} pairing`,
  ]);
  const titles = ["pair", "hits", "disagree on", "smallest p", "largest p", "significant at .05"];
  return rows.length === 0 ? [] : [{ ...tableOf(titles, rows), notes: [tally] }];
}

function ratingsTable({ ratings, size }: PublishedTask, count: number, label: Label): Table {
  const of = (off: 0 | 1 | undefined) => ratings.filter(({ errors }) => errors?.rmseOff === off).length;
  const rows = ratings.map(({ method, mae, rmse, errors }) => {
    const { least, most } = errors?.exact ?? {};
    return [
      ...[label(method), bare(mae), errors === undefined ? dash : String(errors.sum)],
      rmse === undefined ? dash : `${bare(rmse)}${errors?.rmseOff === 1 ? "*" : ""}`,
      errors?.squaredSum === undefined ? dash : String(errors.squaredSum),
      least === undefined ? dash : least === most ? String(least) : `${least}..${most}`,
    ];
  });
  const titles = ["method", "MAE", "sum of errors", "RMSE", "sum of squares", `exactly right of ${count}`];
  return {
    ...tableOf(titles, rows),
    title: `N=${count} (${sizeText(size)}); ${of(0)} of ${ratings.length} MAE and RMSE print as whole error sums of it`,
    notes: [
      ...(of(1) === 0 ? [] : [`* no sums of ${count} print so; these miss it by one in the last digit`]),
      ...(of(undefined) === 0 ? [] : [`${dash}: no ${count} ratings have these errors: another test set`]),
      "exactly right: if all replies were whole scores; which ratings were off is not derivable, so no paired test is",
    ],
  };
}

const LEFT = new Set(["method", "pair", "significant at .05"]);

const tableOf = (titles: readonly string[], rows: Table["rows"]): Table => ({
  columns: titles.map((title) => ({ title, align: LEFT.has(title) ? "left" : "right" })),
  rows,
});
