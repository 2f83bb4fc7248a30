import { tokensOf } from "../../models/tokens.js";
import { ReplayMiss } from "../../models/wrap/cached.js";
import { runArms } from "../../run/engine.js";
import type { RunFolder } from "../../run/folder.js";
import { timestamp } from "../../run/io.js";
import type { CallOrigin } from "../../run/kit.js";
import { Answers, vectorsOf } from "../../run/outside/answers.js";
import type { Arm } from "../../run/plan/plan.js";
import { RowFiles } from "../../run/rows.js";
import type { Row } from "../../types/index.js";
import { ArmWarnings, armTitle } from "./arm-warnings.js";
import { answeringFacts, type CallTally } from "./call-tally.js";
import { engineOf } from "./equip.js";
import type { ArmProgress } from "./events.js";
import { unknownAnswers } from "./models/call-notices.js";
import { firstRefusal } from "./models/probe-agents.js";
import { type OpenCalls, openCalls } from "./models/run-calls.js";
import type { Prepared } from "./prepare.js";

/** What workers have done of a run. */
export interface HandedOut {
  /** The run with the users that are done, whose calls are all answered by the log. */
  readonly run: Prepared;
  /** Why the others are not; undefined where all are done. */
  readonly reason: unknown;
  /** Adds what the workers' calls came to. */
  count(tally: CallTally): void;
}

/** Has workers do a run, or fetches what they have done of it; undefined: this process goes on by itself. */
export type HandOut = (run: Prepared, home: RunFolder, answers: Answers) => Promise<HandedOut | undefined>;

/** The fact in the log of a run that workers may be at: where. Null once nothing of it is left there. */
export const WORKERS = "workers";

/**
 * Executes every arm: what the log knows is answered from it, what it lacks is asked, by workers where there are any. The reason
 * why the run ended early, or undefined.
 */
export async function work(run: Prepared, home: RunFolder, tally: CallTally, handOut?: HandOut): Promise<unknown> {
  const { arms, tools, programs, replay, reused, commands, folder, emit, io } = run;
  const hasWorkers = run.workers !== undefined || (home.log.state.facts.get(WORKERS) ?? null) !== null;
  if (replay === undefined && run.workers === undefined) await tools.check();
  const { corrupt, money } = home.log.state;
  for (const line of corrupt) io.tell(`${home.log.path} line ${line}: corrupt; what it held is asked again`);
  for (const line of hasWorkers ? [] : unknownAnswers(money)) io.tell(line); // theirs may come yet
  for (const [path, text] of run.typedFiles) home.note({ [`file ${path}`]: text });
  const answers = new Answers(home.log, reused);
  tools.keepSearches(answers);
  programs.keepIn(answers);
  let calls: OpenCalls | undefined;
  let handed: HandedOut | undefined;
  emit({
    kind: "started",
    folder,
    arms: progressOf(arms),
    waiting: () => calls?.models.waiting() ?? [],
    inFlight: () => calls?.models.inFlight() ?? 0,
    spentUsd: () => calls?.models.spent()?.usd,
  });
  home.reopen();
  const rows = new RowFiles(folder);
  try {
    handed = hasWorkers ? await handOut?.(run, home, answers) : undefined;
    const here = handed?.run ?? run;
    calls = openCalls(here, home, answers, tally);
    const asksServers = replay === undefined && handed?.reason === undefined;
    const refusal = asksServers ? await readServers(here, home, calls, tally) : undefined;
    const reason = refusal ?? (await askArms({ run: here, answers, calls, rows, tally }));
    tally.rows = rows.finish();
    return handed?.reason ?? reason;
  } finally {
    rows.close();
    calls?.close();
    handed?.count(tally);
    emit({ kind: "stopped" });
    await commands.close();
  }
}

/** Finds out what the models' servers say and take. Returns why the run must not begin. */
async function readServers(run: Prepared, home: RunFolder, calls: OpenCalls, tally: CallTally): Promise<unknown> {
  const { stops, io } = run;
  const { models } = calls;
  const refusal = await firstRefusal(run.arms, models, stops, (id, usage) => {
    tally.probes[id] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
  });
  home.note(answeringFacts(tally)); // it has begun
  return refusal;
}

/** What is asked, of whom, and who keeps what comes of it. */
interface Asking {
  readonly run: Prepared;
  readonly answers: Answers;
  readonly calls: OpenCalls;
  readonly rows: RowFiles;
  readonly tally: CallTally;
}

/** Returns the reason of an early end. */
function askArms({ run, answers, calls, rows, tally }: Asking): Promise<unknown> {
  const { arms, replay } = run;
  const warnings = new ArmWarnings(arms, (text) => run.emit({ kind: "notice", level: "warning", text }));
  const misses = new Set<string>();
  const engine = engineOf(run, { ...calls, rows, vectors: vectorsOf(answers), gauges: tally.gauges });
  return runArms({
    ...engine,
    arms,
    onRow(row: Row) {
      warnings.add(row);
      run.emit({ kind: "question", cell: row.cell, outcome: row.outcome });
    },
    ...(replay === undefined
      ? {}
      : {
          explain(error, asked) {
            if (!(error instanceof ReplayMiss)) return undefined;
            misses.add(missText(asked, arms));
            tally.missed = [...misses].sort();
            return error.worded(`not in ${replay.name}: ${missText(asked, arms)}`);
          },
        }),
  });
}

/** `lamp2m rag, question q1: answer`. */
function missText({ cell, unit, question, phase }: CallOrigin, arms: readonly Arm[]): string {
  const arm = arms.find((one) => one.cell.id === cell);
  const title = arm === undefined ? cell : armTitle(arm.cell, arms);
  const place = question === undefined ? (unit === "" ? "shared" : `user ${unit}`) : `question ${question}`;
  return `${title}, ${place}: ${phase}`;
}

const progressOf = (arms: readonly Arm[]): ArmProgress[] =>
  arms.map(({ cell, loaded }) => ({ cell: cell.id, task: cell.task, questions: loaded.questions }));
