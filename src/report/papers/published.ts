import { tasks } from "../../tasks/index.js";
import { dash, type Table } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import { renderMarkdown, renderText } from "../tables/text.js";
import { asShare, errorsPrintedAs, exactBounds, hitsPrintedAs, impliedPair } from "./implied.js";
import { type PaperTable, type TestSize, tasksOf } from "./paper.js";
import { bare, gridOf, NO_NUMBERS } from "./text.js";

/** Facts that a published table implies for one task, by arithmetic on the printed values alone. */
export type PublishedTask = ReturnType<typeof taskOf>;

/** Derives all tasks of a table, from the rows that print a value. */
export const derivePublished = (table: PaperTable): PublishedTask[] =>
  table.rows.some(({ values }) => values.some(isPrinted)) ? tasksOf(table).map((task) => taskOf(table, task)) : [];

const isPrinted = (value: string): boolean => value !== "-";

function taskOf(table: PaperTable, task: string) {
  const metrics = table.columns.flatMap((column, at) => (column.task === task ? [{ metric: column.metric, at }] : []));
  const size: TestSize = table.sizeOf(task);
  const hitsOf = (printed: string) => hitsPrintedAs(asShare(printed), size.n ?? 0);
  const isWhole = metrics.some(({ metric }) => metric === "accuracy" || metric === "mae");
  const printed = table.rows
    .filter(({ values }) => values.some(isPrinted))
    .map(({ label, values, suspect }) => {
      const own = metrics.map(({ metric, at }) => [metric, values[at]!] as const); // rows are as wide as the columns
      return { method: label, printed: Object.fromEntries(own), suspect: suspect?.[task] };
    });
  const isTold = printed.every(({ printed: { accuracy } }) => accuracy === undefined || hitsOf(accuracy).length < 2);
  /** The size of the test set; undefined where the printed values do not tell it, or not the hits: then nothing else is derived. */
  const count = isWhole && isTold ? size.n : undefined;
  const rows = printed.map((row) => ({ ...row, ...impliedBy(row.printed, count) }));
  const ranked = rows.flatMap(({ method, hits }) => (hits === undefined ? [] : [{ method, hits }]));
  ranked.sort((one, other) => other.hits - one.hits);
  const pairs = ranked.flatMap(({ method: better, hits }, i) =>
    ranked.slice(i + 1).map((worse) => ({ better, worse: worse.method, ...impliedPair(hits, worse.hits, count ?? 0) })),
  );
  return { task, title: tasks.get(task).title, size, isWhole, count, rows, pairs };
}

/** Returns the counts that printed values of a test set of this size imply. */
function impliedBy({ accuracy = "-", mae = "-", rmse = "-" }: Readonly<Record<string, string>>, count = 0) {
  const isKnown = count > 0;
  const [hits] = isKnown && isPrinted(accuracy) ? hitsPrintedAs(asShare(accuracy), count) : [];
  const errors =
    isKnown && isPrinted(mae) ? errorsPrintedAs(mae, isPrinted(rmse) ? rmse : undefined, count) : undefined;
  return { errors, hits, interval: hits === undefined ? undefined : exactBounds(hits, count) };
}

/** Prints what the published values of a table imply. */
export function renderPublished(
  table: PaperTable,
  derived: readonly PublishedTask[],
  form: "text" | "markdown",
): string {
  const { name, title, source, caveats, labelled, rows } = table;
  const grid = (): Table => gridOf(table, (row, column) => bare(rows[row]!.values[column]!)); // places of the table
  const tables =
    labelled && rows.length > 0 ? [grid()] : derived.flatMap((task) => [valuesTable(task), ...pairsTable(task)]);
  const legend = [
    ...(derived.some(({ size, count }) => count !== undefined && size.origin === "derived") ? [DERIVED] : []),
    ...(derived.some(({ pairs }) => pairs.length > 0) ? [TESTED] : []),
  ];
  const heading = `${name} · ${title} · published values only, nothing was run`;
  const isText = form === "text";
  return [
    isText ? `${heading}\n${source}` : `### ${heading}\n\n${source}`,
    tables.length === 0 ? NO_NUMBERS : (isText ? renderText : renderMarkdown)(...tables),
    ...(legend.length === 0 ? [] : [legend.join(isText ? "\n" : "  \n")]),
    ...(caveats.length === 0 ? [] : [caveats.map((note) => `- ${note}`).join("\n")]),
  ].join("\n\n");
}

const DERIVED =
  "N: the smallest size of which all values of the paper are whole counts, taken as rounded half up (35 of 112 prints as .313).";
const TESTED =
  "p: exact McNemar test, two-sided, smallest and largest over all ways in which the two counts can share questions; uncorrected, questions taken as independent.";

/** The printed values of a task, and the counts behind them. */
function valuesTable(task: PublishedTask): Table {
  const { title, count, rows } = task;
  const metrics = Object.keys(rows[0]?.printed ?? {});
  const [hasHits, hasErrors] = ["accuracy", "mae"].map((name) => count !== undefined && metrics.includes(name));
  const isOff = rows.some(({ errors }) => errors?.rmseOff === 1);
  const isOther = count !== undefined && rows.some(({ hits, errors }) => hits === undefined && errors === undefined);
  const titles = [
    ...["method", ...metrics],
    ...(hasHits ? [`hits of ${count}`, "95 % (exact)"] : []),
    ...(hasErrors ? ["sum of errors", "sum of squares"] : []),
  ];
  const cells = rows.map(({ method, printed, hits, interval, errors }) => [
    labelOf(task, method),
    ...metrics.map((name) => bare(printed[name]!)),
    ...(hasHits ? [String(hits ?? dash), rangeOf(interval)] : []),
    ...(hasErrors
      ? [String(errors?.sum ?? dash), `${errors?.squaredSum ?? dash}${errors?.rmseOff === 1 ? "*" : ""}`]
      : []),
  ]);
  return {
    ...tableOf(titles, cells),
    title: `${title} · ${sizeText(task)}`,
    notes: [
      ...(isOther ? [`${dash}: no whole count of ${count} prints so: another test set`] : []),
      ...(isOff ? ["*: the RMSE misses these sums by one in its last digit; no others print as it"] : []),
      ...rows.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`! ${method}: ${suspect}`])),
    ],
  };
}

const rangeOf = (of: { readonly low: number; readonly high: number } | undefined): string =>
  of === undefined ? dash : `[${formatScore(of.low)}, ${formatScore(of.high)}]`;

/** A row whose value is no target bears a mark. */
const labelOf = ({ rows }: PublishedTask, name: string): string =>
  rows.some(({ method, suspect }) => method === name && suspect !== undefined) ? `${name} !` : name;

/** `N=123 (smallest that prints all 11 different values of the paper; up to 500 also 246, 369, 492)`. */
function sizeText({ size: { n, origin, fits, rows, smallest }, count, isWhole }: PublishedTask): string {
  if (!isWhole) return "no whole counts stand behind these values: no intervals, no tests";
  if (count === undefined) {
    const fitting = smallest === undefined ? "no size below 1,000 fits" : `sizes from ${smallest} on fit by chance`;
    const why = n === undefined ? `N is not known: ${fitting}` : `N=${n} is too large for the digits to tell the hits`;
    return `${why}; no counts, no intervals, no tests`;
  }
  const others = fits.filter((one) => one !== count).join(", ");
  const how = origin === "derived" ? `smallest that prints all ${rows} different values of the paper` : origin;
  return `N=${count} (${how}; up to 500 ${others === "" ? "none other fits" : `also ${others}`})`;
}

function pairsTable(task: PublishedTask): Table[] {
  const rows = task.pairs.map(({ better, worse, gap, smallestP, largestP }) => [
    `${labelOf(task, better)} - ${labelOf(task, worse)}`,
    ...[gap === 0 ? "0" : `+${gap}`, formatP(smallestP), formatP(largestP)],
  ]);
  return rows.length === 0 ? [] : [tableOf(["pair", "hits", "smallest p", "largest p"], rows)];
}

const tableOf = (titles: readonly string[], rows: Table["rows"]): Table => ({
  columns: titles.map((title, at) => ({ title, align: at === 0 ? "left" : "right" })),
  rows,
});
