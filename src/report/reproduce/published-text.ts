import { nounOf } from "../../text/count.js";
import type { PaperTable } from "../papers/paper.js";
import { dash, type Table } from "../table.js";
import { formatP, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { asShare } from "./differs.js";
import { hitsPrintedAs } from "./implied-counts.js";
import { impliedPair } from "./implied-pair.js";
import type { PublishedPair, PublishedTask } from "./published.js";
import { gridOf, NO_NUMBERS, printedAt } from "./table.js";

interface PublishedForm {
  readonly form?: "text" | "markdown";
  /** Only pairs with this method. */
  readonly against?: string | undefined;
}

/** What the published values of a table imply. */
export function renderPublished(
  table: PaperTable,
  derived: readonly PublishedTask[],
  { form = "text", against }: PublishedForm = {},
): string {
  const { name, title, source, caveats, claims } = table;
  const claimed = claims.map(({ text, source: place }) => `- ${text} (${place})`);
  const numbers =
    table.labelled === true && table.rows.length > 0
      ? [gridOf(table, (row, column) => printedAt(table, row, column))]
      : derived.flatMap((task) => tablesOf(task, against));
  const counted = derived.filter(({ count }) => count !== undefined);
  const legend = [
    ...(counted.some(({ given }) => !given) ? DERIVED : []),
    ...(counted.some(({ given }) => given) ? GIVEN : []),
    ...(derived.some(({ pairs }) => pairs.length > 0) ? TESTED : []),
  ];
  const heading = `${name} · ${title} · published values only, nothing was run`;
  const isText = form === "text";
  return [
    isText ? `${heading}\n${source}` : `### ${heading}\n\n${source}`,
    ...(numbers.length === 0
      ? [
          [
            NO_NUMBERS,
            ...(claimed.length === 0
              ? []
              : ["what the paper says of it, checked on your run with --run DIR:", ...claimed]),
          ].join("\n"),
        ]
      : [(isText ? renderText : renderMarkdown)(...numbers)]),
    ...(legend.length === 0 ? [] : [legend.join(isText ? "\n" : "  \n")]),
    ...(caveats.length === 0 ? [] : [caveats.map((note) => `- ${note}`).join("\n")]),
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

function tablesOf(task: PublishedTask, against: string | undefined): Table[] {
  const { count, title, printed, underived } = task;
  const suspects = (printed[0]?.values ?? []).filter(({ suspect }) => suspect !== undefined);
  // A method whose value is no target bears a mark.
  const label = (name: string): string => (suspects.some(({ method }) => method === name) ? `${name} !` : name);
  const made =
    count === undefined
      ? [
          {
            ...tableOf(
              ["method", ...printed.map(({ metric }) => metric)],
              (printed[0]?.values ?? []).map(({ method }, m) => [
                method,
                ...printed.map(({ values }) => bare(values[m]!.printed)), // as many in each column
              ]),
            ),
            title: `${title}\n${underived}: no counts, no intervals, no tests`,
          },
        ]
      : [
          ...(task.answers.length === 0 ? [] : answerTables(task, count, label, against)),
          ...(task.ratings.length === 0 ? [] : [ratingTable(task, count, label)]),
        ];
  const marked = suspects.map(({ method, suspect }) => `! ${method}: ${suspect}`);
  return made.map((one, at) => (at < made.length - 1 ? one : { ...one, notes: [...(one.notes ?? []), ...marked] }));
}

const bare = (printed: string): string => printed.replace(/^0\./, ".");

function answerTables(
  task: PublishedTask,
  count: number,
  label: (method: string) => string,
  against: string | undefined,
): Table[] {
  const { title, answers, pairs, significantAtBest } = task;
  const outside = answers.some(({ outsideLabels }) => outsideLabels !== undefined);
  const fitting = answers.filter(({ hits }) => hits !== undefined).length;
  const shown = pairs.filter(({ better, worse }) => against === undefined || [better, worse].includes(against));
  const methods = tableOf(
    ["method", "accuracy", `hits of ${count}`, "95 % (exact)", ...(outside ? ["no label"] : [])],
    answers.map(({ method, printed, hits, interval, outsideLabels }) => [
      label(method),
      bare(printed),
      hits === undefined ? dash : String(hits),
      interval === undefined ? dash : `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
      ...(outside ? [outsideLabels === undefined ? dash : `>= ${outsideLabels}`] : []),
    ]),
  );
  const paired = tableOf(
    ["pair", "hits", "disagree on", "smallest p", "largest p", "significant at .05"],
    shown.map((pair) => [
      `${label(pair.better)} - ${label(pair.worse)}`,
      pair.gap === 0 ? "0" : `+${pair.gap}`,
      `${pair.discordant.least}..${pair.discordant.most}`,
      formatP(pair.smallestP),
      formatP(pair.largestP),
      verdict(pair),
    ]),
  );
  return [
    {
      ...methods,
      title: `${title} · ${derivation(task, fitting, count)}`,
      notes: [...(outside ? [NO_LABEL] : []), ...(fitting < answers.length ? [NO_SHARE(count)] : [])],
    },
    ...(shown.length === 0
      ? []
      : [{ ...paired, notes: [tally(pairs, significantAtBest), ...neverLines(shown, task, count)] }]),
  ];
}

const NO_LABEL =
  "no label: wrong replies that cannot have been labels, at least: with labels alone F1 cannot be above accuracy";
const NO_SHARE = (count: number): string =>
  `${dash}: no share of ${count} prints so: another test set, or another rounding`;

function derivation({ answers, given, ...task }: PublishedTask, fitting: number, count: number): string {
  const shares = `${fitting === answers.length ? `all ${fitting}` : `${fitting} of ${answers.length}`} accuracies ${nounOf(fitting, "is a share", "are shares")} of ${count}`;
  if (given) return `N=${count} (given; ${shares})`;
  if (fitting === 0) return `not the N=${count} of personaagent/T2: no accuracy printed here is a share of ${count}`;
  if (answers.length === 1)
    return `N=${count} (derived from personaagent/T2; the accuracy printed here is a share of it too)`;
  return `N=${count} (${sizeText(task)}); ${shares}`;
}

/** `smallest that fits; up to 500 also 246, 369, 492; OPPU's file has 123`. */
const sizeText = ({ alsoFits, support }: Pick<PublishedTask, "alsoFits" | "support">): string =>
  [
    "smallest that fits",
    ...(alsoFits.length === 0 ? [] : [`up to 500 also ${alsoFits.join(", ")}`]),
    ...(support === undefined ? [] : [support]),
  ].join("; ");

/** Sentences that the best method's lead does not support, and what becomes of each at the next size that fits. */
function neverLines(
  pairs: readonly PublishedPair[],
  { answers, alsoFits: [next] }: PublishedTask,
  count: number,
): string[] {
  const most = Math.max(...answers.map(({ hits }) => hits ?? -1));
  const best = answers.find(({ hits }) => hits === most)?.method;
  const never = pairs.filter(({ better, significant, gap }) => better === best && significant === "never" && gap > 0);
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

function ratingTable(task: PublishedTask, count: number, label: (method: string) => string): Table {
  const { title, ratings, given } = task;
  const [fitting, near] = [0, 1].map((off) => ratings.filter(({ errors }) => errors?.rmseOff === off).length);
  const misfits = ratings.filter(({ errors }) => errors === undefined).length;
  const rows = ratings.map(({ method, mae, rmse, errors }) => [
    label(method),
    bare(mae),
    errors === undefined ? dash : String(errors.sum),
    rmse === undefined ? dash : `${bare(rmse)}${errors?.rmseOff === 1 ? "*" : ""}`,
    errors?.squaredSum === undefined ? dash : String(errors.squaredSum),
    exactly(errors?.exact),
  ]);
  const isOther = misfits === ratings.length;
  return {
    ...tableOf(["method", "MAE", "sum of errors", "RMSE", "sum of squares", `exactly right of ${count}`], rows),
    title: isOther
      ? `${title} · not the N=${count} of personaagent/T2: no ${count} ratings have the errors printed here`
      : `${title} · N=${count} (${given ? "given" : sizeText(task)}; ${fitting} of ${ratings.length} MAE and RMSE print as whole error sums of ${count} ratings)`,
    notes: [
      ...(near === 0
        ? []
        : [`* no sums of ${count} print so; these, of equal parity as they must be, miss it by one in the last digit`]),
      ...(misfits === 0 ? [] : [`${dash}: no ${count} ratings have these errors: another test set`]),
      ...(isOther ? [] : [EXACTLY]),
    ],
  };
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
