import { join, resolve } from "node:path";
import { stringify } from "csv-stringify/sync";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { givenMetric } from "../metrics/index.js";
import { isScored, pairOf, strictText } from "../report/pairs.js";
import { nounOf } from "../text/count.js";
import type { Cell, Metric, Row, Task } from "../types/index.js";
import { catalogueOf, withMetrics } from "./catalogue.js";
import { openRunFolder, refuseAbsent, type StoredRun, tellDamage } from "./common/run-folder.js";
import type { Io } from "./io.js";

export const exportForms = ["official", "csv", "parquet"] as const;
type ExportForm = (typeof exportForms)[number];

export interface ExportSettings {
  /** Run folder, finished or not. */
  readonly run: string;
  readonly form: ExportForm;
  /** A file; of `official` a folder, with one file for each task, method and repeat. */
  readonly out: string;
  /** Only what is of this task or method. */
  readonly task?: string | undefined;
  readonly method?: string | undefined;
}

interface Exported {
  /** Absolute. */
  readonly files: readonly string[];
  readonly rows: number;
}

/**
 * Hands a run on to other programs. `official`: predictions in LaMP's submission form `{task, golds: [{id, output}]}`; an
 * unreadable reply stands as the empty text, as which the official script counts it too, and a failed question is left out and told.
 * `csv` and `parquet`: one row a question, with settings that differ between arms, spend, and the value of each metric that a
 * pair has by itself. Throws UsageError where there is no run, or none of what is asked for in it.
 */
export function exportRun(settings: ExportSettings, io: Pick<Io, "cwd" | "catalogue" | "tell">): Exported {
  const { run, form, out } = settings;
  const folder = openRunFolder(run, io.cwd);
  tellDamage(run, folder.path, folder.manifest, io);
  const cells = cellsOf(folder, settings);
  const wanted = new Map(cells.map((cell) => [cell.id, cell]));
  const rows = folder.rows.filter(({ cell }) => wanted.has(cell));
  if (rows.length === 0) throw new UsageError(`${run}: no question is answered yet, so there is nothing to export`);
  if (folder.manifest.finishedAt === undefined) io.tell(`${run} has not ended: what is answered so far is exported`);
  if (rows.some(({ simulated }) => simulated === true)) io.tell("SIMULATED: answers of the embedded model");
  const to = resolve(io.cwd, out);
  if (form === "official") return { files: official(cells, rows, to, io), rows: rows.length };
  const columns = flatColumns(cells, tasksOf(folder, cells, io));
  const values = columns.map((column) => rows.map((row) => column.of(row, wanted.get(row.cell)!)));
  const content = form === "csv" ? csv(columns, values, rows.length) : parquet(columns, values);
  writeWhole(to, content, { shared: true });
  return { files: [to], rows: rows.length };
}

function cellsOf({ manifest }: StoredRun, { run, task, method }: ExportSettings): readonly Cell[] {
  const { cells } = manifest.plan;
  const ofTask = cells.filter((cell) => task === undefined || cell.task === task);
  refuseAbsent(run, "--task", task, cells.map((cell) => cell.task)); // biome-ignore format: one call a flag
  refuseAbsent(run, "--method", method, ofTask.map((cell) => cell.method)); // biome-ignore format: one call a flag
  return ofTask.filter((cell) => method === undefined || cell.method === method);
}

/** Tasks with the metrics that the run adds, as far as they are known. */
function tasksOf({ manifest }: StoredRun, cells: readonly Cell[], io: Pick<Io, "catalogue">): (name: string) => Task {
  const catalogue = catalogueOf(io);
  const added = (manifest.metrics ?? []).flatMap((name) => catalogue.metrics.find(name) ?? []);
  const { tasks } = withMetrics(catalogue, [...added, ...(manifest.given ?? []).map(givenMetric)]);
  for (const { task } of cells) tasks.get(task, "the run's task (of a plug-in: --plugin FILE)");
  return (name) => tasks.get(name);
}

function official(
  cells: readonly Cell[],
  rows: readonly Row[],
  to: string,
  io: Pick<Io, "catalogue" | "tell">,
): string[] {
  const { tasks } = catalogueOf(io);
  const named = new Map<string, number>();
  return cells.flatMap((cell) => {
    const ofCell = rows.filter((row) => row.cell === cell.id);
    if (ofCell.length === 0) return [];
    const told = ofCell.filter((row) => row.outcome.kind !== "failed");
    const name = tasks.find(cell.task)?.official ?? cell.task;
    const stem = [cell.task, cell.method, ...(cell.repeat > 0 ? [`repeat-${cell.repeat + 1}`] : [])].join(".");
    const count = (named.get(stem) ?? 0) + 1;
    named.set(stem, count);
    const file = join(to, `${count === 1 ? stem : `${stem}.${cell.id}`}.json`.replaceAll(/[^\p{L}\p{N}._-]/gu, "_"));
    if (told.length < ofCell.length)
      io.tell(
        `${file}: ${ofCell.length - told.length} failed of ${ofCell.length} ${nounOf(ofCell.length, "question")} left out: the official script refuses such a file`,
      );
    const golds = told.map((row) => ({ id: row.question, output: strictText(row) }));
    writeWhole(file, `${JSON.stringify({ task: name, golds }, undefined, 1)}\n`, { shared: true });
    return [file];
  });
}

function csv(columns: readonly FlatColumn[], values: readonly (readonly FlatValue[])[], count: number): string {
  const lines = Array.from({ length: count }, (_, r) => values.map((column) => column[r] ?? ""));
  return stringify([columns.map(({ name }) => name), ...lines], {
    escape_formulas: true,
    cast: { boolean: (value) => (value ? "true" : "false") },
  });
}

const parquetTypes = { text: "STRING", integer: "INT32", number: "DOUBLE", "yes-no": "BOOLEAN" } as const;

function parquet(columns: readonly FlatColumn[], values: readonly (readonly FlatValue[])[]): Uint8Array {
  const columnData = columns.map(
    ({ name, kind }, c): ColumnSource => ({ name, data: [...(values[c] ?? [])], type: parquetTypes[kind] }),
  );
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: "lamp-eval" }));
}

/** A value of a flat row; null: there is none. */
type FlatValue = string | number | boolean | null;

/** A column of flat rows. */
interface FlatColumn {
  readonly name: string;
  readonly kind: "text" | "integer" | "number" | "yes-no";
  of(row: Row, cell: Cell): FlatValue;
}

/** One row a question: who was asked by what settings, what came back, what it cost, and the score of this pair alone. */
function flatColumns(cells: readonly Cell[], task: (name: string) => Task): FlatColumn[] {
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
function metricsOf(tasks: readonly Task[]): Metric[] {
  const byName = new Map(tasks.flatMap(({ metrics }) => metrics).map((metric) => [metric.name, metric]));
  return [...byName.values()].filter(({ labels }) => labels === undefined);
}

/** The task's own: metrics of one name differ between tasks in their labels. */
const metricOf = ({ metrics }: Task, name: string): Metric | undefined =>
  metrics.find((metric) => metric.name === name);

function scoreAlone(metric: Metric, row: Row): number | null {
  if (!isScored(row)) return null;
  const sums = new Float64Array(metric.width);
  metric.add(pairOf(row), sums);
  return metric.value(sums, 1);
}

/** What nobody counted is unknown, not nothing. */
const amountOf = ({ spend, spendUnknown }: Row, amount: "calls" | "in" | "out"): number | null =>
  spendUnknown === true ? null : Object.values(spend).reduce((sum, phase) => sum + phase[amount], 0);
