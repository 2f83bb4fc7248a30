import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { stringify } from "csv-stringify/sync";
import { writeText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { isScored, pairOf, strictText } from "../results/pairs.js";
import { catalogueOf, withMetrics } from "../run/catalogue.js";
import { openRunFolder, refuseAbsent } from "../run/stored-run.js";
import { countOf, nounOf } from "../text/count.js";
import type { Cell, Metric, Row, Task } from "../types/index.js";
import { exportPack } from "./export-pack.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly form: "official" | "csv" | "every-eval-ever" | "pack";
  /** A file; of `official` and `every-eval-ever` a folder, with files for each task, method and repeat. */
  readonly out: string;
  readonly task?: string;
  readonly method?: string;
  readonly organization?: string;
  readonly withoutRequests?: boolean;
}

/** `lamp-eval export RUN`: a run's answers for other programs, or a file that others check. Sends nothing. */
export function exportCommand(io: Terminal): Command {
  const forms =
    "official: LaMP's submission files; csv: a row a question; every-eval-ever: EvalEval's shared schema; pack: the whole run in one file, for run --replay, --reuse and verify";
  return new Command("export")
    .argument("<run>", "run folder")
    .addOption(
      new Option("--form <form>", forms).choices(["official", "csv", "every-eval-ever", "pack"]).makeOptionMandatory(),
    )
    .requiredOption("--out <path>", "the file; with --form official and every-eval-ever the folder")
    .option("--task <name>", "only this task of the run")
    .option("--method <name>", "only this method of the run")
    .option("--organization <name>", "every-eval-ever: who publishes the results (required)")
    .option("--without-requests", "pack: leave out requests, rows and golds, where the licence of the data asks for it")
    .action(async (run: string, flags: Flags) => {
      const { form, withoutRequests = false } = flags;
      if (withoutRequests && form !== "pack") throw new UsageError("--without-requests: works with --form pack");
      const tell = (files: readonly string[]): void => {
        for (const file of files) io.out(relative(io.cwd, file) || file);
      };
      if (form === "pack") {
        const { file, remarks } = exportPack({ run, out: flags.out, withoutRequests }, io);
        tell([file]);
        for (const line of remarks) io.err(line);
      } else if (form === "every-eval-ever") {
        const { everyEvalEver } = await import("./export-every-eval-ever.js");
        const files = everyEvalEver({ run, ...flags }, io);
        tell(files);
        io.err(`${countOf(files.length, "arm")} exported`);
      } else {
        const { files, rows } = exportAnswers(run, flags, io);
        tell(files);
        io.err(`${countOf(rows, "row")} exported`);
      }
    });
}

/**
 * Writes predictions in LaMP's submission form `{task, golds: [{id, output}]}`, or as CSV one row a question. Throws UsageError where
 * there is no run, or none of what is asked for in it.
 */
function exportAnswers(run: string, { form, out, task, method }: Flags, io: Terminal) {
  const { manifest, rows: all } = openRunFolder(run, io.cwd);
  const catalogue = catalogueOf(io);
  const added = manifest.settings.metrics.flatMap((name) => catalogue.metrics.find(name) ?? []);
  const { tasks } = withMetrics(catalogue, added);
  const taskOf = (cell: Cell): Task => tasks.get(cell.task, "the run's task (of a plug-in: --plugin FILE)");
  const { cells: planned } = manifest.plan;
  const ofTask = planned.filter((cell) => (task ?? cell.task) === cell.task);
  refuseAbsent(run, "--task", task, planned.map((cell) => cell.task)); // biome-ignore format: one call a flag
  refuseAbsent(run, "--method", method, ofTask.map((cell) => cell.method)); // biome-ignore format: one call a flag
  const cells = ofTask.filter((cell) => (method ?? cell.method) === cell.method);
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  const rows = all.filter(({ cell }) => byId.has(cell));
  if (rows.length === 0) throw new UsageError(`${run}: no question is answered yet, so there is nothing to export`);
  if (manifest.finishedAt === undefined) io.tell(`${run} has not ended: what is answered so far is exported`);
  if (rows.some(({ simulated }) => simulated === true)) io.tell("SIMULATED: answers of the embedded model");
  const to = resolve(io.cwd, out);
  const files = form === "csv" ? [to] : official(cells, rows, { to, taskOf }, io);
  if (form === "csv") writeText(to, csv(cells, rows, { byId, taskOf }));
  return { files, rows: rows.length };
}

/**
 * Writes a file for each arm and repeat. An unreadable reply stands as the empty text, as which the official script counts it too; a
 * failed question is left out and told.
 */
function official(
  cells: readonly Cell[],
  rows: readonly Row[],
  { to, taskOf }: { readonly to: string; taskOf(cell: Cell): Task },
  io: Terminal,
): string[] {
  const named = new Set<string>();
  return cells.flatMap((cell) => {
    const ofCell = rows.filter((row) => row.cell === cell.id);
    if (ofCell.length === 0) return [];
    const answered = ofCell.filter((row) => row.outcome.kind !== "failed");
    const parts = [cell.task, cell.method, ...(cell.repeat > 0 ? [`repeat-${cell.repeat + 1}`] : [])];
    const stem = parts.join(".");
    const name = `${named.has(stem) ? `${stem}.${cell.id}` : stem}.json`; // arms that differ in their options
    named.add(stem);
    const file = join(to, name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_"));
    if (answered.length < ofCell.length)
      io.tell(
        `${file}: ${ofCell.length - answered.length} failed of ${ofCell.length} ${nounOf(ofCell.length, "question")} left out: the official script refuses such a file`,
      );
    const golds = answered.map((row) => ({ id: row.question, output: strictText(row) }));
    writeText(file, `${JSON.stringify({ task: taskOf(cell).official, golds }, undefined, 1)}\n`);
    return [file];
  });
}

type Value = string | number | boolean | null;

/**
 * One row a question: who was asked by what settings (those that differ between arms), what came back, what it cost, and each metric
 * that a pair has by itself. A text that a spreadsheet would take for a formula is escaped.
 */
function csv(
  cells: readonly Cell[],
  rows: readonly Row[],
  { byId, taskOf }: { readonly byId: ReadonlyMap<string, Cell>; taskOf(cell: Cell): Task },
): string {
  const options = [...new Set(cells.flatMap((cell) => Object.keys(cell.options)))].sort();
  const varied = options.filter((name) => new Set(cells.map((cell) => cell.options[name])).size > 1);
  const metrics = cells.flatMap((cell) => taskOf(cell).metrics).filter(({ labels }) => labels === undefined);
  const alone = [...new Set(metrics.map(({ name }) => name))];
  const lines = rows.map((row): Record<string, Value> => {
    const cell = byId.get(row.cell)!; // rows are of these cells
    const { outcome, spend, spendUnknown } = row;
    const amount = (of: "calls" | "in" | "out"): number | null =>
      spendUnknown === true ? null : Object.values(spend).reduce((sum, phase) => sum + phase[of], 0); // uncounted is unknown, not 0
    const ofTask = taskOf(cell).metrics;
    return {
      ...{ task: cell.task, dataset: cell.dataset, method: cell.method, model: cell.model },
      ...{ seed: cell.seed, repeat: cell.repeat },
      ...Object.fromEntries(varied.map((name) => [name, cell.options[name] ?? null])),
      ...{ cell: row.cell, user: row.user, unit: row.unit, question: row.question, content: row.content ?? null },
      ...{ position: row.position ?? null },
      ...{ outcome: outcome.kind, gold: row.gold ?? null, reply: "reply" in outcome ? outcome.reply : null },
      lenient: "lenient" in outcome ? (outcome.lenient ?? null) : null,
      error: "error" in outcome ? outcome.error : null,
      ...Object.fromEntries(
        alone.map((name) => [`${name}.alone`, scoreAlone(ofTask.find((one) => one.name === name), row)] as const), // biome-ignore format: one column
      ),
      ...{ calls: amount("calls"), "tokens.in": amount("in"), "tokens.out": amount("out") },
      simulated: row.simulated === true,
    };
  });
  return stringify(lines, { header: true, escape_formulas: true, cast: { boolean: String } });
}

/** The metric of this pair alone; null where its task has none or it is not scored. */
function scoreAlone(metric: Metric | undefined, row: Row): number | null {
  if (metric === undefined || !isScored(row)) return null;
  const sums = new Float64Array(metric.width);
  metric.add(pairOf(row), sums);
  return metric.value(sums, 1);
}
