import { dirname, join } from "node:path";
import { cachedEmbedder } from "../../embedders/index.js";
import { furtherModels } from "../../further-models.js";
import { tokensOf } from "../../models/call-sums.js";
import { readOptions } from "../../options.js";
import { artifactsFolder, fileArtifacts } from "../../run/artifacts.js";
import { runArms } from "../../run/engine.js";
import type { EngineSettings, Equipment } from "../../run/engine-settings.js";
import { damageLine } from "../../run/journal.js";
import { drawing, drawsOf } from "../../run/plan/draws.js";
import { runOptions } from "../../run/plan/options.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import { callsPerQuestion } from "../../run/rehearse.js";
import { latestRows, type RunRows } from "../../run/rows.js";
import type { OpeningOf } from "../../run/shared-openings.js";
import type { CallRange } from "../../types.js";
import { timestamp } from "../common/timestamp.js";
import { ArmWarnings, armTitle, PilotFailed } from "./arm-warnings.js";
import { keepFiles } from "./data/input-files.js";
import { plannedOpenings } from "./estimate/openings.js";
import type { TokenGauges } from "./estimate/token-gauges.js";
import type { ArmProgress } from "./events.js";
import { readModelRecords } from "./models/endpoints.js";
import type { RunModels } from "./models/models.js";
import type { Embedders } from "./models/open-embedders.js";
import { firstRefusal } from "./models/probe-agents.js";
import { type OpenCalls, RunCalls } from "./models/run-calls.js";
import { unknownAnswers } from "./models/tries.js";
import type { CallTally } from "./pilot/call-tally.js";
import { runPilot } from "./pilot/run-pilot.js";
import type { Prepared } from "./prepare.js";
import { HeldRows } from "./records/held-rows.js";
import type { ManifestSteps } from "./records/manifest-steps.js";
import { openRecords, type RunRecords } from "./records/open-records.js";
import { RunningScores } from "./records/running-scores.js";

/** The reason why the run ended early, or undefined. Files are closed in every case. */
export async function work(
  run: Prepared,
  { tally, steps }: { readonly tally: CallTally; readonly steps: ManifestSteps },
): Promise<unknown> {
  await run.tools.check();
  if (run.replay !== undefined) steps.begin(); // before the records of an earlier replay are read
  const records = openRecords(run);
  for (const one of records.damage) run.emit({ kind: "remark", line: damageLine(one) });
  try {
    return await workOn(records, run, tally, steps);
  } finally {
    records.close();
  }
}

async function workOn(records: RunRecords, run: Prepared, tally: CallTally, steps: ManifestSteps): Promise<unknown> {
  const { arms, tools, replay, commands, folder, emit } = run;
  const { rows, attempts } = records;
  tools.keepSearches(records.searches);
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
    const asking: Asking = { run, records, calls: open, tally, steps, scores };
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

/** Begins the manifest, and finds out what the models' servers say and take. Returns why the run must not begin. */
async function readServers({ run, calls, tally, steps }: Asking): Promise<unknown> {
  const { models: providers, stops, emit, io } = run;
  const { models, batching } = calls;
  const signal = stops.kill;
  if (steps.whole) steps.begin(); // what is asked next is stored behind the sealed records
  if (!tally.idle) {
    const tell = (line: string): void => emit({ kind: "remark", line });
    await readModelRecords(providers, { signal, nowMs: io.clock.now(), tell });
    if (batching === undefined) await models.readSlots(signal);
  }
  const refusal = tally.idle
    ? undefined
    : await firstRefusal(run.arms, models, stops, (id, usage) => {
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

/** What is asked, of whom, and who keeps what comes of it. */
interface Asking {
  readonly run: Prepared;
  readonly records: RunRecords;
  readonly calls: OpenCalls;
  readonly tally: CallTally;
  readonly steps: ManifestSteps;
  readonly scores: RunningScores;
}

/** Asks what is not answered yet, the users of a pilot first, and finishes the records. Returns the reason of an early end. */
async function askArms(asking: Asking): Promise<unknown> {
  const { run, records, calls, tally, steps } = asking;
  const { arms, loaded: whole } = run;
  const { models } = calls;
  let isPilot = run.pilot !== undefined;
  const warnings = new ArmWarnings(arms, (line, why) => {
    run.emit({ kind: "remark", line });
    if (isPilot) run.stops.stop.abort(new PilotFailed(why));
  });
  if (isPilot) for (const row of latestRows(run.folder)) warnings.add(row); // a pilot that goes on
  const held = new HeldRows(records.rows, (row) => {
    asking.scores.add(row);
    warnings.add(row);
  });
  const engine = await engineOf(asking, held);
  const settled = (some: readonly Arm[], draws: (arm: Arm) => boolean) =>
    runArms({ ...engine, arms: some, draws }).finally(() => held.end(run.stops.stop.signal.reason));
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
  steps.beforeFinish();
  records.rows.finish(tally.idle);
  return undefined;
}

async function engineOf(
  { run, records, calls: { models, batching }, tally }: Asking,
  held: HeldRows,
): Promise<Omit<EngineSettings, "arms" | "draws">> {
  const { arms, tools, embedders, replay, files, settings, folder, stops, emit, io } = run;
  const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock });
  keepFiles(files, artifacts);
  const openings = await plannedOpenings(tally.idle ? [] : arms, run, settings, { ...records, artifacts });
  return {
    equip: equipment({ models, embedders, records, gauges: tally.gauges, openings, arms }),
    tool: tools.tool,
    concurrency: settings.batch?.atWork ?? (({ cell }) => ({ of: cell.model, width: models.widthOf(cell.model) })),
    clock: io.clock,
    // A batch takes hours: users go out together, whatever the cap.
    ...(batching === undefined ? { used: () => models.used() } : { waits: batching.waits }),
    online: settings.online,
    rows: held,
    artifacts,
    files,
    stop: stops.stop,
    kill: stops.kill,
    onQuestion: ({ cell }, outcome) => emit({ kind: "question", cell: cell.id, outcome }),
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
  /** What calls begin with alike, by model. */
  readonly openings: ReadonlyMap<string, OpeningOf>;
  /** All arms of the run: those that differ in their repeat alone draw from the same prompts. */
  readonly arms: readonly Arm[];
}

/** What arms work with. Arms of one embedder share its vectors, in memory or on disk. */
function equipment({ models, embedders, records, gauges, openings, arms }: Means): (arm: Arm) => Equipment {
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
      opening: openings.get(cell.model),
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
