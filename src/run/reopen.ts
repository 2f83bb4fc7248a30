import { relative, resolve } from "node:path";
import { poolOf } from "../data/others.js";
import { lazily, nth } from "../data/sequence.js";
import { UsageError } from "../errors.js";
import { casesOf } from "../judges/cases.js";
import { judgeMethod, judgeTask } from "../judges/verdicts.js";
import { type Catalogue, catalogueOf, extended } from "../plan/catalogue.js";
import type { LoadedTask } from "../plan/types.js";
import { asJson } from "../record/folder.js";
import { changedSetting, type Manifest } from "../record/manifest.js";
import type { ReadingIo, StoredRun } from "../record/stored-run.js";
import { countOf } from "../text/count.js";
import { firstLine } from "../text/file-trouble.js";
import { defined } from "../text/json.js";
import type { Judge, Unit } from "../types/index.js";
import { dataOfRun } from "./data.js";
import { type Judging, openWorld, type World, type WorldInputs } from "./world.js";

interface Reopening extends WorldInputs {
  /** The manifest's plan, with data and servers of this machine. */
  readonly plan: Manifest["plan"];
  /** Start of each message: `results/demo: `. */
  readonly shown: string;
  /** End of the message that data or code differ: what to do. */
  readonly hint: string;
  /** Throws UsageError on what may not be opened here. */
  refuse?(world: World): void;
}

/** Opens the world of a stored run. Throws UsageError if its plan cannot be opened, or would make other rows here. */
export async function reopen(manifest: Manifest, { plan, shown, hint, refuse, ...inputs }: Reopening): Promise<World> {
  const world = await openWorld(plan, inputs).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown}its plan cannot be opened: ${firstLine(error)}`); // others may have written it
  });
  refuse?.(world);
  const changed = changedSetting(manifest.identity, Object(asJson(world.identity)));
  if (changed === undefined) return world;
  throw new UsageError(`${shown}${changed.name} was ${changed.was} and is ${changed.is} here; ${hint}`);
}

/** What a judge's run says of the judged run, and how it is judged. */
type JudgedFacts = NonNullable<Manifest["judged"]>;

/** The inputs that only the world of a judge's run has. `catalogue`: with the judge as a method, and its task. */
interface JudgeInputs {
  readonly judging: Judging;
  readonly catalogue: Catalogue;
}

/**
 * Returns what a judge's stored run is opened with; undefined for any other run. `data`: where the data of the judged run are; for a pack,
 * where the judged run is.
 */
export async function storedJudging(
  { isPack, path, manifest: { judged } }: StoredRun,
  data: string | undefined,
  io: ReadingIo,
): Promise<JudgeInputs | undefined> {
  if (judged === undefined) return undefined;
  const catalogue = catalogueOf(io);
  const judge = catalogue.judges.get(judged.judge, "--judge");
  const judgedRun = isPack ? (data ?? ".") : relative(io.cwd, resolve(path, judged.run));
  const facts = isPack ? judged : { ...judged, ...defined({ data }) };
  const judging = await judgingOf(facts, io.runs.get(judgedRun), io);
  return { judging, catalogue: withJudge(catalogue, judge) };
}

/** Returns what workers open a judge's run with: its questions come from the run's process. */
export function sentJudging(judged: JudgedFacts, units: readonly Unit[], catalogue: Catalogue): JudgeInputs {
  const judge = catalogue.judges.get(judged.judge, "--judge");
  const questions = units.reduce((sum, { examples }) => sum + examples.length, 0);
  return { judging: { judged, loaded: judgeData(judged, units, questions) }, catalogue: withJudge(catalogue, judge) };
}

const withJudge = (catalogue: Catalogue, judge: Judge): Catalogue =>
  extended(catalogue, { tasks: [judgeTask], methods: [judgeMethod(judge)] }, "a judge");

/** Returns the questions of a judge's run, which are made on access: one for each judged reply, or pair. Throws UsageError without any. */
export async function judgingOf(
  judged: JudgedFacts,
  run: StoredRun,
  io: Pick<ReadingIo, "catalogue" | "cwd">,
): Promise<Judging> {
  const { judge, options, against, specs, data } = judged;
  const loaded: LoadedTask[] = [];
  for (const task of new Set(specs.map((arm) => arm.task))) loaded.push(await dataOfRun(run, { task, data }, io));
  const replies = { judge: catalogueOf(io).judges.get(judge), options, against, specs, rows: run.rows, loaded };
  const cases = () => casesOf(replies);
  let length = 0;
  let questions = 0;
  for (const { examples } of cases()) {
    length += 1;
    questions += examples.length;
  }
  if (length === 0) throw new UsageError(`judge ${run.name}: it holds no reply to judge`);
  const units = lazily(length, cases, (index) => nth(cases(), index));
  const remarks = [`${countOf(specs.length, "judged arm")} of ${run.name}`];
  return { judged, loaded: { ...judgeData(judged, units, questions), remarks } };
}

/** Returns the questions of a judge in the form of task data. */
function judgeData({ against }: JudgedFacts, units: LoadedTask["units"], questions: number): Judging["loaded"] {
  const name = against === undefined ? "replies" : `replies against ${against}`;
  return {
    task: judgeTask,
    dataset: { name, task: judgeTask.name, users: [], files: [], ordered: true, facts: { questions } },
    units,
    questions,
    dataOptions: {},
    remarks: [],
    others: poolOf([], { kind: "none", askers: [], dated: false }),
  };
}
