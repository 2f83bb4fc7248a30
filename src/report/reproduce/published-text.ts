import { nounOf } from "../../text/count.js";
import type { PaperTable } from "../papers/paper.js";
import { dash, type Table } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { asShare, hitsPrintedAs, impliedPair } from "./implied.js";
import type { PublishedPair, PublishedTask } from "./published.js";
import { bare, gridOf, NO_NUMBERS } from "./text.js";

/** Prints what the published values of a table imply. `against`: only pairs with this row. */
export function renderPublished(
  table: PaperTable,
  derived: readonly PublishedTask[],
  { form = "text", against }: { readonly form?: "text" | "markdown"; readonly against?: string | undefined } = {},
): string {
  const { name, title, source, caveats, claims, labelled, rows } = table;
  const counted = derived.filter(({ count }) => count !== undefined);
  const numbers =
    labelled && rows.length > 0
      ? [gridOf(table, (row, column) => rows[row]!.values[column]!)] // places of the table
      : derived.flatMap((task) => tablesOf(task, against));
  const legend = [
    ...(counted.some(({ given }) => !given) ? DERIVED : []),
    ...(counted.some(({ given }) => given) ? GIVEN : []),
    ...(derived.some(({ pairs }) => pairs.length > 0) ? TESTED : []),
  ];
  const said = claims.map((claim) => `- ${claim.text} (${claim.source})`);
  const asked = said.length === 0 ? [] : ["what the paper says of it, checked on your run with --run DIR:", ...said];
  const heading = `${name} · ${title} · published values only, nothing was run`;
  const isText = form === "text";
  return [
    isText ? `${heading}\n${source}` : `### ${heading}\n\n${source}`,
    numbers.length === 0 ? [NO_NUMBERS, ...asked].join("\n") : (isText ? renderText : renderMarkdown)(...numbers),
    ...(legend.length === 0 ? [] : [legend.join(isText ? "\n" : "  \n")]),
    ...(caveats.length === 0 ? [] : [caveats.map((note) => `- ${note}`).join("\n")]),
  ].join("\n\n");
}

const DERIVED = [
  "N and everything behind it is derived from the printed digits: N is the smallest size of which they are whole counts;",
  "larger sizes fit too (its multiples do, and any from 1,000 on), and there the same shares can be significant: --n tries one.",
];
const GIVEN = [
  "N is the size that the paper states, or that --n gave; everything behind it is derived from it and the printed digits.",
];
const TESTED = [
  "p: exact McNemar test, two-sided, smallest and largest over all ways in which the two counts can share questions;",
  "not corrected for the number of pairs, and questions taken as independent (several questions of one user usually weaken it).",
];

function tablesOf(task: PublishedTask, against: string | undefined): Table[] {
  const { count, title, printed, underived } = task;
  const values = printed[0]?.values ?? [];
  const suspects = values.filter(({ suspect }) => suspect !== undefined);
  // A row whose value is no target bears a mark.
  const label = (name: string): string => (suspects.some(({ method }) => method === name) ? `${name} !` : name);
  const rows = values.map(({ method }, at) => [method, ...printed.map((one) => bare(one.values[at]!.printed))]); // as many in each column
  const bared = {
    ...tableOf(["method", ...printed.map(({ metric }) => metric)], rows),
    title: `${title}\n${underived}: no counts, no intervals, no tests`,
  };
  const made: readonly Table[] =
    count === undefined
      ? [bared]
      : [
          ...(task.answers.length === 0 ? [] : [answersTable(task, count, label)]),
          ...pairsTable(task, count, { label, against }),
          ...(task.ratings.length === 0 ? [] : [ratingsTable(task, count, label)]),
        ];
  const marked = suspects.map(({ method, suspect }) => `! ${method}: ${suspect}`);
  return made.map((one, at) => (at < made.length - 1 ? one : { ...one, notes: [...(one.notes ?? []), ...marked] }));
}

type Label = (method: string) => string;

function answersTable(task: PublishedTask, count: number, label: Label): Table {
  const { title, answers } = task;
  const isOutside = answers.some(({ outsideLabels }) => outsideLabels !== undefined);
  const fitting = answers.filter(({ hits }) => hits !== undefined).length;
  return {
    ...tableOf(
      ["method", "accuracy", `hits of ${count}`, "95 % (exact)", ...(isOutside ? ["no label"] : [])],
      answers.map(({ method, printed, hits, interval, outsideLabels }) => [
        ...[label(method), bare(printed), hits === undefined ? dash : String(hits)],
        interval === undefined ? dash : `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
        ...(isOutside ? [outsideLabels === undefined ? dash : `>= ${outsideLabels}`] : []),
      ]),
    ),
    title: `${title} · ${derivation(task, fitting, count)}`,
    notes: [
      ...(isOutside
        ? [
            "no label: wrong replies that cannot have been labels, at least: with labels alone F1 cannot be above accuracy",
          ]
        : []),
      ...(fitting < answers.length
        ? [`${dash}: no share of ${count} prints so: another test set, or another rounding`]
        : []),
    ],
  };
}

function pairsTable(
  task: PublishedTask,
  count: number,
  { label, against }: { readonly label: Label; readonly against: string | undefined },
): Table[] {
  const { pairs, significantAtBest } = task;
  const shown = pairs.filter(({ better, worse }) => against === undefined || [better, worse].includes(against));
  const of = (kind: PublishedPair["significant"]) => pairs.filter(({ significant }) => significant === kind).length;
  const tally = `of ${pairs.length} ${nounOf(pairs.length, "pair")}: significant under every pairing ${of("always")}, under some ${of("depends")}, under none ${of("never")}; after Holm over the ${pairs.length}, at most ${significantAtBest}`;
  const rows = shown.map(({ better, worse, gap, discordant, smallestP, largestP, significant, upTo }) => [
    ...[`${label(better)} - ${label(worse)}`, gap === 0 ? "0" : `+${gap}`, `${discordant.least}..${discordant.most}`],
    ...[formatP(smallestP), formatP(largestP)],
    significant === "depends"
      ? `if they disagree on ${discordant.least === upTo ? upTo : `${discordant.least}..${upTo}`} ${nounOf(upTo ?? 0, "question")}`
      : `under ${significant === "never" ? "no" : "every"} pairing`,
  ]);
  const titles = ["pair", "hits", "disagree on", "smallest p", "largest p", "significant at .05"];
  return shown.length === 0 ? [] : [{ ...tableOf(titles, rows), notes: [tally, ...neverLines(shown, task, count)] }];
}

function derivation({ answers, given, from, ...task }: PublishedTask, fitting: number, count: number): string {
  const all = fitting === answers.length ? `all ${fitting}` : `${fitting} of ${answers.length}`;
  const shares = `${all} accuracies ${nounOf(fitting, "is a share", "are shares")} of ${count}`;
  if (given) return `N=${count} (given; ${shares})`;
  if (fitting === 0) return `not the N=${count}${ofTable(from)}: no accuracy printed here is a share of ${count}`;
  if (answers.length > 1 || from === undefined) return `N=${count} (${sizeText(task)}); ${shares}`;
  return `N=${count} (derived from ${from}; the accuracy printed here is a share of it too)`;
}

const ofTable = (from: string | undefined): string => (from === undefined ? "" : ` of ${from}`);

/** `smallest that fits; up to 500 also 246, 369, 492; OPPU's file has 123`. */
const sizeText = ({ alsoFits, support }: Pick<PublishedTask, "alsoFits" | "support">): string =>
  [
    "smallest that fits",
    ...(alsoFits.length === 0 ? [] : [`up to 500 also ${alsoFits.join(", ")}`]),
    ...(support === undefined ? [] : [support]),
  ].join("; ");

/** Leads of the best row that no pairing supports, and what becomes of each at the next size that fits. */
function neverLines(
  pairs: readonly PublishedPair[],
  { answers, alsoFits: [next] }: PublishedTask,
  count: number,
): string[] {
  const most = Math.max(...answers.map(({ hits }) => hits ?? -1));
  const best = answers.find(({ hits }) => hits === most)?.method;
  const hitsAt = (method: string, size: number) =>
    hitsPrintedAs(asShare(answers.find((answer) => answer.method === method)?.printed ?? ""), size)[0];
  const never = pairs.filter(({ better, significant, gap }) => better === best && significant === "never" && gap > 0);
  return never.flatMap(({ better, worse, gap, smallestP }) => {
    const line = `at N=${count} no pairing of the answers makes the ${gap} ${nounOf(gap, "more hit", "more hits")} that ${better} has over ${worse} significant: p is ${formatP(smallestP)} at least`;
    const [one, other] = next === undefined ? [] : [hitsAt(better, next), hitsAt(worse, next)];
    if (next === undefined || one === undefined || other === undefined) return [line];
    const there = impliedPair(one, other, next);
    return [
      line,
      `at N=${next}, which fits too, they are ${there.gap}, and p goes down to ${formatP(there.smallestP)}`,
    ];
  });
}

function ratingsTable(task: PublishedTask, count: number, label: Label): Table {
  const { title, ratings, given, from } = task;
  const of = (off: 0 | 1 | undefined) => ratings.filter(({ errors }) => errors?.rmseOff === off).length;
  const isOther = of(undefined) === ratings.length;
  const rows = ratings.map(({ method, mae, rmse, errors }) => {
    const { least, most } = errors?.exact ?? {};
    return [
      ...[label(method), bare(mae), errors === undefined ? dash : String(errors.sum)],
      rmse === undefined ? dash : `${bare(rmse)}${errors?.rmseOff === 1 ? "*" : ""}`,
      errors?.squaredSum === undefined ? dash : String(errors.squaredSum),
      least === undefined ? dash : least === most ? String(least) : `${least}..${most}`,
    ];
  });
  return {
    ...tableOf(["method", "MAE", "sum of errors", "RMSE", "sum of squares", `exactly right of ${count}`], rows),
    title: isOther
      ? `${title} · not the N=${count}${ofTable(from)}: no ${count} ratings have the errors printed here`
      : `${title} · N=${count} (${given ? "given" : sizeText(task)}; ${of(0)} of ${ratings.length} MAE and RMSE print as whole error sums of ${count} ratings)`,
    notes: [
      ...(of(1) === 0
        ? []
        : [`* no sums of ${count} print so; these, of equal parity as they must be, miss it by one in the last digit`]),
      ...(of(undefined) === 0 ? [] : [`${dash}: no ${count} ratings have these errors: another test set`]),
      ...(isOther
        ? []
        : [
            "exactly right: were all replies whole scores; which ratings were off is not derivable, so no paired test is",
          ]),
    ],
  };
}

const LEFT = new Set(["method", "pair", "significant at .05"]);

const tableOf = (titles: readonly string[], rows: Table["rows"]): Table => ({
  columns: titles.map((title) => ({ title, align: LEFT.has(title) ? "left" : "right" })),
  rows,
});
