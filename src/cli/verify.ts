import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Command } from "commander";
import { reloadTask } from "../app/reload-task.js";
import { type LoadedResults, loadResults, renderFolder } from "../app/report/results.js";
import { planData, questionsOf } from "../app/run/data-facts.js";
import { checkFigures } from "../app/verify/figures.js";
import {
  checkCells,
  checkRecords,
  checkRequests,
  checkResponses,
  checkResults,
  readPlaced,
} from "../app/verify/files.js";
import { checkPages } from "../app/verify/page.js";
import { version } from "../app/version.js";
import { UsageError } from "../errors.js";
import { checkCompleteness, checkGolds, checkMarks, checkReadings, type RowMaterial } from "../report/verify/rows.js";
import { type Check, passedOr, renderChecks, unchecked } from "../report/verify/verify.js";
import type { Manifest } from "../run/manifest.js";
import type { LoadedTask } from "../run/plan.js";
import { runFiles } from "../run/run-rows.js";
import { tasks } from "../tasks/index.js";
import type { Row } from "../types.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval verify <run>`: makes every number again from the rows, and checks what the rows rest on. Writes nothing. */
export function verifyCommand(io: Terminal): Command {
  const command = new Command("verify")
    .argument("<run>", "run folder")
    .option("--data <dir>", "the data of the run, or task=dir,task=dir (the built-in demo data are always at hand)")
    .option("--json", "print JSON")
    .action(async (run: string, { data, json }: { data?: string; json?: boolean }) => {
      const checks = await verify(resolve(io.cwd, run), data, io);
      io.out(json === true ? JSON.stringify(checks, undefined, 2) : renderChecks(checks));
      if (checks.some(({ state }) => state === "FAILED")) setExitCode(command, exitCodes.failures);
    });
  return command;
}

// --- internal ---

async function verify(folder: string, data: string | undefined, io: Terminal): Promise<Check[]> {
  const results = loadResults(folder);
  const { manifest } = results;
  const { cells } = manifest.plan;
  const loaded = new Map<string, LoadedTask>();
  for (const name of new Set(cells.map(({ task }) => task))) {
    const task = await reloadTask(manifest, name, data, io);
    if (task !== undefined) loaded.set(name, task);
  }
  const { records, problems } = readPlaced<Row>(folder, runFiles.rows);
  const rows = records.map(({ record, place }) => ({ row: record, place }));
  const known = new Map([...loaded].map(([name, task]) => [name, questionsOf(task)]));
  const material: RowMaterial = {
    file: runFiles.rows,
    cells,
    task: (name) => tasks.get(name),
    rows,
    questions: (name) => known.get(name),
    planned: (name) => plannedOf(manifest, name),
    finished: manifest.finishedAt !== undefined,
  };
  return [
    checkCells(cells),
    ...manifest.plan.data.map((facts) => checkData(facts, loaded.get(facts.task))),
    checkRecords(folder, manifest),
    passedOr("rows", problems, `${rows.length} rows, every line readable`),
    checkCompleteness(material),
    checkGolds(material),
    checkReadings(material),
    checkMarks(rows, manifest.simulated),
    checkRequests(folder, manifest),
    checkResponses(folder, cells),
    ...(await withTables(async () => [
      checkResults(folder, manifest, renderFolder(withoutLaterFigures(folder, results)).files, version()),
      ...(await checkFigures(folder, results, version())),
      ...(await checkPages(folder, results, version())),
    ])),
  ];
}

/** Rows that contradict each other, as a gold that differs between arms, make no table: the reason is then the failure. */
async function withTables(checks: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await checks();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [passedOr("numbers", [`${runFiles.rows}: ${error.message}`], "")];
  }
}

/** Pictures drawn after results.md was written are in no table. */
function withoutLaterFigures(folder: string, results: LoadedResults): LoadedResults {
  const path = join(folder, runFiles.markdown);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  return { ...results, figures: results.figures.filter((figure) => text.includes(`(${figure})`)) };
}

type DataFacts = Manifest["plan"]["data"][number];

function plannedOf({ plan }: Manifest, task: string): number | undefined {
  const count = plan.data.find((facts) => facts.task === task)?.facts.questions;
  return typeof count === "number" ? count : undefined;
}

/** The files, what each question may see, and the wording of the task, against their hashes in the plan. */
function checkData(facts: DataFacts, loaded: LoadedTask | undefined): Check {
  const name = `data ${facts.task}`;
  if (loaded === undefined) return unchecked(name, `${facts.name}: give its folder with --data`);
  const fresh = planData(loaded);
  const hash = new Map(fresh.files.map((file) => [file.name, file.sha256]));
  const problems = facts.files.flatMap((file) => {
    const found = hash.get(file.name);
    if (found === file.sha256) return [];
    return [
      `${file.name}: ${found === undefined ? "not in the data" : `sha256 ${found.slice(0, 8)}`}, the manifest says ${file.sha256.slice(0, 8)}`,
    ];
  });
  if (fresh.units !== facts.units)
    problems.push(
      `manifest.json: visible histories and questions have id ${fresh.units.slice(0, 8)}, the manifest says ${facts.units.slice(0, 8)}`,
    );
  if (fresh.wording !== facts.wording)
    problems.push(
      `manifest.json: the wording of ${facts.task} has id ${fresh.wording.slice(0, 8)}, the manifest says ${facts.wording.slice(0, 8)}`,
    );
  return passedOr(
    name,
    problems,
    `${facts.files.length} files, visible histories, questions and wording of ${facts.name}`,
  );
}
