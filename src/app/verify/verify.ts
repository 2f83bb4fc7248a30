import { resolve } from "node:path";
import { UsageError } from "../../errors.js";
import {
  absent,
  type Check,
  checkRows,
  type Placed,
  passedOr,
  type RowMaterial,
  unchecked,
} from "../../report/verify.js";
import { isManifestWhole, type Manifest } from "../../run/manifest.js";
import { inPart } from "../../run/plan/part.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { runFiles } from "../../run/rows.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Row } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { tasksAgain } from "../common/run-data.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { type LoadedResults, loadResults, renderFolder } from "../report/results.js";
import { planData, questionsOf } from "../run/data/data-facts.js";
import { checkAgain, makeAgain } from "./again.js";
import { checkRecords, checkResults, readPlaced } from "./files.js";
import { checkJudgements } from "./judgements.js";
import { recordsOf } from "./records.js";

export { allPassed, type Check, renderChecks } from "../../report/verify.js";

export interface VerifySettings {
  readonly run: string;
  /** The data of the run, or `task=dir,task=dir`; the built-in demo data are always at hand. */
  readonly data?: string;
}

/**
 * Makes every number of a run again from its rows, the rows again from the stored replies and searches, and checks what these
 * rest on. Pages and pictures are not read: `report` makes them again. Writes nothing, sends nothing.
 */
export async function verify({ run, data }: VerifySettings, io: Io): Promise<readonly Check[]> {
  const folder = resolve(io.cwd, run);
  const results = loadResults(folder, catalogueOf(io), { edited: true });
  const { manifest, tasks, whole, leftOut } = results;
  const loaded = await tasksAgain(manifest, data, io);
  const { records: rows, problems } = readPlaced<Row>(folder, runFiles.rows);
  const records = recordsOf(folder, whole, rows, io.clock);
  const ofPart = new Map([...loaded].map(([name, task]) => [name, inPart(task, manifest.part)]));
  const again = await makeAgain(records, ofPart, io);
  const foreign = new Set(whole.plan.cells.filter((cell) => !manifest.plan.cells.includes(cell)).map(({ id }) => id));
  const known = rows.filter(({ record }) => !foreign.has(record.cell));
  const material = materialOf({ manifest, tasks }, known, ofPart);
  return [
    passedOr(
      "manifest",
      isManifestWhole(folder) ? [] : [`${runFiles.manifest}: damaged or edited, its own check does not hold`],
      "as it was written",
    ),
    ...manifest.plan.data.map((facts) => checkData(facts, loaded.get(facts.task))),
    checkRecords(folder, whole),
    passedOr("rows", problems, `${rows.length} ${nounOf(rows.length, "row")}, every line readable`),
    ...checkRows(material, manifest.simulated),
    ...(whole.plan.imported === undefined
      ? checkAgain(whole.plan.cells, records, again)
      : [unchecked("recomputed", "the rows are imported predictions, no reply is stored")]),
    ...(await checkJudgements({ run, folder, manifest: whole, rows: rows.map(({ record }) => record), data }, io)),
    ...leftOut.map((line) => absent("plug-ins", line)),
    ...(leftOut.length > 0 ? [] : [checkTables(folder, results)]),
  ];
}

/** What rows are checked against. */
export function materialOf(
  { manifest, tasks }: Pick<LoadedResults, "manifest" | "tasks">,
  rows: readonly Placed<Row>[],
  loaded: ReadonlyMap<string, LoadedTask>,
): RowMaterial {
  const known = new Map([...loaded].map(([name, task]) => [name, questionsOf(task)]));
  return {
    file: runFiles.rows,
    cells: manifest.plan.cells,
    task: (name) => tasks.get(name),
    rows,
    questions: (name) => known.get(name),
    planned: (name) => plannedOf(manifest, name),
    finished: manifest.finishedAt !== undefined,
  };
}

/** The numbers. Rows that contradict each other, as a gold that differs between arms, make no table: the reason is then the failure. */
function checkTables(folder: string, results: LoadedResults): Check {
  try {
    const { files } = renderFolder(results);
    return checkResults(folder, results.manifest, files, version());
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return passedOr("numbers", [`${runFiles.rows}: ${error.message}`], "");
  }
}

function plannedOf({ plan, part }: Manifest, task: string): number | undefined {
  if (part !== undefined) return part.questions[task] ?? 0;
  const count = plan.data.find((facts) => facts.task === task)?.facts.questions;
  return typeof count === "number" ? count : undefined;
}

/** The files, what each question may see, the counts and the wording of the task, against the plan. */
export function checkData(facts: DataFacts, loaded: LoadedTask | undefined): Check {
  const name = `data ${facts.task}`;
  if (loaded === undefined) return absent(name, `${facts.name}: give its folder with --data`);
  const [claimed, found] = [idsOf(facts), idsOf(planData(loaded))];
  const problems = Object.keys({ ...claimed, ...found }).flatMap((what) =>
    claimed[what] === found[what]
      ? []
      : [
          `${what}: ${found[what] ?? "not in the data"}, the manifest says ${claimed[what]?.replace("sha256 ", "") ?? "nothing"}`,
        ],
  );
  return passedOr(
    name,
    problems,
    `${countOf(facts.files.length, "file")}, visible histories, questions and wording of ${facts.name}`,
  );
}

/** What a plan says of a task's data, by what it is of. */
const idsOf = ({ files, facts, units, wording }: DataFacts): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(files.map((file) => [file.name, `sha256 ${file.sha256.slice(0, 8)}`])),
  ...Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, String(fact)])),
  "visible histories and questions": `sha256 ${units.slice(0, 8)}`,
  wording: `sha256 ${wording.slice(0, 8)}`,
});

type DataFacts = Manifest["plan"]["data"][number];
