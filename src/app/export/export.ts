import { join, resolve } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { strictText } from "../../results/pairs.js";
import { catalogueOf, withMetrics } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { openRunFolder, refuseAbsent, type StoredRun } from "../../run/stored-run.js";
import { nounOf } from "../../text/count.js";
import type { Cell, Row } from "../../types/index.js";
import type { KnownTasks } from "../report/results.js";
import { everyEvalEver, type Publication } from "./every-eval-ever.js";
import { csv, flatColumns } from "./flat-rows.js";

export const exportForms = ["official", "csv", "every-eval-ever"] as const;
type ExportForm = (typeof exportForms)[number];

export interface ExportSettings extends Publication {
  readonly form: ExportForm;
  /** A file; of `official` and `every-eval-ever` a folder, with files for each task, method and repeat. */
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
 * `csv`: one row a question, with settings that differ between arms, spend, and the value of each metric that a
 * pair has by itself. `every-eval-ever`: `everyEvalEver`. Throws UsageError where there is no run, or none of what is asked for in it.
 */
export function exportRun(settings: ExportSettings, io: Io): Exported {
  const { run, form, out } = settings;
  const folder = openRunFolder(run, io.cwd);
  const cells = cellsOf(folder, settings);
  const wanted = new Map(cells.map((cell) => [cell.id, cell]));
  const rows = folder.rows.filter(({ cell }) => wanted.has(cell));
  if (rows.length === 0) throw new UsageError(`${run}: no question is answered yet, so there is nothing to export`);
  const to = resolve(io.cwd, out);
  const tasks = tasksOf(folder, cells, io);
  if (form === "every-eval-ever")
    return { files: everyEvalEver(folder, { cells, tasks, to, publication: settings }, io), rows: rows.length };
  if (folder.manifest.finishedAt === undefined) io.tell(`${run} has not ended: what is answered so far is exported`);
  if (rows.some(({ simulated }) => simulated === true)) io.tell("SIMULATED: answers of the embedded model");
  if (form === "official") return { files: official(cells, rows, to, tasks, io), rows: rows.length };
  const columns = flatColumns(cells, (name) => tasks.get(name));
  const values = columns.map((column) => rows.map((row) => column.of(row, wanted.get(row.cell)!)));
  writeWhole(to, csv(columns, values, rows.length), { shared: true });
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
function tasksOf({ manifest }: StoredRun, cells: readonly Cell[], io: Pick<Io, "catalogue">): KnownTasks {
  const catalogue = catalogueOf(io);
  const added = manifest.settings.metrics.flatMap((name) => catalogue.metrics.find(name) ?? []);
  const { tasks } = withMetrics(catalogue, added);
  for (const { task } of cells) tasks.get(task, "the run's task (of a plug-in: --plugin FILE)");
  return tasks;
}

function official(
  cells: readonly Cell[],
  rows: readonly Row[],
  to: string,
  tasks: KnownTasks,
  io: Pick<Io, "tell">,
): string[] {
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
