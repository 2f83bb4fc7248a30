import { armLabel } from "../../results/arms.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import { type Column, type ColumnOf, dash, rowsOfItems, type Table } from "../table.js";
import { sampleSize } from "../tables/arm-columns.js";
import { formatAmount, formatCost, formatScore, formatUsd } from "../tables/format.js";
import { renderHtml } from "../tables/html.js";
import type { TaskFacts } from "../tables/results.js";
import { renderDocument } from "./document.js";
import { html, type Markup, sectionMarkup } from "./markup.js";

/** What one run of several came to. */
export interface RunLine {
  /** Its folder, as it is named. */
  readonly run: string;
  readonly state: "done" | "at work" | "not ended" | "not readable";
  readonly simulated?: boolean;
  readonly arms: number;
  /** Questions that have an answer or failed, and those that it was planned for, over all arms and repeats. */
  readonly questions?: number;
  readonly planned?: number;
  readonly failed?: number;
  /** US dollars; absent where no price is known. */
  readonly usd?: number;
  /** Arms whose price is not known. Absent: none. */
  readonly unpriced?: number;
  /** The best arm of each task by its headline metric. */
  readonly scores: readonly (Pick<Summary, "task" | "dataset" | "method" | "variant"> & {
    readonly metric: string;
    readonly score: number;
  })[];
  /** Why it cannot be read, or what of it is left out. */
  readonly why?: string;
}

export interface RankedArm {
  readonly run: string;
  readonly summary: Summary;
}

/** Arms of several runs that were asked the same questions. */
export interface TaskRanking {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  readonly simulated: boolean;
  /** The best answers without a model. */
  readonly floor?: TaskFacts["floor"];
  /** The best headline score first. */
  readonly arms: readonly RankedArm[];
}

/** A row a run: its state, what it has spent, and the best score of each task. */
export const runsTable = (lines: readonly RunLine[], link?: Column["link"]): Table => ({
  title: countOf(lines.length, "run"),
  ...rowsOfItems<RunLine>(
    [
      { title: "run", ...(link && { link }), cell: ({ run }) => run },
      { title: "state", cell: stateOf },
      { title: "arms", format: formatAmount, cell: ({ arms }) => (arms === 0 ? undefined : arms) },
      {
        title: "questions",
        align: "right",
        cell: ({ questions, planned = 0 }) =>
          questions === undefined || questions >= planned ? questions : `${questions}/${planned}`,
      },
      {
        title: "spent",
        align: "right",
        cell: ({ usd, unpriced }) => usd && `${formatUsd(usd)}${unpriced === undefined ? "" : " and more"}`,
      },
      {
        title: "best score",
        cell: ({ scores }) =>
          scores
            .map((best) => `${best.task} ${best.metric} ${formatScore(best.score)} (${armLabel(best)})`)
            .join(", ") || dash,
      },
    ],
    lines,
  ),
  notes: lines.flatMap(({ run, why }) => (why === undefined ? [] : [`${run}: ${why}`])),
});

/** `done, 2 failed`, `not ended`, with a mark where the numbers are of the embedded model. */
const stateOf = ({ state, failed = 0, simulated = false }: RunLine): string =>
  [state, ...(failed > 0 ? [`${failed} failed`] : []), ...(simulated ? ["SIMULATED"] : [])].join(", ");

interface RunsMaterial {
  readonly title: string;
  readonly lines: readonly RunLine[];
  readonly rankings: readonly TaskRanking[];
  readonly madeBy: string;
  /** Where the page of a run is, from this one; undefined: it has none. */
  readonly pageOf: (run: string) => string | undefined;
}

/** Several runs on one page: a ranking for each data set, then the list of runs, with links to their pages. */
export function renderRunsPage({ title, lines, rankings, madeBy, pageOf }: RunsMaterial): string {
  const sections = [
    ...rankings.map((ranking, at) => ({
      id: `ranking-${at}`,
      title: `${ranking.title}${sizeWhereShared(ranking, rankings)}${ranking.simulated ? " (SIMULATED)" : ""}`,
      body: rankingMarkup(ranking, pageOf),
    })),
    { id: "runs", title: "Runs", body: renderHtml(runsTable(lines, pageOf)) },
  ];
  return renderDocument({
    title,
    madeBy,
    header: html`<h1>${title}</h1>
<p><input type="search" id="search-rows" placeholder="search" aria-label="search methods, runs and models" autocomplete="off"></p>`,
    sections,
    main: html`${sections.map((section) => sectionMarkup(section, true))}`,
  });
}

/** What tells rankings of one task apart: other data, or other questions of it. */
function sizeWhereShared({ title, dataset, arms }: TaskRanking, all: readonly TaskRanking[]): string {
  const [arm] = arms;
  if (arm === undefined || all.filter((one) => one.title === title).length < 2) return "";
  return `, ${dataset}, n=${sampleSize(arm.summary)}`;
}

/** The arms, and below them the best answers without a model. What all arms share is said once. */
function rankingMarkup({ title, dataset, arms, floor }: TaskRanking, link: RunsMaterial["pageOf"]): Markup {
  const summaries = arms.map(({ summary }) => summary);
  const metrics = new Map(summaries.flatMap((summary) => summary.metrics.map((metric) => [metric.name, metric])));
  const of = (cell: (summary: Summary) => string | number | undefined) => (arm: RankedArm | undefined) =>
    arm && cell(arm.summary);
  const facts: readonly ColumnOf<RankedArm | undefined>[] = [
    { title: "model", cell: of(({ model }) => model) },
    { title: "n", align: "right", cell: of(sampleSize) },
  ];
  const isShared = ({ cell }: (typeof facts)[number]): boolean => new Set(arms.map(cell)).size === 1;
  const columns: readonly ColumnOf<RankedArm | undefined>[] = [
    { title: "method", cell: (arm) => (arm === undefined ? `(${floor?.name})` : armLabel(arm.summary)) },
    ...[...metrics.values()].map(
      ({ name, better }): ColumnOf<RankedArm | undefined> => ({
        title: `${name} ${better === "higher" ? "↑" : "↓"}`,
        format: formatScore,
        interval: true,
        cell(arm) {
          if (arm === undefined) return floor?.values[name];
          const { strict: value, interval } = arm.summary.metrics.find((one) => one.name === name) ?? {};
          return { value, interval };
        },
      }),
    ),
    { title: "run", link, cell: (arm) => arm?.run },
    ...facts.filter((fact) => !isShared(fact)),
    {
      title: "tok/q",
      help: "tokens a question, without the preparation of users",
      format: formatAmount,
      cell: of(({ tokensPerQuery }) => tokensPerQuery),
    },
    { title: "cost", align: "right", cell: of(formatCost) },
  ];
  const shared = facts.filter(isShared).map((fact) => `${fact.title} ${fact.cell(arms[0])}; `);
  const rows = rowsOfItems(columns, [...arms, ...(floor === undefined ? [] : [undefined])]);
  const table = { title: `Ranking on ${title}`, ...rows, pinned: floor === undefined ? 0 : 1 };
  return html`<p class="context">data ${dataset}; ${shared}the same questions with the same visible past. Whether a difference is more than chance: <code>lamp-eval compare</code>.</p>
${renderHtml(table)}`;
}
