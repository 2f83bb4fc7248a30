import { statSync } from "node:fs";
import { resolve } from "node:path";
import { requestKey } from "../../models/wrap/cached.js";
import { furtherModels } from "../../registry/further-models.js";
import {
  absentControls,
  type CheckedArm,
  type CheckedEvidence,
  type Level,
  LIMITS,
  lowest,
  SENTENCES,
} from "../../report/evidence.js";
import { type Check, checkRows, type Placed } from "../../report/verify.js";
import { Damaged } from "../../run/cassette/packed-lines.js";
import { changedSetting, type Manifest } from "../../run/manifest.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { Row } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { questionsOf, taskFacts } from "../run/data/data-facts.js";
import { checkAgain, type MadeAgain, makeAgain } from "../verify/again.js";
import { checkData, materialOf, tasksAgain } from "../verify/verify.js";
import { armsIn, type EvidenceArm } from "./arms.js";
import { type EvidenceRun, type OpenedRun, openEvidence } from "./file.js";
import { numbersOf } from "./numbers.js";
import { isShortened } from "./portable.js";

export { isBelow, type Level, levels, renderEvidence } from "../../report/evidence.js";

/** Whether a name is a file, as evidence is: runs are folders. */
export const isEvidence = (name: string, { cwd }: Pick<Io, "cwd">): boolean =>
  statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;

export interface CheckSettings {
  /** The file. */
  readonly file: string;
  /** The data of its runs, or `task=dir,task=dir`; the built-in demo data are always at hand. */
  readonly data?: string | undefined;
}

/**
 * Checks a file of evidence: runs the methods again over its replies, reads and scores them again, and gives each arm a level.
 * Sends nothing, writes nothing, loads no code because a file names it. Throws UsageError where the file is none.
 */
export async function checkEvidence({ file, data }: CheckSettings, io: Io): Promise<CheckedEvidence> {
  try {
    const { id, runs } = openEvidence(file, io.cwd);
    const outside = { ...io, env: {} }; // no key and no address of the checker
    const all = runs.flatMap(({ manifest, claimed }) => armsIn(manifest, claimed.results));
    const arms: CheckedArm[] = [];
    for (const run of runs) arms.push(...(await checkRun(run, { data, all }, outside)));
    const level = lowest(arms);
    return { id, level, sentence: SENTENCES[level], arms, reasons: [], limits: LIMITS };
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    const { message } = error;
    return { level: "refused", sentence: SENTENCES.refused, arms: [], reasons: [message], limits: LIMITS };
  }
}

interface InFile {
  readonly data: string | undefined;
  /** The arms of all its runs, among which controls are looked for. */
  readonly all: readonly EvidenceArm[];
}

/** What is known of a run once its methods ran again. */
interface RunChecked extends Pick<InFile, "all"> {
  readonly run: OpenedRun;
  /** Its data where they are at hand and the right ones, by task. */
  readonly loaded: ReadonlyMap<string, LoadedTask>;
  readonly data: ReadonlyMap<string, Check>;
  readonly rows: readonly Placed<Row>[];
  readonly again: MadeAgain;
  readonly fresh: ReturnType<typeof numbersOf>;
  /** What is wrong with the run as a whole. */
  readonly problems: readonly string[];
}

async function checkRun(run: OpenedRun, { data: given, all }: InFile, io: Io): Promise<CheckedArm[]> {
  const { manifest, claimed } = run;
  const found = await tasksAgain(manifest, given, io);
  const data = new Map(manifest.plan.data.map((facts) => [facts.task, checkData(facts, found.get(facts.task))]));
  const loaded = new Map([...found].filter(([task]) => data.get(task)?.state === "ok"));
  const rows = withGolds(run, loaded);
  const again = await makeAgain({ ...run, rows }, loaded, io);
  const units = run.units.map(({ record }) => record);
  const fresh = numbersOf(
    withBaselines(manifest, loaded),
    { rows: rows.map(({ record }) => record), units },
    catalogueOf(io),
  );
  const problems = [...requestProblems(run), ...rowProblems(run)];
  const isWhole = manifest.plan.data.every(({ task }) => loaded.has(task));
  if (isWhole) problems.push(...claimProblems("the run", withoutArms(claimed.results), withoutArms(fresh.numbers)));
  if (isWhole && again.missing.size === 0 && !manifest.plan.cells.some(isShortened))
    problems.push(...unusedReplies(run, again));
  const known = { run, all, loaded, data, rows, again, fresh, problems };
  return armsIn(manifest, claimed.results).map((arm) => checkArm(arm, known, isWhole));
}

function checkArm(arm: EvidenceArm, known: RunChecked, isWhole: boolean): CheckedArm {
  const { run, all, loaded, data, rows, again, fresh, problems } = known;
  const { manifest } = run;
  const { cells, numbers } = arm;
  const ids = new Set(cells.map(({ id }) => id));
  const [cell] = cells;
  const [metric] = numbers?.metrics ?? [];
  const inFile = manifest.plan.data.find(({ task }) => task === cell.task)?.facts["users in the file"];
  const told = (level: Level, reasons: readonly string[]): CheckedArm => ({
    ...{ name: arm.name, model: cell.model, cells: [...ids], absentControls: absentControls(arm, all) },
    ...{ metric: metric?.name, score: metric?.strict ?? undefined, interval: metric?.interval },
    ...{ users: numbers?.users ?? 0, questions: numbers?.counts.questions ?? 0, failed: numbers?.counts.failed ?? 0 },
    ...(typeof inFile === "number" ? { usersInFile: inFile } : {}),
    ...{ usd: numbers?.usd, usdAtMost: numbers?.usdAtMost, simulated: manifest.simulated },
    ...{ level, reasons },
  });
  const ofData = problemsIn([data.get(cell.task) ?? []].flat());
  if (!loaded.has(cell.task) && problems.length + ofData.length === 0)
    return told("self-reported", [absentData(cell.task, run)]);
  if (!loaded.has(cell.task)) return told("refused", [...problems, ...ofData]);
  const own = rows.filter(({ record }) => ids.has(record.cell));
  const material = { ...materialOf({ manifest, rows: own, loaded, tasks: fresh.tasks }), cells };
  const ofRows = problemsIn(checkRows(material, manifest.simulated));
  const scores = [...problems, ...ofRows, ...numberProblems(arm, fresh.numbers, isWhole)];
  const made = checkAgain(isShortened(cell) ? [] : cells, run, again);
  const missing = isShortened(cell) ? [SHORTENED] : made.flatMap(({ absent, said }) => (absent === true ? said : []));
  const failed = [...scores, ...problemsIn(made)];
  const by = manifest.plan.version;
  const elsewhere = `made by version ${by}; as it was made: npx lamp-eval@${by} verify FILE`;
  if (failed.length > 0 && by !== version())
    return told(scores.length > 0 ? "self-reported" : "scores only", [elsewhere, ...failed]);
  if (failed.length > 0) return told("refused", failed);
  if (manifest.given !== undefined) return told("self-reported", ["the values of a metric came with the file"]);
  return missing.length > 0 ? told("scores only", missing) : told("complete", []);
}

const SHORTENED = "a setting held a path or an address, which is left out";

const problemsIn = (checks: readonly Check[]): string[] =>
  checks.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));

function absentData(task: string, { claimed, manifest }: OpenedRun): string {
  const files = manifest.plan.data.find((facts) => facts.task === task)?.files ?? [];
  const hashes = files.map(({ name, sha256 }) => `${name} (SHA-256 ${sha256})`).join(", ");
  return `the data of ${task} are not at hand (--data DIR): ${claimed.data[task] ?? "their own"}; ${hashes}`;
}

/** The rows with the golds of the data; those that a file brings are compared with them. */
function withGolds({ rows, manifest }: OpenedRun, loaded: ReadonlyMap<string, LoadedTask>): Placed<Row>[] {
  const golds = new Map([...loaded].map(([name, task]) => [name, questionsOf(task)]));
  const taskOf = new Map(manifest.plan.cells.map(({ id, task }) => [id, task]));
  return rows.map((placed) => {
    const { record, where } = placed;
    const gold = golds.get(taskOf.get(record.cell) ?? "")?.get(record.question)?.gold;
    return gold === undefined || record.gold !== undefined ? placed : { where, record: { ...record, gold } };
  });
}

/** The manifest with what a file leaves out of it: the answers of the baselines, which are labels of the data. */
const withBaselines = (manifest: Manifest, loaded: ReadonlyMap<string, LoadedTask>): Manifest => ({
  ...manifest,
  tasks: manifest.tasks.map((facts) => {
    const task = loaded.get(facts.task);
    const baselines = task === undefined ? undefined : taskFacts(task, { more: [], unfit: [] }).baselines;
    return baselines === undefined ? facts : { ...facts, baselines };
  }),
});

/** A request that a file brings is the one that its key stands for. */
function requestProblems({ manifest, replies }: OpenedRun): string[] {
  const { cells } = manifest.plan;
  const models = [...new Set(cells.flatMap((cell) => [cell.model, ...Object.values(furtherModels(cell))]))];
  return [...replies.keys()].flatMap((key) => {
    const request = replies.get(key)?.request;
    if (request === undefined || models.some((model) => requestKey(model, request) === key)) return [];
    return [`reply ${key.slice(0, 16)}: its request is not the one that it was given to`];
  });
}

function rowProblems({ manifest, rows, units }: OpenedRun): string[] {
  const known = new Set(manifest.plan.cells.map(({ id }) => id));
  return [...rows, ...units].flatMap(({ record, where }) =>
    known.has(record.cell) ? [] : [`${where}: no cell ${record.cell} in the plan`],
  );
}

const unusedReplies = ({ replies }: OpenedRun, { asked }: MadeAgain): string[] =>
  [...replies.keys()].flatMap((key) =>
    asked.get(key.slice(0, 16))?.key === key ? [] : [`reply ${key.slice(0, 16)}: no method asks for it`],
  );

/** The claimed numbers of an arm are those that its rows give. p after Holm is over all arms: of some of them it is not compared. */
function numberProblems({ name, numbers }: EvidenceArm, fresh: EvidenceRun["results"], isWhole: boolean): string[] {
  const made = fresh.results.find(({ cells }) => cells.join() === numbers?.cells.join());
  if (numbers === undefined || made === undefined) return [`numbers: none of ${name}`];
  return claimProblems(name, isWhole ? numbers : withoutHolm(numbers), isWhole ? made : withoutHolm(made));
}

const withoutArms = (results: EvidenceRun["results"]): object => ({ ...results, results: results.results.length });
const withoutHolm = (numbers: object): object => ({ ...numbers, gain: undefined });

function claimProblems(of: string, claimed: object, fresh: object): string[] {
  const changed = changedSetting(fresh, claimed);
  return changed === undefined
    ? []
    : [`numbers: ${changed.path} of ${of} is claimed as ${changed.is}, the rows give ${changed.was}`];
}
