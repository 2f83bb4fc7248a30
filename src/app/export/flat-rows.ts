import { stringify } from "csv-stringify/sync";
import { isScored, pairOf } from "../../results/pairs.js";
import type { Cell, Metric, Row, Task } from "../../types/index.js";

/** Rows as CSV; a text that a spreadsheet would take for a formula is escaped. */
export function csv(columns: readonly FlatColumn[], values: readonly (readonly FlatValue[])[], count: number): string {
  const lines = Array.from({ length: count }, (_, r) => values.map((column) => column[r] ?? ""));
  return stringify([columns.map(({ name }) => name), ...lines], {
    escape_formulas: true,
    cast: { boolean: (value) => (value ? "true" : "false") },
  });
}

/** A value of a flat row; null: there is none. */
type FlatValue = string | number | boolean | null;

interface FlatColumn {
  readonly name: string;
  of(row: Row, cell: Cell): FlatValue;
}

/** One row a question: who was asked by what settings, what came back, what it cost, and the score of this pair alone. */
export function flatColumns(cells: readonly Cell[], task: (name: string) => Task): FlatColumn[] {
  const options = [...new Set(cells.flatMap((cell) => Object.keys(cell.options)))].sort();
  const varied = options.filter((name) => new Set(cells.map((cell) => cell.options[name])).size > 1);
  const metrics = metricsOf(cells.map((cell) => task(cell.task)));
  return [
    column("task", (_, cell) => cell.task),
    column("dataset", (_, cell) => cell.dataset),
    column("method", (_, cell) => cell.method),
    column("model", (_, cell) => cell.model),
    column("seed", (_, cell) => cell.seed),
    column("repeat", (_, cell) => cell.repeat),
    ...varied.map((name) => column(name, (_, cell) => maybe(cell.options[name], String))),
    column("cell", (row) => row.cell),
    column("user", (row) => row.user),
    column("unit", (row) => row.unit),
    column("question", (row) => row.question),
    column("content", (row) => row.content ?? null),
    column("position", (row) => row.position ?? null),
    column("outcome", ({ outcome }) => outcome.kind),
    column("gold", (row) => row.gold ?? null),
    column("reply", ({ outcome }) => ("reply" in outcome ? outcome.reply : null)),
    column("lenient", ({ outcome }) => ("lenient" in outcome ? (outcome.lenient ?? null) : null)),
    column("error", ({ outcome }) => ("error" in outcome ? outcome.error : null)),
    ...metrics.map(
      (metric): FlatColumn =>
        column(`${metric.name}.alone`, (row, cell) =>
          maybe(metricOf(task(cell.task), metric.name), (counted) => scoreAlone(counted, row)),
        ),
    ),
    ...(["calls", "in", "out"] as const).map((amount) =>
      column(amount === "calls" ? amount : `tokens.${amount}`, (row) => amountOf(row, amount)),
    ),
    column("simulated", (row) => row.simulated === true),
  ];
}

const column = (name: string, of: FlatColumn["of"]): FlatColumn => ({ name, of });

const maybe = <T, U>(value: T | undefined, make: (value: T) => U): U | null =>
  value === undefined ? null : make(value);

/** Those of the tasks that a pair has by itself, each once: a macro mean over labels has no value of one pair. */
function metricsOf(tasks: readonly Task[]): Metric[] {
  const byName = new Map(tasks.flatMap(({ metrics }) => metrics).map((metric) => [metric.name, metric]));
  return [...byName.values()].filter(({ labels }) => labels === undefined);
}

/** The task's own: metrics of one name differ between tasks in their labels. */
const metricOf = ({ metrics }: Task, name: string): Metric | undefined =>
  metrics.find((metric) => metric.name === name);

/** The metric of this pair alone; null where it is not scored. */
function scoreAlone(metric: Metric, row: Row): number | null {
  if (!isScored(row)) return null;
  const sums = new Float64Array(metric.width);
  metric.add(pairOf(row), sums);
  return metric.value(sums, 1);
}

/** What nobody counted is unknown, not nothing. */
const amountOf = ({ spend, spendUnknown }: Row, amount: "calls" | "in" | "out"): number | null =>
  spendUnknown === true ? null : Object.values(spend).reduce((sum, phase) => sum + phase[amount], 0);
