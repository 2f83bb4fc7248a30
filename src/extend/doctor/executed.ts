import { join } from "node:path";
import { inTemporaryFolder } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { Io } from "../../plan/io.js";
import { demoModel, type RunRequest } from "../../plan/settings.js";
import type { Arm } from "../../plan/types.js";
import { unitRecordsOf } from "../../record/rows.js";
import { type ReadingIo, withRuns } from "../../record/stored-run.js";
import type { Summary } from "../../results/summary.js";
import { plannedCalls } from "../../run/estimate.js";
import type { World } from "../../run/world.js";
import { countOf } from "../../text/count.js";
import { firstLine } from "../../text/file-trouble.js";
import type { PhaseAt, Row, Task } from "../../types/index.js";
import { writeTestData } from "./made-up.js";

/** One thing that was looked at. `warn`: it could not be checked, or only some runs need it. */
export interface Check {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly text: string;
  /** Each names the file, the line or the question. */
  readonly problems?: readonly string[];
}

export const passedOr = (name: string, problems: readonly string[], text: string): Check =>
  problems.length === 0 ? { name, state: "ok", text } : { name, state: "fail", text, problems };

/** Executes requests: commands hand it in. */
export interface Runner {
  open(request: RunRequest, io: ReadingIo): Promise<World>;
  run(world: World): Promise<Ran>;
  verify(recorded: { readonly run: string; readonly data: string }, io: ReadingIo): Promise<readonly Verified[]>;
}

interface Ran {
  readonly ended: string;
  readonly rows: readonly Row[];
  readonly summaries: readonly Summary[];
  readonly notices: readonly { readonly text: string }[];
}

interface Verified {
  readonly arm: string;
  readonly said: string;
  readonly equal: boolean;
}

export type Asked = Pick<RunRequest, "method" | "options" | "metric">;

/** Rules that an execution is checked by, in the order of the report. */
const rules = {
  answers: "every question is answered, and scored by a number",
  replay: "executed again from its log, its rows are the same",
  leakage: "no request depends on a gold or a later event",
  plan: "it makes no more calls than its plan says",
} as const;
type Problems = Record<keyof typeof rules, string[]>;

interface Means {
  readonly io: Io;
  readonly runner: Runner;
}

/** Executes a method on made-up data of tasks. A task that it does not take is left out. */
export async function executed(name: string, asked: Asked, tasks: readonly Task[], means: Means): Promise<Check[]> {
  const all: Problems = { answers: [], replay: [], leakage: [], plan: [] };
  const refusals: string[] = [];
  for (const task of tasks)
    await inTemporaryFolder((folder) => problemsOn(task, asked, folder, means)).then(
      (problems) => {
        for (const [rule, some] of Object.entries(problems)) all[rule as keyof Problems].push(...some);
      },
      (error: unknown) => {
        const mayFitAnother = error instanceof UsageError && tasks.length > 1;
        (mayFitAnother ? refusals : all.answers).push(`on ${task.name} it fails: ${firstLine(error)}`);
      },
    );
  if (refusals.length === tasks.length) return [{ name, state: "warn", text: refusals.join("; ") }];
  if (all.answers.length > 0) return [passedOr(name, all.answers, rules.answers)]; // the others need answers
  return Object.entries(rules).map(([rule, text]): Check => {
    if (rule !== "leakage" || all.replay.length === 0) return passedOr(name, all[rule as keyof Problems], text);
    const untried = "not tried: it is not the same twice (chance or a clock?), and so cannot be compared";
    return { name, state: "warn", text: untried };
  });
}

function problemsOn(task: Task, asked: Asked, folder: string, { io, runner }: Means) {
  return withRuns({ ...io, tell: () => undefined }, (reading) =>
    problemsIn(folder, task, asked, { io: reading, runner }),
  );
}

interface ReadingMeans extends Means {
  readonly io: ReadingIo;
}

async function problemsIn(folder: string, task: Task, asked: Asked, { io, runner }: ReadingMeans) {
  const request = { ...asked, task: task.name, model: demoModel, maxFailed: 1, onEvent: () => undefined };
  const [out, data] = [join(folder, "run"), writeTestData(join(folder, "data"), task, false)];
  const world = await runner.open({ ...request, data, out }, io);
  const ran = await runner.run(world);
  const answers = failuresIn(ran, task);
  if (answers.length > 0) return { answers };
  const verified = await runner.verify({ run: out, data }, io);
  const replayed = verified.flatMap(({ equal, arm, said }) => (equal ? [] : [`${arm}: ${said}`])).slice(0, 1); // its files differ, too
  const other = writeTestData(join(folder, "other"), task, true);
  const again = { ...request, data: other, replay: out, out: join(folder, "again") };
  const { ended, notices } = await runner.run(await runner.open(again, io));
  const missed = ended === "stale" ? notices.filter(({ text }) => text.startsWith("  ")) : [];
  const leakage = missed.map(
    ({ text }) => `with golds and later events exchanged, it asks something else:${text.slice(1)}`,
  );
  return {
    replay: replayed,
    leakage,
    plan: world.arms.flatMap((arm) => unplanned(arm, [...ran.rows, ...unitRecordsOf(out)])),
  };
}

/** Returns a line for each phase with more calls than the plan of a method says. */
function unplanned(arm: Arm, records: readonly Pick<Row, "spend">[]): string[] {
  const planned = plannedCalls(arm);
  const made = new Map<string, number>();
  for (const [phase, { calls }] of records.flatMap(({ spend }) => Object.entries(spend)))
    made.set(phase, (made.get(phase) ?? 0) + calls);
  return [...made].flatMap(([phase, calls]) => {
    const { high } = planned[phase as PhaseAt] ?? { high: 0 };
    const asked = `${countOf(calls, "call")} of phase ${phase} for ${countOf(arm.loaded.questions, "question")}`;
    return calls <= high || arm.method.callsElsewhere === true
      ? []
      : [`on ${arm.spec.task} ${asked}; its plan says ${high}`];
  });
}

function failuresIn({ rows, summaries }: Ran, { name }: Task): string[] {
  if (rows.length === 0) return [`on ${name} no question was asked`];
  const failed = rows.flatMap(({ question, outcome }) =>
    outcome.kind === "failed" ? [`on ${name} ${question} failed: ${outcome.error}`] : [],
  );
  const unscored = summaries.flatMap(({ metrics }) => metrics.filter(({ strict }) => Number.isNaN(strict)));
  return [...failed, ...unscored.map((metric) => `on ${name} the value of ${metric.name} is no number`)];
}
