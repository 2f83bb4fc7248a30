import { nounOf } from "../../text/count.js";
import type { PaperTable } from "../papers/paper.js";
import { dash, type Table } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { asShare } from "./differs.js";
import { hitsPrintedAs } from "./implied-counts.js";
import { impliedPair } from "./implied-pair.js";
import type { PublishedAnswers, PublishedPair, PublishedTask } from "./published.js";
import { gridOf, printedAt } from "./table.js";

type PublishedForm = "text" | "markdown";

/** What the published values of a table imply. `against`: only pairs with this method. */
export function renderPublished(
  table: PaperTable,
  derived: readonly PublishedTask[],
  { form = "text", against }: { readonly form?: PublishedForm; readonly against?: string | undefined } = {},
): string {
  const heading = `${table.name} · ${table.title} · published values only, nothing was run`;
  const blocks = derived.map((task) => renderTask(task, form, against));
  const isPrinted = table.labelled === true && table.rows.length > 0;
  const grid = isPrinted
    ? [
        drawn(
          gridOf(table, (row, column) => printedAt(table, row, column)),
          form,
        ),
      ]
    : [noNumbers(table)];
  const numbers = derived.length === 0 || table.labelled === true ? grid : blocks;
  const legend = [
    ...(derived.some(({ count, given }) => count !== undefined && !given) ? DERIVED : []),
    ...(derived.some(({ count, given }) => count !== undefined && given) ? GIVEN : []),
    ...(derived.some(({ pairs }) => pairs.length > 0) ? TESTED : []),
  ];
  return [
    `${form === "text" ? "" : "### "}${heading}${form === "text" ? "\n" : "\n\n"}${table.source}`,
    ...numbers,
    ...(legend.length === 0 ? [] : [legend.join(form === "text" ? "\n" : "  \n")]),
    ...(table.caveats.length === 0 ? [] : [table.caveats.map((note) => `- ${note}`).join("\n")]),
  ].join("\n\n");
}

const DERIVED = [
  "N and everything behind it is derived from the printed digits: N is the smallest size of which they are whole counts;",
  "larger sizes fit too (its multiples do, and any from 1,000 on), and there the same shares can be significant: --n tries one.",
];
const GIVEN = ["N is the size that --n gave; everything behind it is derived from it and the printed digits."];
const TESTED = [
  "p: exact McNemar test, two-sided, smallest and largest over all ways in which the two counts can share questions;",
  "not corrected for the number of pairs, and questions taken as independent (several questions of one user usually weaken it).",
];

function noNumbers({ name, claims }: PaperTable): string {
  const claimLines = claims.map(({ text, source }) => `- ${text} (${source})`);
  const claimed =
    claimLines.length === 0 ? [] : ["what the paper says of it, checked on your run with --run DIR:", ...claimLines];
  return [`no published numbers: the values of ${name} stand in a picture only`, ...claimed].join("\n");
}

const drawn = (table: Table, form: PublishedForm): string =>
  form === "text" ? renderText(table) : `\n${renderMarkdown(table)}\n`;

function renderTask(task: PublishedTask, form: PublishedForm, against: string | undefined): string {
  const suspects = suspectLines(task);
  if (task.count === undefined)
    return [
      `${task.title}\n${task.underived}: no counts, no intervals, no tests`,
      drawn(printedTable(task), form),
      ...suspects,
    ].join("\n");
  return [
    ...(task.answers.length === 0 ? [] : answerLines(task, task.count, form, against)),
    ...(task.ratings.length === 0 ? [] : ratingLines(task, task.count, form)),
    ...suspects,
  ].join("\n");
}

/** The values as printed, where nothing can be derived from them. */
function printedTable({ printed }: PublishedTask): Table {
  const methods = printed[0]?.values.map(({ method }) => method) ?? [];
  return tableOf(
    ["method", ...printed.map(({ metric }) => metric)],
    methods.map((method, m) => [method, ...printed.map(({ values }) => bare(values[m]!.printed))]), // as many in each column
  );
}

function suspectLines({ printed }: PublishedTask): string[] {
  const found = (printed[0]?.values ?? []).filter(({ suspect }) => suspect !== undefined);
  return found.map(({ method, suspect }) => `! ${method}: ${suspect}`);
}

/** A method whose value is no target bears a mark. */
function labelled({ printed }: PublishedTask): (method: string) => string {
  const suspects = (printed[0]?.values ?? []).filter(({ suspect }) => suspect !== undefined);
  return (name) => (suspects.some(({ method }) => method === name) ? `${name} !` : name);
}

const bare = (printed: string): string => printed.replace(/^0\./, ".");

function answerLines(task: PublishedTask, count: number, form: PublishedForm, against: string | undefined): string[] {
  const { title, answers, pairs, significantAtBest } = task;
  const label = labelled(task);
  const outside = answers.some(({ outsideLabels }) => outsideLabels !== undefined);
  const fitting = answers.filter(({ hits }) => hits !== undefined).length;
  const methods = tableOf(
    ["method", "accuracy", `hits of ${count}`, "95 % (Wilson)", ...(outside ? ["no label"] : [])],
    answers.map((answer) => answerRow({ ...answer, method: label(answer.method) }, outside)),
  );
  const shown = pairs.filter(({ better, worse }) => against === undefined || [better, worse].includes(against));
  return [
    `${title} · ${derivation(task, fitting, count)}`,
    drawn(methods, form),
    ...(outside
      ? [
          "no label: wrong replies that cannot have been labels, at least: with labels alone F1 cannot be above accuracy",
        ]
      : []),
    ...(fitting < answers.length
      ? [`${dash}: no share of ${count} prints so: another test set, or another rounding`]
      : []),
    ...(shown.length === 0
      ? []
      : [
          "",
          drawn(pairTable(shown, label), form),
          tally(pairs, significantAtBest),
          ...neverLines(shown, answers[bestOf(answers)]?.method, task, count),
        ]),
  ];
}

function derivation({ answers, alsoFits, support, given }: PublishedTask, fitting: number, count: number): string {
  const shares = `${fitting === answers.length ? `all ${fitting}` : `${fitting} of ${answers.length}`} accuracies ${nounOf(fitting, "is a share", "are shares")} of ${count}`;
  if (given) return `N=${count} (given; ${shares})`;
  if (fitting === 0) return `not the N=${count} of personaagent/T2: no accuracy printed here is a share of ${count}`;
  if (answers.length === 1)
    return `N=${count} (derived from personaagent/T2; the accuracy printed here is a share of it too)`;
  return `N=${count} (${sizeText(alsoFits, support)}); ${shares}`;
}

/** `smallest that fits; up to 500 also 246, 369, 492; OPPU's file has 123`. */
const sizeText = (alsoFits: readonly number[], support: string | undefined): string =>
  [
    "smallest that fits",
    ...(alsoFits.length === 0 ? [] : [`up to 500 also ${alsoFits.join(", ")}`]),
    ...(support === undefined ? [] : [support]),
  ].join("; ");

const answerRow = (
  { method, printed, hits, interval, outsideLabels }: PublishedAnswers,
  outside: boolean,
): readonly string[] => [
  method,
  bare(printed),
  hits === undefined ? dash : String(hits),
  interval === undefined ? dash : `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
  ...(outside ? [outsideLabels === undefined ? dash : `>= ${outsideLabels}`] : []),
];

const pairTable = (pairs: readonly PublishedPair[], label: (method: string) => string): Table =>
  tableOf(
    ["pair", "hits", "disagree on", "smallest p", "largest p", "significant at .05"],
    pairs.map((pair) => [
      `${label(pair.better)} - ${label(pair.worse)}`,
      pair.gap === 0 ? "0" : `+${pair.gap}`,
      `${pair.discordant.least}..${pair.discordant.most}`,
      formatP(pair.smallestP),
      formatP(pair.largestP),
      verdict(pair),
    ]),
  );

function bestOf(answers: readonly PublishedAnswers[]): number {
  const most = Math.max(...answers.map(({ hits }) => hits ?? -1));
  return answers.findIndex(({ hits }) => hits === most);
}

/** Sentences that the best method's lead does not support, and what becomes of each at the next size that fits. */
function neverLines(
  pairs: readonly PublishedPair[],
  best: string | undefined,
  { answers, alsoFits }: PublishedTask,
  count: number,
): string[] {
  const never = pairs.filter(({ better, significant, gap }) => better === best && significant === "never" && gap > 0);
  const [next] = alsoFits;
  const hitsAt = (method: string, size: number) =>
    hitsPrintedAs(asShare(answers.find((answer) => answer.method === method)?.printed ?? ""), size)[0];
  return never.flatMap(({ better, worse, gap, smallestP }) => {
    const line = `at N=${count} no pairing of the answers makes the ${gap} ${nounOf(gap, "more hit", "more hits")} that ${better} has over ${worse} significant: p is ${formatP(smallestP)} at least`;
    if (next === undefined) return [line];
    const [one, other] = [hitsAt(better, next), hitsAt(worse, next)];
    if (one === undefined || other === undefined) return [line];
    const there = impliedPair(one, other, next);
    return [
      line,
      `at N=${next}, which fits too, they are ${there.gap}, and p goes down to ${formatP(there.smallestP)}`,
    ];
  });
}

function verdict({ significant, upTo, discordant }: PublishedPair): string {
  if (significant === "never") return "under no pairing";
  if (significant === "always") return "under every pairing";
  return `if they disagree on ${discordant.least === upTo ? upTo : `${discordant.least}..${upTo}`} ${nounOf(upTo ?? 0, "question")}`;
}

function tally(pairs: readonly PublishedPair[], atBest: number): string {
  const count = (kind: PublishedPair["significant"]) => pairs.filter(({ significant }) => significant === kind).length;
  return `of ${pairs.length} ${nounOf(pairs.length, "pair")}: significant under every pairing ${count("always")}, under some ${count("depends")}, under none ${count("never")}; after Holm over the ${pairs.length}, at most ${atBest}`;
}

function ratingLines(task: PublishedTask, count: number, form: PublishedForm): string[] {
  const { title, ratings } = task;
  const label = labelled(task);
  const fitting = ratings.filter(({ errors }) => errors?.rmseOff === 0).length;
  const near = ratings.some(({ errors }) => errors?.rmseOff === 1);
  const misfit = ratings.some(({ errors }) => errors === undefined);
  const rows = ratings.map(({ method, mae, rmse, errors }) => [
    label(method),
    bare(mae),
    errors === undefined ? dash : String(errors.sum),
    rmse === undefined ? dash : `${bare(rmse)}${errors?.rmseOff === 1 ? "*" : ""}`,
    errors?.squaredSum === undefined ? dash : String(errors.squaredSum),
    exactly(errors?.exact),
  ]);
  const titles = ["method", "MAE", "sum of errors", "RMSE", "sum of squares", `exactly right of ${count}`];
  return [
    ratings.every(({ errors }) => errors === undefined)
      ? `${title} · not the N=${count} of personaagent/T2: no ${count} ratings have the errors printed here`
      : `${title} · N=${count} (${task.given ? "given" : sizeText(task.alsoFits, task.support)}; ${fitting} of ${ratings.length} MAE and RMSE print as whole error sums of ${count} ratings)`,
    drawn(tableOf(titles, rows), form),
    ...(near
      ? [`* no sums of ${count} print so; these, of equal parity as they must be, miss it by one in the last digit`]
      : []),
    ...(misfit ? [`${dash}: no ${count} ratings have these errors: another test set`] : []),
    ...(ratings.every(({ errors }) => errors === undefined) ? [] : [EXACTLY]),
  ];
}

const EXACTLY =
  "exactly right: were all replies whole scores; which ratings were off is not derivable, so no paired test is";

function exactly(exact: { readonly least: number; readonly most: number } | undefined): string {
  if (exact === undefined) return dash;
  return exact.least === exact.most ? String(exact.least) : `${exact.least}..${exact.most}`;
}

const LEFT = new Set(["method", "pair", "significant at .05"]);

const tableOf = (titles: readonly string[], rows: Table["rows"]): Table => ({
  columns: titles.map((title) => ({ title, align: LEFT.has(title) ? "left" : "right" })),
  rows,
});
