import { dirname, join } from "node:path";
import { cachedEmbedder } from "../../embedders/index.js";
import { tokensOf } from "../../models/call-sums.js";
import { furtherModels } from "../../registry/further-models.js";
import { readOptions } from "../../registry/options.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifacts.js";
import { CassetteStore } from "../../run/cassette/cassette.js";
import { runArms } from "../../run/engine.js";
import type { EngineSettings, Equipment } from "../../run/engine-settings.js";
import type { RunFolder, RunRecords } from "../../run/folder.js";
import { damageLine } from "../../run/journal.js";
import { drawing, drawsOf } from "../../run/plan/draws.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import { callsPerQuestion } from "../../run/rehearse.js";
import { latestRows, type RunRows } from "../../run/rows.js";
import type { CallRange, Row } from "../../types/index.js";
import { timestamp } from "../common/timestamp.js";
import { clearReplay } from "../replay/replay.js";
import { ArmWarnings, armTitle, PilotFailed } from "./arm-warnings.js";
import { answeringFacts, type CallTally } from "./call-tally.js";
import { keepFiles } from "./data/input-files.js";
import type { TokenGauges } from "./estimate/token-gauges.js";
import type { ArmProgress } from "./events.js";
import { unknownAnswers } from "./models/call-notices.js";
import { readModelRecords } from "./models/endpoints.js";
import type { RunModels } from "./models/models.js";
import type { Embedders } from "./models/open-embedders.js";
import { firstRefusal } from "./models/probe-agents.js";
import { type OpenCalls, RunCalls } from "./models/run-calls.js";
import { runPilot } from "./pilot/run-pilot.js";
import type { Prepared } from "./prepare.js";
import { RunningScores } from "./records/running-scores.js";

/** Asks what the folder lacks. The reason why the run ended early, or undefined. */
export async function work(run: Prepared, home: RunFolder, tally: CallTally): Promise<unknown> {
  const { arms, tools, replay, commands, embedders, folder, emit, io } = run;
  await tools.check();
  if (replay !== undefined) beginReplay(run, home, tally); // before the records of an earlier replay are read
  const embeds = arms.some(({ cell }) => embedders.isCostly(cell.options));
  const recorded = replay === undefined ? undefined : (path: string) => new CassetteStore(path, replay.cassette);
  const records = home.open({ recorded, embeds });
  const { rows, attempts } = records;
  for (const one of records.damage) io.tell(damageLine(one));
  tools.keepSearches(records.searches);
  home.idle = home.isWhole && isIdle(arms, records);
  for (const line of attempts === undefined ? [] : unknownAnswers(attempts.before)) io.tell(line);
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
    const open = calls.open(records, home, tally);
    const asking: Asking = { run, home, records, calls: open, tally, scores };
    if (replay === undefined) {
      const refusal = await readServers(asking);
      if (refusal !== undefined) return refusal;
    }
    return await askArms(asking);
  } finally {
    calls.close(tally);
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
  readonly scores: RunningScores;
}

/** Asks what is not answered yet, the users of a pilot first, and finishes the records. Returns the reason of an early end. */
async function askArms(asking: Asking): Promise<unknown> {
  const { run, home, calls, tally } = asking;
  const { arms, loaded: whole } = run;
  const { models } = calls;
  let isPilot = run.pilot !== undefined;
  const warnings = new ArmWarnings(arms, (text, why) => {
    run.emit({ kind: "notice", level: "warning", text });
    if (isPilot) run.stops.stop.abort(new PilotFailed(why));
  });
  if (isPilot) for (const row of latestRows(run.folder)) warnings.add(row); // a pilot that goes on
  const engine = engineOf(asking);
  const onRow = (row: Row): void => {
    asking.scores.add(row);
    warnings.add(row);
    run.emit({ kind: "question", cell: row.cell, outcome: row.outcome });
  };
  const settled = (some: readonly Arm[], draws: (arm: Arm) => boolean) =>
    runArms({ ...engine, arms: some, draws, onRow });
  const early = await runPilot(run, {
    arms,
    work: (some) => settled(some, () => false),
    sent: () => models.sent(),
    seen: () => models.seen(),
    onFound: (found) => {
      tally.pilot = found;
    },
  });
  isPilot = false;
  const reason = early ?? (await settled(arms, ({ loaded }) => drawnHere(loaded, whole)));
  if (reason !== undefined) return reason;
  home.finish(answeringFacts(run, tally, home.manifest));
  return undefined;
}

function engineOf({
  run,
  records,
  calls: { models, batching },
  tally,
}: Asking): Omit<EngineSettings, "arms" | "draws" | "onRow"> {
  const { arms, tools, embedders, replay, files, settings, folder, stops, io } = run;
  const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock });
  keepFiles(files, artifacts);
  return {
    equip: equipment({ models, embedders, records, gauges: tally.gauges, arms }),
    tool: tools.tool,
    concurrency: settings.batch?.atWork ?? (({ cell }) => ({ of: cell.model, width: models.widthOf(cell.model) })),
    clock: io.clock,
    // A batch takes hours: users go out together, whatever the cap.
    ...(batching === undefined ? { used: () => models.used() } : { waits: batching.waits }),
    online: settings.online,
    rows: records.rows,
    artifacts,
    files,
    stop: stops.stop,
    kill: stops.kill,
    ...(replay === undefined ? {} : { explain: replay.explain }),
  };
}

/** Pictures are of a data set's first user: one shard draws them. */
const drawnHere = ({ task, units }: LoadedTask, loaded: readonly LoadedTask[]): boolean =>
  units.length > 0 && loaded.find((whole) => whole.task === task)?.units.at(0)?.id === units.at(0)?.id;

interface Means {
  readonly models: RunModels;
  readonly embedders: Embedders;
  readonly records: Pick<RunRecords, "vectors">;
  /** Learns from replies how long a token is. */
  readonly gauges: Pick<TokenGauges, "watched">;
  /** All arms of the run: those that differ in their repeat alone draw from the same prompts. */
  readonly arms: readonly Arm[];
}

/** What arms work with. Arms of one embedder share its vectors, in memory or on disk. */
function equipment({ models, embedders, records, gauges, arms }: Means): (arm: Arm) => Equipment {
  const { vectors } = records;
  const kept = new Map(
    embedders.all.map((embedder) => [embedder, vectors === undefined ? embedder : cachedEmbedder(embedder, vectors)]),
  );
  return (arm) => {
    const { cell } = arm;
    const embedder = embedders.of(cell.options);
    return {
      model: drawing(gauges.watched(models.byId.get(cell.model)!, cell.method), drawsOf(arm, arms)), // every arm is planned over these models
      further: Object.fromEntries(
        Object.entries(furtherModels(cell)).map(([role, id]) => [role, models.byId.get(id)!]), // the same
      ),
      embedder: embedders.isCostly(cell.options) ? kept.get(embedder)! : embedder,
      temperature: readOptions(runOptions, cell.options).temperature,
    };
  };
}

/** How far each arm is, under the name that tells it from others of its method. */
function progressOf(arms: readonly Arm[], rows: RunRows): ArmProgress[] {
  return arms.map((arm) => {
    const { cell, loaded } = arm;
    return {
      cell: cell.id,
      title: armTitle(cell, arms),
      questions: loaded.questions,
      metric: loaded.task.metrics[0]?.name,
      callsPerQuestion: expectedCalls(arm),
      done: rows.doneCount(cell.id),
    };
  });
}

/** By the formulas of the method, in the middle of their bounds, with the first user for all. */
function expectedCalls({ method, options, loaded }: Arm): number {
  const plan = method.plan(options);
  const first = loaded.units.at(0);
  const prepared =
    first === undefined ? 0 : (middle(plan.perUnit(first.user.history)) * loaded.units.length) / loaded.questions;
  return middle(callsPerQuestion(plan, loaded.task, loaded.online === true)) + prepared;
}

const middle = (range: CallRange): number =>
  Object.values(range).reduce((sum, { low, high }) => sum + (low + high) / 2, 0);
