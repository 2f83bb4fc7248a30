import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { poolOf } from "../data/others.js";
import { lazily, nth } from "../data/sequence.js";
import { UsageError } from "../errors.js";
import { casesOf } from "../judges/cases.js";
import { judgeMethod, judgeTask, repliesIn, verdictIn } from "../judges/verdicts.js";
import { countOf } from "../text/count.js";
import type { Judge, Judged, JudgedRun, Judgement, Outcome, Row, Unit } from "../types/index.js";
import { type Catalogue, catalogueOf, extended } from "./catalogue.js";
import { dataOfRun } from "./data.js";
import type { Io } from "./io.js";
import { type Manifest, readManifest } from "./manifest.js";
import type { LoadedTask } from "./plan/types.js";
import { eachRow } from "./rows.js";
import { openRunFolder, type StoredRun } from "./stored-run.js";
import type { Judging } from "./world.js";

/** Whose replies are judged, and how. */
type JudgedSpec = NonNullable<Manifest["judged"]>;

/** Returns what a judge's run is recomputed with: its questions from the judged run, and the catalogue that knows its task. */
export async function judgingAgain(
  judged: JudgedSpec,
  { folder, data }: { readonly folder: string | undefined; readonly data: string | undefined },
  io: Io,
): Promise<{ readonly judging: Judging; readonly catalogue: Catalogue }> {
  const catalogue = catalogueOf(io);
  const judge = catalogue.judges.get(judged.judge, "--judge");
  const run = folder === undefined ? (data ?? ".") : resolve(folder, judged.run);
  const own = folder === undefined || data === undefined ? {} : { data };
  const judging = await judgingOf({ ...judged, ...own }, openRunFolder(run, io.cwd), relative(io.cwd, run), io);
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
export async function judgingOf(judged: JudgedSpec, folder: StoredRun, named: string, io: Io): Promise<Judging> {
  const { judge, options, against, specs, data } = judged;
  const loaded = [];
  for (const task of new Set(specs.map((arm) => arm.task)))
    loaded.push(await dataOfRun(folder, task, { run: named, data }, io));
  const replies = { judge: catalogueOf(io).judges.get(judge), options, against, specs, rows: folder.rows, loaded };
  const cases = () => casesOf(replies);
  let [length, questions] = [0, 0];
  for (const { examples } of cases()) [length, questions] = [length + 1, questions + examples.length];
  if (length === 0) throw new UsageError(`judge ${named}: it holds no reply to judge`);
  const units = lazily(length, cases, (index) => nth(cases(), index));
  const remarks = [`${countOf(specs.length, "judged arm")} of ${named}`];
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

/** The folder of a run that holds the runs of its judges. */
export const judgesFolder = (run: string): string => join(run, "judges");

/** Reads what every judge that has finished said of a run, by the name of its folder. */
export function readJudgements(run: string): JudgedRun[] {
  const folder = judgesFolder(run);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  return names.flatMap((name) => {
    const manifest = readManifest(join(folder, name));
    if (manifest?.judged === undefined || manifest.finishedAt === undefined) return [];
    return [judgedRun({ ...manifest, judged: manifest.judged }, eachRow(join(folder, name)))];
  });
}

type OfJudge = Pick<Manifest, "plan" | "simulated"> & { readonly judged: NonNullable<Manifest["judged"]> };

/** Reads what a judge said out of its rows. Rows of no judge are left out. */
export function judgedRun({ judged, plan, simulated }: OfJudge, rows: Iterable<Row>): JudgedRun {
  const { judge, range, options, against, specs } = judged;
  const model = plan.specs[0]?.model ?? "";
  const ownReplies = specs.some((arm) => arm.model === model);
  const place = new Map(specs.map(({ id }, at) => [id, at]));
  const judgements = [...rows].flatMap((row) => judgementOf(row) ?? []);
  return {
    facts: { judge, model, simulated, range, options, ownReplies, ...(against === undefined ? {} : { against }) },
    judgements: judgements.sort((a, b) => (place.get(a.arm) ?? 0) - (place.get(b.arm) ?? 0)),
  };
}

function judgementOf({ tags, user, outcome, spend }: Row): Judgement | undefined {
  const { arm, question, position, against, first } = tags ?? {};
  if (arm === undefined || question === undefined) return undefined;
  const { calls = 0, in: tokensIn = 0, out = 0 } = spend.judge ?? {};
  return {
    ...{ arm, question, user },
    ...(position === undefined ? {} : { position: Number(position) }),
    ...(against === undefined ? {} : { against: { arm: against, shownFirst: first === "other" } }),
    ...{ judged: judgedOf(outcome), tokens: { in: tokensIn, out }, calls },
  };
}

function judgedOf(outcome: Outcome): Judged {
  if (outcome.kind === "failed") return outcome;
  const verdict = verdictIn(outcome.reply);
  return verdict === undefined
    ? { kind: "unjudged", replies: repliesIn(outcome.reply) }
    : { kind: "judged", ...verdict };
}
