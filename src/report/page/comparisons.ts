import { isSignificant } from "../../statistics/holm.js";
import { countOf } from "../../text/count.js";
import type { Cell as PlanCell, Row, Task } from "../../types.js";
import { armLabel } from "../arms.js";
import { compareIfAny, correct, type MetricComparison, type TestedArms, TOO_NARROW } from "../compare/compare.js";
import { groupBy } from "../grouped.js";
import type { Summary } from "../summary.js";
import { dash } from "../table.js";
import { formatAmount, formatP, formatScore } from "../tables/format.js";
import { type Cell, type Column, html, type Markup, scoreCell, sortableTable } from "./markup.js";

export interface ArmComparison {
  readonly task: string;
  readonly dataset: string;
  readonly a: string;
  readonly b: string;
  readonly comparison: TestedArms;
}

/** Every arm against every other up to so many arms of a task; beyond, the first against each other. */
const MOST_IN_ALL_PAIRS = 5;

/** Paired tests between the arms of each task, by its headline metric, all under one Holm correction. */
export function compareAllArms(material: {
  readonly cells: readonly PlanCell[];
  readonly summaries: readonly Summary[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
}): ArmComparison[] {
  const { cells, summaries, task, rows } = material;
  const byCell = groupBy(rows, ({ cell }) => cell);
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const arms = summaries.map((summary) => ({
    cell: byId.get(summary.cells[0]!)!, // an arm has a cell, and the cells are all here
    summary,
    rows: summary.cells.flatMap((id) => byCell.get(id) ?? []),
  }));
  const pairs = arms.flatMap((a, i) =>
    arms.slice(i + 1).flatMap((b) => (isComparable(a.cell, b.cell) ? [{ a, b }] : [])),
  );
  const compared = pairs
    .filter(({ a, b }) => {
      const peers = arms.filter(({ cell }) => isComparable(cell, a.cell));
      return peers.length <= MOST_IN_ALL_PAIRS || peers[0] === a || peers[0] === b;
    })
    .flatMap(({ a, b }) => {
      const metrics = task(a.cell.task).metrics.slice(0, 1);
      const comparison = compareIfAny({ a: a.rows, b: b.rows, metrics, seed: a.cell.seed });
      return comparison === undefined ? [] : [{ a, b, comparison }];
    });
  const corrected = correct(compared.map(({ comparison }) => comparison));
  return compared.map(({ a, b }, c) => ({
    task: a.cell.task,
    dataset: a.cell.dataset,
    a: armLabel(a.summary),
    b: armLabel(b.summary),
    comparison: corrected[c]!, // one each
  }));
}

/** One sortable table a task. */
export function comparisonTables(compared: readonly ArmComparison[], title: (task: string) => string): Markup {
  const tasks = [...new Set(compared.map(({ task }) => task))];
  const family = compared.flatMap(({ comparison }) => comparison.metrics).filter(({ holm }) => holm !== undefined);
  return html`${tasks.map((task) => {
    const ofTask = compared.filter((one) => one.task === task);
    return html`<section class="task" aria-label="Comparisons on ${title(task)}"><h3>${title(task)}: ${
      ofTask[0]?.comparison.metrics[0]?.name
    }</h3>
${sortableTable({ caption: `Paired comparisons on ${title(task)}`, columns, rows: ofTask.map(rowOf) })}
</section>`;
  })}
<ul class="notes"><li>B − A on the questions that both answered; its 95 % interval over users, ${TOO_NARROW}; p over users: the larger of a swap test and Student’s (a dash below 10 users).</li>
<li>p questions: exact McNemar where answers are right or wrong (in brackets: only B right, only A right), Wilcoxon elsewhere; it takes questions as independent.</li>
<li>${family.length === 0 ? "p Holm: a dash, as no comparison here has 10 users" : `p Holm: p over users, corrected over the ${countOf(family.length, "comparison")} printed here`}. W/T/L: users for whom B is better, equal, worse.</li>
<li>More than ${MOST_IN_ALL_PAIRS} methods on a task: the first is compared with each other one. <code>lamp-eval compare</code> does any two, on every metric.</li></ul>`;
}

const isComparable = (a: PlanCell, b: PlanCell): boolean => a.task === b.task && a.dataset === b.dataset;

const columns: readonly Column[] = [
  { title: "A → B", kind: "text" },
  { title: "questions", help: "answered by both, with gold" },
  { title: "A" },
  { title: "B" },
  { title: "B − A", help: "under it the 95 % interval over users" },
  { title: "p users" },
  { title: "p questions" },
  { title: "p Holm" },
  { title: "W/T/L", help: "users for whom B is better, equal, worse" },
  { title: "effect", help: "Cohen's h (McNemar) or rank-biserial r (Wilcoxon)" },
  {
    title: "needs users",
    help: "users like these for 80 % power at alpha .05, were difference and spread the true ones",
  },
  { title: "finds", help: "the smallest difference that as many users as here find" },
];

function rowOf({ a, b, comparison }: ArmComparison): Cell[] {
  const metric = comparison.metrics[0]!; // compared by one metric
  const { overUsers, overQuestions, holm, perUser, power } = metric;
  return [
    { text: `${a} → ${b}` },
    { text: formatAmount(comparison.questions), value: comparison.questions },
    { text: formatScore(metric.a), value: metric.a },
    { text: formatScore(metric.b), value: metric.b },
    difference(metric),
    { text: formatP(overUsers?.p), value: overUsers?.p },
    {
      text: formatP(overQuestions?.p),
      value: overQuestions?.p,
      ...(overQuestions?.discordant === undefined
        ? {}
        : { under: `(${overQuestions.discordant.onlyB}:${overQuestions.discordant.onlyA})` }),
    },
    { text: formatP(holm), value: holm, best: isSignificant(holm) },
    { text: `${perUser.wins}/${perUser.ties}/${perUser.losses}`, value: perUser.wins - perUser.losses },
    {
      text:
        overQuestions === undefined
          ? dash
          : `${overQuestions.name === "mcnemar" ? "h" : "r"} ${formatScore(overQuestions.effect)}`,
      value: overQuestions?.effect,
    },
    { text: formatAmount(power?.needed), value: power?.needed },
    { text: formatScore(power?.detectable), value: power?.detectable },
  ];
}

const difference = ({ difference: value, overUsers }: MetricComparison): Cell =>
  scoreCell(value, overUsers?.interval, `${value > 0 ? "+" : ""}${formatScore(value)}`);
