import { armLabel } from "../arms.js";
import type { RankedArm, RunLine, TaskRanking } from "../runs/material.js";
import { questionsOf, spentOf, stateOf } from "../runs/text.js";
import { dash } from "../table.js";
import { sampleSize } from "../tables/arm-columns.js";
import { formatAmount, formatCost, formatScore } from "../tables/format.js";
import { renderDocument } from "./document.js";
import { type Cell, type Column, html, type Markup, scoreCell, sectionMarkup, sortableTable } from "./markup.js";

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
      body: rankingTable(ranking, pageOf),
    })),
    { id: "runs", title: "Runs", body: runsTable(lines, pageOf) },
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

function rankingTable(ranking: TaskRanking, pageOf: RunsMaterial["pageOf"]): Markup {
  const { title, dataset, arms, floor } = ranking;
  const metrics = metricsOf(arms);
  const columns: Column[] = [
    { title: "method", kind: "text" },
    ...metrics.map(({ name, better }) => ({ title: `${name} ${better === "higher" ? "↑" : "↓"}` })),
    { title: "run", kind: "text" },
    ...told.filter((fact) => !isShared(fact, arms)).map((fact) => fact.column),
    { title: "tok/q", help: "tokens a question, without the preparation of users" },
    { title: "cost" },
  ];
  const shared = told.filter((fact) => isShared(fact, arms)).map((fact) => `${fact.column.title} ${fact.of(arms[0]!)}`); // a ranking has arms
  const floorRow = floor === undefined ? [] : [majorityRow(floor, metrics, columns.length)];
  const rows = [...arms.map((arm) => armRow(arm, arms, metrics, pageOf(arm.run))), ...floorRow];
  return html`<p class="context">data ${dataset}; ${shared.map((text) => `${text}; `)}the same questions with the same visible past. Whether a difference is more than chance: <code>lamp-eval compare</code>.</p>
${sortableTable({ caption: `Ranking on ${title}`, columns, rows })}`;
}

interface ToldFact {
  readonly column: Column;
  readonly of: (arm: RankedArm) => string;
}

/** What is said once where all arms share it, and stands in a column elsewhere. */
const told: readonly ToldFact[] = [
  { column: { title: "model", kind: "text" }, of: ({ summary }) => summary.model },
  { column: { title: "n" }, of: ({ summary }) => sampleSize(summary) },
];

const isShared = ({ of }: ToldFact, arms: readonly RankedArm[]): boolean => new Set(arms.map(of)).size === 1;

const majorityRow = (
  { name: of, values }: NonNullable<TaskRanking["floor"]>,
  metrics: ReturnType<typeof metricsOf>,
  width: number,
): Cell[] => [
  { text: `(${of})`, reference: true },
  ...metrics.map(({ name }) => ({ text: formatScore(values[name]), value: values[name] })),
  ...Array<Cell>(width - metrics.length - 1).fill({ text: dash }),
];

const metricsOf = (arms: readonly RankedArm[]) => [
  ...new Map(arms.flatMap(({ summary }) => summary.metrics.map((metric) => [metric.name, metric] as const))).values(),
];

function armRow(
  arm: RankedArm,
  arms: readonly RankedArm[],
  metrics: ReturnType<typeof metricsOf>,
  href: string | undefined,
): Cell[] {
  const { run, summary } = arm;
  return [
    { text: armLabel(summary) },
    ...metrics.map(({ name }): Cell => {
      const metric = summary.metrics.find((one) => one.name === name);
      return scoreCell(metric?.strict, metric?.interval);
    }),
    { text: run, href },
    ...told.filter((fact) => !isShared(fact, arms)).map((fact) => ({ text: fact.of(arm) })),
    { text: formatAmount(summary.tokensPerQuery), value: summary.tokensPerQuery },
    { text: formatCost(summary), value: summary.usd },
  ];
}

function runsTable(lines: readonly RunLine[], pageOf: RunsMaterial["pageOf"]): Markup {
  const columns: Column[] = [
    { title: "run", kind: "text" },
    { title: "state", kind: "text" },
    { title: "arms" },
    { title: "questions" },
    { title: "spent" },
    { title: "best score", kind: "text" },
  ];
  const rows = lines.map((line): Cell[] => [
    { text: line.name ?? line.run, href: pageOf(line.run), ...(line.name === undefined ? {} : { under: line.run }) },
    { text: stateOf(line), ...(line.why === undefined ? {} : { under: line.why }) },
    { text: line.arms === 0 ? dash : String(line.arms), value: line.arms },
    { text: questionsOf(line), value: line.questions },
    { text: spentOf(line), value: line.usd },
    {
      text:
        line.scores
          .map((score) => `${score.task} ${score.metric} ${formatScore(score.score)} (${armLabel(score)})`)
          .join(", ") || dash,
    },
  ]);
  return sortableTable({ caption: "State and best scores of the runs", columns, rows });
}
