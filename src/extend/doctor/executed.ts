import { join } from "node:path";
import { inTemporaryFolder } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { Summary } from "../../results/summary.js";
import type { Io } from "../../run/io.js";
import { demoModel, type RunRequest } from "../../run/plan/settings.js";
import type { World } from "../../run/world.js";
import { countOf } from "../../text/count.js";
import { firstLine } from "../../text/file-trouble.js";
import type { Row, Task } from "../../types/index.js";
import { writeWorld } from "./made-up.js";

/** One thing that was checked. */
export interface Check {
  readonly name: string;
  /** What was looked at; why, when it could not be looked at. */
  readonly said: string;
  readonly state: "ok" | "FAILED" | "not checked";
  /** Each names the file, the line or the question. */
  readonly problems: readonly string[];
}

export const passedOr = (name: string, problems: readonly string[], said: string): Check =>
  problems.length === 0 ? { name, said, state: "ok", problems } : { name, said, state: "FAILED", problems };

export const unchecked = (name: string, said: string): Check => ({ name, said, state: "not checked", problems: [] });

/** How many problems of one check are printed. */
const LISTED = 5;

/** One line a check, its first problems below it, and the count of all. */
export function renderChecks(name: string, checks: readonly Check[]): string {
  const lines = checks.flatMap(({ name: thing, said, state, problems }) => [
    `${state.padEnd(11)}  ${thing}: ${said}`,
    ...problems.slice(0, LISTED).map((problem) => `             ${problem}`),
    ...(problems.length > LISTED ? [`             ... and ${problems.length - LISTED} more`] : []),
  ]);
  const count = (wanted: Check["state"]) => checks.filter(({ state }) => state === wanted).length;
  const counts = `${countOf(count("ok"), "check")} passed, ${count("FAILED")} failed, ${count("not checked")} not checked`;
  return [...lines, "", `${name}: ${counts}`].join("\n");
}

/** What executes requests: commands hand it in. */
export interface Runner {
  open(request: RunRequest, io: Io): Promise<World>;
  run(world: World): Promise<Ran>;
  verify(recorded: { readonly run: string; readonly data: string }, io: Io): Promise<readonly Verified[]>;
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

/** What is looked at of an execution, in the order of the report. */
const said = {
  answers: "every question is answered, and scored by a number",
  law: "executed again from its log, its rows are the same",
  time: "no request depends on a gold or a later event",
} as const;
type Problems = Record<keyof typeof said, string[]>;

interface Means {
  readonly io: Io;
  readonly runner: Runner;
}

/** Executes a method on made-up data of tasks. A task that it does not take is left out. */
export async function executed(name: string, asked: Asked, tasks: readonly Task[], means: Means): Promise<Check[]> {
  const all: Problems = { answers: [], law: [], time: [] };
  const refusals: string[] = [];
  for (const task of tasks)
    await inTemporaryFolder(async (folder) => {
      try {
        const problems = await problemsOn(task, asked, folder, means);
        for (const rule of Object.keys(all) as (keyof Problems)[]) all[rule].push(...problems[rule]);
      } catch (error) {
        const mayFitAnother = error instanceof UsageError && tasks.length > 1;
        (mayFitAnother ? refusals : all.answers).push(`on ${task.name} it fails: ${firstLine(error)}`);
      }
    });
  if (refusals.length === tasks.length) return [unchecked(name, refusals.join("; "))];
  const doesAnswer = all.answers.length === 0;
  return (Object.entries(said) as [keyof Problems, string][]).map(([rule, text]) =>
    doesAnswer || rule === "answers" ? passedOr(name, all[rule], text) : unchecked(name, `${text}: it does not answer`),
  );
}

async function problemsOn(task: Task, asked: Asked, folder: string, { io: given, runner }: Means): Promise<Problems> {
  const io: Io = { ...given, tell: () => undefined };
  const request = { ...asked, task: task.name, model: demoModel, maxFailed: 1, onEvent: () => undefined };
  const [out, data] = [join(folder, "run"), writeWorld(join(folder, "data"), task, false)];
  const ran = await runner.run(await runner.open({ ...request, data, out }, io));
  const answers = failuresIn(ran, task);
  if (answers.length > 0) return { answers, law: [], time: [] };
  const verified = await runner.verify({ run: out, data }, io);
  const law = verified.flatMap(({ equal, arm, said }) => (equal ? [] : [`${arm}: ${said}`]));
  const other = writeWorld(join(folder, "other"), task, true);
  const replay = { ...request, data: other, replay: out, out: join(folder, "again") };
  const { ended, notices } = await runner.run(await runner.open(replay, io));
  const missed = ended === "stale" ? notices.filter(({ text }) => text.startsWith("  ")) : [];
  const time = missed.map(
    ({ text }) => `with golds and later events exchanged, it asks something else:${text.slice(1)}`,
  );
  return { answers, law, time };
}

function failuresIn({ rows, summaries }: Ran, { name }: Task): string[] {
  if (rows.length === 0) return [`on ${name} no question was asked`];
  const failed = rows.flatMap(({ question, outcome }) =>
    outcome.kind === "failed" ? [`on ${name} ${question} failed: ${outcome.error}`] : [],
  );
  const unscored = summaries.flatMap(({ metrics }) => metrics.filter(({ strict }) => Number.isNaN(strict)));
  return [...failed, ...unscored.map((metric) => `on ${name} the value of ${metric.name} is no number`)];
}
