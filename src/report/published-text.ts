import { formatP } from "./format-p.js";
import type { PaperTable } from "./paper-tables.js";
import type { PublishedPair, PublishedTask } from "./published.js";
import { dash, formatScore, renderText, type Table } from "./table.js";

/** Text for a terminal: what the published values of a table imply. */
export function renderPublished(table: PaperTable, derived: readonly PublishedTask[]): string {
  return [
    `${table.name} · ${table.title} · published values only, nothing was run\n${table.source}`,
    ...derived.map((task) => renderTask(task)),
    LEGEND.join("\n"),
  ].join("\n\n");
}

// --- internal ---

const LEGEND = [
  "N and everything behind it is derived from the printed digits: N is the size of which they are whole counts.",
  "p: exact McNemar test, two-sided, smallest and largest over all ways in which the two counts can share questions;",
  "not corrected for the number of pairs, and questions taken as independent (several questions of one user usually weaken it).",
];

function renderTask(task: PublishedTask): string {
  if (task.count === undefined)
    return `${task.title}\nN cannot be derived from the printed values: no counts, no intervals, no tests`;
  return [
    ...(task.answers.length === 0 ? [] : answerLines(task, task.count)),
    ...(task.ratings.length === 0 ? [] : ratingLines(task, task.count)),
  ].join("\n");
}

function answerLines({ title, answers, pairs, significantAtBest }: PublishedTask, count: number): string[] {
  const outside = answers.some(({ outsideLabels }) => outsideLabels !== undefined);
  const methods = tableOf(
    ["method", "accuracy", `hits of ${count}`, "95 % (Wilson)", ...(outside ? ["no label"] : [])],
    answers.map(({ method, printed, hits, interval, outsideLabels }) => [
      method,
      printed.replace(/^0/, ""),
      String(hits),
      `[${formatScore(interval.low)}, ${formatScore(interval.high)}]`,
      ...(outside ? [outsideLabels === undefined ? dash : `>= ${outsideLabels}`] : []),
    ]),
  );
  return [
    `${title} · N=${count} (derived: all ${answers.length} accuracies are shares of ${count})`,
    renderText(methods),
    ...(outside
      ? [
          "no label: wrong replies that cannot have been labels, at least: with labels alone F1 cannot be above accuracy",
        ]
      : []),
    "",
    renderText(
      tableOf(
        ["pair", "hits", "disagree on", "smallest p", "largest p", "significant at .05"],
        pairs.map((pair) => [
          `${pair.better} - ${pair.worse}`,
          pair.gap === 0 ? "0" : `+${pair.gap}`,
          `${pair.discordant.least}..${pair.discordant.most}`,
          formatP(pair.smallestP),
          formatP(pair.largestP),
          verdict(pair),
        ]),
      ),
    ),
    tally(pairs, significantAtBest),
  ];
}

function verdict({ significant, upTo, discordant }: PublishedPair): string {
  if (significant === "never") return "under no pairing";
  if (significant === "always") return "under every pairing";
  return `if they disagree on ${discordant.least === upTo ? upTo : `${discordant.least}..${upTo}`} questions`;
}

function tally(pairs: readonly PublishedPair[], atBest: number): string {
  const count = (kind: PublishedPair["significant"]) => pairs.filter(({ significant }) => significant === kind).length;
  return `of ${pairs.length} pairs: significant under every pairing ${count("always")}, under some ${count("depends")}, under none ${count("never")}; after Holm over the ${pairs.length}, at most ${atBest}`;
}

function ratingLines({ title, ratings }: PublishedTask, count: number): string[] {
  const fitting = ratings.filter(({ rmseOff }) => rmseOff === 0).length;
  return [
    `${title} · N=${count} (derived: ${fitting} of ${ratings.length} MAE and RMSE print as whole error sums of ${count} ratings)`,
    renderText(
      tableOf(
        ["method", "MAE", "sum of errors", "RMSE", "sum of squares", `exactly right of ${count}`],
        ratings.map(({ method, mae, sum, rmse, squaredSum, exact, rmseOff }) => [
          method,
          mae.replace(/^0/, ""),
          String(sum),
          `${rmse.replace(/^0/, "")}${rmseOff === 0 ? "" : "*"}`,
          String(squaredSum),
          exact.least === exact.most ? String(exact.least) : `${exact.least}..${exact.most}`,
        ]),
      ),
    ),
    ...(fitting < ratings.length
      ? [`* no sums of ${count} print so; these, of equal parity as they must be, miss it by one in the last digit`]
      : []),
    "exactly right: were all replies whole scores; which ratings were off is not derivable, so no paired test is",
  ];
}

const LEFT = new Set(["method", "pair", "significant at .05"]);

const tableOf = (titles: readonly string[], rows: Table["rows"]): Table => ({
  columns: titles.map((title) => ({ title, align: LEFT.has(title) ? "left" : "right" })),
  rows,
});
