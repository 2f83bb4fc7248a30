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
import { sameFiles } from "../../report/same-files.js";
import { type Check, checkRows, type Placed } from "../../report/verify.js";
import { Damaged } from "../../run/cassette/packed-lines.js";
import { changedSetting, type Manifest } from "../../run/manifest.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { Row } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { knownPart } from "../common/known-part.js";
import { tasksAgain } from "../common/run-data.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { questionsOf, taskFacts } from "../run/data/data-facts.js";
import { checkAgain, type MadeAgain, makeAgain } from "../verify/again.js";
import { checkData, materialOf } from "../verify/verify.js";
import { armsIn, type EvidenceArm } from "./arms.js";
import { type EvidenceRun, type OpenedRun, openEvidence } from "./file.js";
import { numbersOf } from "./numbers.js";
import { isShortened } from "./portable.js";

export { isBelow, type Level, levels, renderEvidence } from "../../report/evidence.js";

/** Whether a name is a file, as evidence is: runs are folders. */
export const isEvidence = (name: string, { cwd }: Pick<Io, "cwd">): boolean =>
  statSync(resolve(cwd, name), { throwIfNoEntry: false })?.isFile() === true;

export interface CheckSettings {
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
    const { id, head, runs } = openEvidence(file, io.cwd);
    const outside = { ...io, env: {} }; // no key and no address of the checker
    const all = runs.flatMap(({ manifest, claimed }) => armsIn(manifest, claimed.results));
    const arms: CheckedArm[] = [];
    for (const run of runs) arms.push(...(await checkRun(run, { data, all }, outside)));
    const level = lowest(arms);
    const reasons = head.licence === undefined ? [] : [`the file holds data under ${head.licence}`];
    return { id, level, sentence: SENTENCES[level], arms, reasons, limits: LIMITS };
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

async function checkRun(run: OpenedRun, { data: given, all }: InFile, io: Io): Promise<CheckedArm[]> {
  const { manifest, claimed } = run;
  const arms = armsIn(manifest, claimed.results);
  const alike = (level: Level, reasons: readonly string[]): CheckedArm[] =>
    arms.map((arm) => checkedArm(arm, run, { level, reasons, absentControls: absentControls(arm, all) }));
  const loaded = await tasksAgain(manifest, given, io);
  const { leftOut } = knownPart(manifest, catalogueOf(io), "the run");
  const absent = manifest.plan.data.filter(({ task }) => !loaded.has(task)).map((facts) => absentData(facts, run));
  const flaws = [...requestProblems(run), ...rowProblems(run)];
  if (flaws.length > 0) return alike("refused", flaws);
  if (leftOut.length + absent.length > 0) return alike("self-reported", [...leftOut, ...absent]);
  const ofData = manifest.plan.data.map((facts) => ({ facts, task: loaded.get(facts.task)! })); // none is absent
  const data = problemsIn(ofData.map(({ facts, task }) => checkData(facts, task)));
  if (ofData.some(({ facts, task }) => !sameFiles(facts.files, task.dataset.files))) return alike("refused", data);
  const rows = withGolds(run, loaded);
  const records = { rows: rows.map(({ record }) => record), units: run.units.map(({ record }) => record) };
  const again = await makeAgain({ ...run, rows }, loaded, io);
  const fresh = numbersOf(withBaselines(manifest, loaded), records, catalogueOf(io));
  const isShort = manifest.plan.cells.some(isShortened);
  const unused = again.missing.size > 0 || isShort ? [] : unusedReplies(run, again);
  const ofRun = claimProblems("the run", withoutArms(claimed.results), withoutArms(fresh.numbers));
  return arms.map((arm) => {
    const isOwn = ({ cell }: { readonly cell: string }): boolean => arm.cells.some(({ id }) => id === cell);
    const own = rows.filter(({ record }) => isOwn(record));
    const material = { ...materialOf({ manifest, tasks: fresh.tasks }, own, loaded), cells: arm.cells };
    const made = checkAgain(isShortened(arm.cells[0]) ? [] : arm.cells, run, again);
    const verdict = verdictOf(arm, {
      manifest,
      scores: [...ofRun, ...problemsIn(checkRows(material, manifest.simulated)), ...numberProblems(arm, fresh.numbers)],
      methods: [...data, ...unused, ...problemsIn(made)],
      missing: made.flatMap(({ absent: isAbsent, said }) => (isAbsent === true ? said : [])),
    });
    return checkedArm(arm, run, { ...verdict, absentControls: absentControls(arm, all) });
  });
}

interface Found {
  readonly manifest: Manifest;
  /** What is wrong with rows and numbers. */
  readonly scores: readonly string[];
  /** What is wrong with what the methods give, or get. */
  readonly methods: readonly string[];
  /** Why methods could not run here. */
  readonly missing: readonly string[];
}

/** The level of an arm whose data are at hand. What another version does otherwise refuses nothing. */
function verdictOf(
  { cells }: EvidenceArm,
  { manifest, scores, methods, missing }: Found,
): Pick<CheckedArm, "level" | "reasons"> {
  const by = manifest.plan.version;
  const failed = [...scores, ...methods];
  const elsewhere = `made by version ${by}; as it was made: npx lamp-eval@${by} verify FILE`;
  if (failed.length > 0 && by === version()) return { level: "refused", reasons: failed };
  if (scores.length > 0) return { level: "self-reported", reasons: [elsewhere, ...failed] };
  if (methods.length > 0) return { level: "scores only", reasons: [elsewhere, ...failed] };
  const reasons = isShortened(cells[0]) ? [SHORTENED] : missing;
  return { level: reasons.length > 0 ? "scores only" : "complete", reasons };
}

function checkedArm(
  { name, cells, numbers }: EvidenceArm,
  { manifest }: OpenedRun,
  verdict: Pick<CheckedArm, "level" | "reasons" | "absentControls">,
): CheckedArm {
  const [cell] = cells;
  const [metric] = numbers?.metrics ?? [];
  const { name: data = "", facts = {} } = manifest.plan.data.find(({ task }) => task === cell.task) ?? {};
  const amounts = ["users", "questions"].map((what) => {
    const all = facts[`${what} in the file`];
    return `${facts[what]}${all === undefined ? "" : ` of ${all}`} ${what}`;
  });
  return {
    ...{ name, model: cell.model, cells: cells.map(({ id }) => id), simulated: manifest.simulated },
    ...{ metric: metric?.name, score: metric?.strict ?? undefined, interval: metric?.interval },
    ...{ users: numbers?.users ?? 0, questions: numbers?.counts.questions ?? 0, failed: numbers?.counts.failed ?? 0 },
    of: `${cell.task} on ${data}: ${amounts.join(", ")}`,
    ...{ usd: numbers?.usd, usdAtMost: numbers?.usdAtMost },
    ...verdict,
  };
}

const SHORTENED = "a setting held a path or an address, which is left out";

const problemsIn = (checks: readonly Check[]): string[] =>
  checks.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));

function absentData({ task, files }: Manifest["plan"]["data"][number], { claimed }: OpenedRun): string {
  const hashes = files.map(({ name, sha256 }) => `${name} (SHA-256 ${sha256})`).join(", ");
  const made = claimed.data[task];
  return `the data of ${task} are not at hand: give --data DIR with ${hashes}${made === undefined ? "" : `; ${made}`}`;
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

/** The claimed numbers of an arm are those that its rows give. */
function numberProblems({ name, numbers }: EvidenceArm, fresh: EvidenceRun["results"]): string[] {
  const made = fresh.results.find(({ cells }) => cells.join() === numbers?.cells.join());
  return numbers === undefined || made === undefined
    ? [`numbers: none of ${name}`]
    : claimProblems(name, numbers, made);
}

const withoutArms = (results: EvidenceRun["results"]): object => ({ ...results, results: results.results.length });

function claimProblems(of: string, claimed: object, fresh: object): string[] {
  const changed = changedSetting(fresh, claimed);
  return changed === undefined
    ? []
    : [`numbers: ${changed.path} of ${of} is claimed as ${changed.is}, the rows give ${changed.was}`];
}
