import { tokensOf } from "../../models/call-sums.js";
import { damageLine } from "../../run/journal/journal.js";
import type { Arm } from "../../run/plan/plan.js";
import type { RunRows } from "../../run/run-rows.js";
import { timestamp } from "../common/timestamp.js";
import { type Asking, askArms } from "./ask-arms.js";
import { readModelRecords } from "./models/model-records.js";
import { firstRefusal } from "./models/probe-agents.js";
import { RunCalls } from "./models/run-calls.js";
import { unknownAnswers } from "./models/tries.js";
import type { CallTally } from "./pilot/call-tally.js";
import { progressOf } from "./progress.js";
import type { ReadyRun } from "./ready-run.js";
import type { ManifestSteps } from "./records/manifest-steps.js";
import { openRecords, type RunRecords } from "./records/open-records.js";
import { RunningScores } from "./records/running-scores.js";

/** The reason why the run ended early, or undefined. Files are closed in every case. */
export async function work(
  run: ReadyRun,
  { tally, steps }: { readonly tally: CallTally; readonly steps: ManifestSteps },
): Promise<unknown> {
  const { prepared } = run;
  await prepared.tools.check();
  if (prepared.replay !== undefined) steps.begin(); // before the records of an earlier replay are read
  const records = openRecords(run);
  for (const one of records.damage) run.emit({ kind: "remark", line: damageLine(one) });
  try {
    return await workOn(records, run, tally, steps);
  } finally {
    records.close();
  }
}

async function workOn(records: RunRecords, run: ReadyRun, tally: CallTally, steps: ManifestSteps): Promise<unknown> {
  const { prepared, folder, emit } = run;
  const { arms } = prepared;
  const { rows, attempts } = records;
  prepared.tools.keepSearches(records.searches);
  tally.idle = steps.whole && isIdle(arms, records);
  for (const line of attempts === undefined ? [] : unknownAnswers(attempts.before)) emit({ kind: "remark", line });
  let calls: RunCalls | undefined;
  const scores = new RunningScores(folder, arms, (cell, question) => rows.isDone(cell, question));
  emit({
    kind: "started",
    folder,
    arms: progressOf(arms, rows),
    waiting: () => calls?.models?.waiting() ?? [],
    inFlight: () => calls?.models?.inFlight() ?? 0,
    spentUsd: () => calls?.models?.spent()?.usd,
    score: (cell) => scores.of(cell),
  });
  calls = new RunCalls(run);
  try {
    const open = calls.open(records, tally, steps);
    const asking: Asking = { run, records, arms, calls: open, tally, steps, scores };
    if (prepared.replay === undefined) {
      const refusal = await readServers(asking);
      if (refusal !== undefined) return refusal;
    }
    return await askArms(asking);
  } finally {
    calls.close(tally);
    emit({ kind: "stopped" });
    await prepared.commands.close();
  }
}

/** Begins the manifest, and finds out what the models' servers say and take. Returns why the run must not begin. */
async function readServers({ run, arms, calls, tally, steps }: Asking): Promise<unknown> {
  const { prepared, stops, emit, io } = run;
  const { models, batching } = calls;
  const signal = stops.kill;
  if (steps.whole) steps.begin(); // what is asked next is stored behind the sealed records
  if (!tally.idle) {
    const tell = (line: string): void => emit({ kind: "remark", line });
    await readModelRecords(prepared.models, { signal, nowMs: io.clock.now(), tell });
    if (batching === undefined) await models.readSlots(signal);
  }
  const refusal = tally.idle
    ? undefined
    : await firstRefusal(arms, models, stops, (id, usage) => {
        tally.probes[id] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
      });
  if (!steps.whole) steps.begin();
  return refusal;
}

/** Whether every question is answered and every user prepared, and nothing was damaged. */
const isIdle = (arms: readonly Arm[], { rows, damage }: RunRecords): boolean =>
  damage.length === 0 && arms.every((arm) => isDone(arm, rows));

function isDone({ cell, loaded }: Arm, rows: RunRows): boolean {
  for (const { id, examples } of loaded.units) {
    const done = examples.every(({ question }) => rows.isDone(cell.id, question.id));
    if (!done || !rows.isPrepared(cell.id, id)) return false;
  }
  return true;
}
