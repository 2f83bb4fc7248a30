import { tokensOf } from "../../models/call-tokens.js";
import { CassetteStore } from "../../run/cassette/cassette.js";
import { runArms } from "../../run/engine.js";
import type { RunFolder, RunRecords } from "../../run/folder.js";
import { damageLine } from "../../run/journal.js";
import type { Arm } from "../../run/plan/plan.js";
import type { RunRows } from "../../run/rows.js";
import type { Row } from "../../types/index.js";
import { timestamp } from "../common/timestamp.js";
import { clearReplay } from "../replay/replay.js";
import type { Crew } from "../workers/crew.js";
import { jobOf } from "../workers/job.js";
import { keepRun, openUnits } from "../workers/keep-run.js";
import { ArmWarnings } from "./arm-warnings.js";
import { answeringFacts, type CallTally } from "./call-tally.js";
import { engineOf } from "./equip.js";
import type { ArmProgress } from "./events.js";
import { unknownAnswers } from "./models/call-notices.js";
import { readModelRecords } from "./models/endpoints.js";
import { firstRefusal } from "./models/probe-agents.js";
import { type OpenCalls, RunCalls } from "./models/run-calls.js";
import type { Prepared } from "./prepare.js";

/** Asks what the folder lacks. The reason why the run ended early, or undefined. */
export async function work(run: Prepared, home: RunFolder, tally: CallTally, given?: Crew): Promise<unknown> {
  const { arms, tools, replay, commands, embedders, folder, emit, io } = run;
  const crew = run.workers === undefined ? undefined : given;
  if (crew === undefined) await tools.check();
  if (replay !== undefined) beginReplay(run, home, tally); // before the records of an earlier replay are read
  const embeds = arms.some(({ cell }) => embedders.isCostly(cell.options));
  const recorded = replay === undefined ? undefined : (path: string) => new CassetteStore(path, replay.cassette);
  const opened = () => home.open({ recorded, embeds });
  if (crew === undefined && given !== undefined) {
    await given.takeHome(keepRun(run, { home, tally, records: opened(), onRow: () => undefined }));
    home.closeRecords();
  }
  const records = opened();
  const { rows, attempts } = records;
  for (const one of records.damage) io.tell(damageLine(one));
  tools.keepSearches(records.searches);
  home.idle = home.isWhole && isIdle(arms, records);
  for (const line of attempts === undefined ? [] : unknownAnswers(attempts.before)) io.tell(line);
  let calls: RunCalls | undefined;
  emit({
    kind: "started",
    folder,
    arms: progressOf(arms, rows),
    waiting: () => calls?.models?.waiting() ?? [],
    inFlight: () => crew?.inFlight ?? calls?.models?.inFlight() ?? 0,
    spentUsd: () => (crew === undefined ? calls?.models?.spent() : crew.paid)?.usd,
    ...(crew === undefined ? {} : { workers: () => crew.text }),
  });
  calls = new RunCalls(run);
  try {
    const open = calls.open(records, home, tally);
    const asking: Asking = { run, home, records, calls: open, tally, crew };
    if (crew !== undefined) home.write(answeringFacts(run, tally, home.manifest));
    else if (replay === undefined) {
      const refusal = await readServers(asking);
      if (refusal !== undefined) return refusal;
    }
    return await askArms(asking);
  } finally {
    calls.close(tally);
    if (crew !== undefined) Object.assign(tally, { sent: tally.sent + crew.sent, paid: crew.paid });
    emit({ kind: "stopped" });
    await commands.close();
  }
}

function beginReplay(run: Prepared, home: RunFolder, tally: CallTally): void {
  clearReplay(run.folder);
  home.write(answeringFacts(run, tally, home.manifest));
}

/** Begins the manifest, and finds out what the models' servers say and take. Returns why the run must not begin. */
async function readServers({ run, home, calls, tally }: Asking): Promise<unknown> {
  const { models: providers, stops, io } = run;
  const { models, batching } = calls;
  const signal = stops.kill;
  const begin = (): void => home.write(answeringFacts(run, tally, home.manifest));
  if (home.isWhole) begin(); // what is asked next is stored behind the sealed records
  if (!home.idle) {
    await readModelRecords(providers, { signal, nowMs: io.clock.now(), tell: io.tell });
    if (batching === undefined) await models.readSlots(signal);
  }
  const refusal = home.idle
    ? undefined
    : await firstRefusal(run.arms, models, stops, (id, usage) => {
        tally.probes[id] ??= { day: timestamp(io).slice(0, 10), ...tokensOf(usage) };
      });
  if (!home.isWhole) begin();
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

/** What is asked, of whom, and who keeps what comes of it. */
interface Asking {
  readonly run: Prepared;
  readonly home: RunFolder;
  readonly records: RunRecords;
  readonly calls: OpenCalls;
  readonly tally: CallTally;
  readonly crew: Crew | undefined;
}

/** Asks what is not answered yet and finishes the records. Returns the reason of an early end. */
async function askArms(asking: Asking): Promise<unknown> {
  const { run, home, records, calls, tally, crew } = asking;
  const { arms } = run;
  const warnings = new ArmWarnings(arms, (text) => run.emit({ kind: "notice", level: "warning", text }));
  const engine = engineOf(run, { ...calls, ...records, gauges: tally.gauges });
  const onRow = (row: Row): void => {
    warnings.add(row);
    run.emit({ kind: "question", cell: row.cell, outcome: row.outcome });
  };
  const workers = home.idle ? undefined : crew;
  await workers?.begin(jobOf(run, home.manifest.endpoints), keepRun(run, { home, records, tally, onRow }));
  const reason =
    workers === undefined
      ? await runArms({ ...engine, arms, onRow })
      : await workers.settle(openUnits(arms, records.rows));
  if (reason !== undefined) return reason;
  home.finish(answeringFacts(run, tally, home.manifest));
  return undefined;
}

/** How far each arm is. */
const progressOf = (arms: readonly Arm[], rows: RunRows): ArmProgress[] =>
  arms.map(({ cell, loaded }) => ({
    cell: cell.id,
    task: cell.task,
    questions: loaded.questions,
    done: rows.doneCount(cell.id),
  }));
