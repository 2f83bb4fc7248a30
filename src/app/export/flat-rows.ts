import { stringify } from "csv-stringify/sync";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { isScored, pairOf } from "../../report/pairs.js";
import type { Cell, Metric, Row, Task } from "../../types/index.js";

/** Rows as CSV; a text that a spreadsheet would take for a formula is escaped. */
export function csv(columns: readonly FlatColumn[], values: readonly (readonly FlatValue[])[], count: number): string {
  const lines = Array.from({ length: count }, (_, r) => values.map((column) => column[r] ?? ""));
  return stringify([columns.map(({ name }) => name), ...lines], {
    escape_formulas: true,
    cast: { boolean: (value) => (value ? "true" : "false") },
  });
}

const parquetTypes = { text: "STRING", integer: "INT32", number: "DOUBLE", "yes-no": "BOOLEAN" } as const;

export function parquet(columns: readonly FlatColumn[], values: readonly (readonly FlatValue[])[]): Uint8Array {
  const columnData = columns.map(
    ({ name, kind }, c): ColumnSource => ({ name, data: [...(values[c] ?? [])], type: parquetTypes[kind] }),
  );
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: "lamp-eval" }));
}

/** A value of a flat row; null: there is none. */
type FlatValue = string | number | boolean | null;

interface FlatColumn {
  readonly name: string;
  readonly kind: "text" | "integer" | "number" | "yes-no";
  of(row: Row, cell: Cell): FlatValue;
}

/** One row a question: who was asked by what settings, what came back, what it cost, and the score of this pair alone. */
export function flatColumns(cells: readonly Cell[], task: (name: string) => Task): FlatColumn[] {
  const options = [...new Set(cells.flatMap((cell) => Object.keys(cell.options)))].sort();
  const varied = options.filter((name) => new Set(cells.map((cell) => cell.options[name])).size > 1);
  const metrics = metricsOf(cells.map((cell) => task(cell.task)));
  return [
    text("task", (_, cell) => cell.task),
    text("dataset", (_, cell) => cell.dataset),
    text("method", (_, cell) => cell.method),
    text("model", (_, cell) => cell.model),
    integer("seed", (_, cell) => cell.seed),
    integer("repeat", (_, cell) => cell.repeat),
    ...varied.map((name) => text(name, (_, cell) => maybe(cell.options[name], String))),
    text("cell", (row) => row.cell),
    text("user", (row) => row.user),
    text("unit", (row) => row.unit),
    text("question", (row) => row.question),
    integer("position", (row) => row.position ?? null),
    text("outcome", ({ outcome }) => outcome.kind),
    text("gold", (row) => row.gold ?? null),
    text("reply", ({ outcome }) => ("reply" in outcome ? outcome.reply : null)),
    text("lenient", ({ outcome }) => ("lenient" in outcome ? (outcome.lenient ?? null) : null)),
    text("error", ({ outcome }) => ("error" in outcome ? outcome.error : null)),
    ...metrics.map(
      (metric): FlatColumn =>
        number(`${metric.name}.alone`, (row, cell) =>
          maybe(metricOf(task(cell.task), metric.name), (counted) => scoreAlone(counted, row)),
        ),
    ),
    ...(["calls", "in", "out"] as const).map((amount) =>
      integer(amount === "calls" ? amount : `tokens.${amount}`, (row) => amountOf(row, amount)),
    ),
    yesNo("simulated", (row) => row.simulated === true),
  ];
}

const column =
  (kind: FlatColumn["kind"]) =>
  (name: string, of: FlatColumn["of"]): FlatColumn => ({ name, kind, of });
const text = column("text");
const integer = column("integer");
const number = column("number");
const yesNo = column("yes-no");

const maybe = <T, U>(value: T | undefined, make: (value: T) => U): U | null =>
  value === undefined ? null : make(value);

/** Those of the tasks that a pair has by itself, each once: a macro mean over labels has no value of one pair. */
export function metricsOf(tasks: readonly Task[]): Metric[] {
  const byName = new Map(tasks.flatMap(({ metrics }) => metrics).map((metric) => [metric.name, metric]));
  return [...byName.values()].filter(({ labels }) => labels === undefined);
}

/** The task's own: metrics of one name differ between tasks in their labels. */
const metricOf = ({ metrics }: Task, name: string): Metric | undefined =>
  metrics.find((metric) => metric.name === name);

/** The metric of this pair alone; null where it is not scored. */
export function scoreAlone(metric: Metric, row: Row): number | null {
  if (!isScored(row)) return null;
  const sums = new Float64Array(metric.width);
  metric.add(pairOf(row), sums);
  return metric.value(sums, 1);
}

/** What nobody counted is unknown, not nothing. */
const amountOf = ({ spend, spendUnknown }: Row, amount: "calls" | "in" | "out"): number | null =>
  spendUnknown === true ? null : Object.values(spend).reduce((sum, phase) => sum + phase[amount], 0);
