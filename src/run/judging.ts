import { relative, resolve } from "node:path";
import { poolOf } from "../data/others.js";
import { lazily, nth } from "../data/sequence.js";
import { UsageError } from "../errors.js";
import { casesOf } from "../judges/cases.js";
import { judgeMethod, judgeTask } from "../judges/verdicts.js";
import { type Catalogue, catalogueOf, extended } from "../plan/catalogue.js";
import type { Io } from "../plan/io.js";
import type { LoadedTask } from "../plan/types.js";
import type { Manifest } from "../record/manifest.js";
import type { ReadingIo, StoredRun } from "../record/stored-run.js";
import { countOf } from "../text/count.js";
import type { Judge, Unit } from "../types/index.js";
import { dataOfRun } from "./data.js";
import type { Judging } from "./world.js";

/** Whose replies are judged, and how. */
type JudgedSpec = NonNullable<Manifest["judged"]>;

/** Returns what a judge's run is recomputed with: its questions from the judged run, and the catalogue that knows its task. */
export async function judgingAgain(
  stored: StoredRun,
  judged: JudgedSpec,
  data: string | undefined,
  io: ReadingIo,
): Promise<{ readonly judging: Judging; readonly catalogue: Catalogue }> {
  const catalogue = catalogueOf(io);
  const judge = catalogue.judges.get(judged.judge, "--judge");
  const name = stored.isPack ? (data ?? ".") : relative(io.cwd, resolve(stored.path, judged.run));
  const own = stored.isPack || data === undefined ? {} : { data };
  const judging = await judgingOf({ ...judged, ...own }, io.runs.get(name), io);
  return { judging, catalogue: withJudge(catalogue, judge) };
}

/** Returns what workers do a judge's run with: its questions as the run's process made them, and the catalogue that knows its task. */
export function judgingWith(judged: JudgedSpec, units: readonly Unit[], catalogue: Catalogue) {
  const judge = catalogue.judges.get(judged.judge, "--judge");
  const questions = units.reduce((sum, { examples }) => sum + examples.length, 0);
  return { judging: { judged, loaded: loadedOf(judged, units, questions) }, catalogue: withJudge(catalogue, judge) };
}

const withJudge = (catalogue: Catalogue, judge: Judge): Catalogue =>
  extended(catalogue, { tasks: [judgeTask], methods: [judgeMethod(judge)] }, "a judge");

/** Makes the questions of a judge's run lazily, each with its prompt. Throws UsageError where there is no reply. */
export async function judgingOf(judged: JudgedSpec, run: StoredRun, io: Io): Promise<Judging> {
  const { judge, options, against, specs, data } = judged;
  const loaded = [];
  for (const task of new Set(specs.map((arm) => arm.task))) loaded.push(await dataOfRun(run, task, data, io));
  const replies = { judge: catalogueOf(io).judges.get(judge), options, against, specs, rows: run.rows, loaded };
  const cases = () => casesOf(replies);
  let [length, questions] = [0, 0];
  for (const { examples } of cases()) [length, questions] = [length + 1, questions + examples.length];
  if (length === 0) throw new UsageError(`judge ${run.name}: it holds no reply to judge`);
  const units = lazily(length, cases, (index) => nth(cases(), index));
  const remarks = [`${countOf(specs.length, "judged arm")} of ${run.name}`];
  return { judged, loaded: { ...loadedOf(judged, units, questions), remarks } };
}

/** Returns the questions of a judge as the data of its run. */
function loadedOf({ against }: JudgedSpec, units: LoadedTask["units"], questions: number): Judging["loaded"] {
  const name = against === undefined ? "replies" : `replies against ${against}`;
  return {
    task: judgeTask,
    dataset: { name, task: judgeTask.name, users: [], files: [], ordered: true, facts: { questions } },
    ...{ units, questions, dataOptions: {}, remarks: [] },
    others: poolOf([], { kind: "none", askers: [], dated: false }),
  };
}
