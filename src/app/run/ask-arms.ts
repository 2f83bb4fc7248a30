import { dirname, join } from "node:path";
import { runArms } from "../../run/engine.js";
import type { EngineSettings } from "../../run/engine-settings.js";
import type { Arm, LoadedTask } from "../../run/plan/plan.js";
import { latestRows } from "../../run/run-rows.js";
import { artifactsFolder, fileArtifacts } from "../../run/stores/artifact-store.js";
import { ArmWarnings, PilotFailed } from "./arm-warnings.js";
import { keepFiles } from "./data/input-files.js";
import { equipment } from "./equipment.js";
import { plannedOpenings } from "./estimate/openings.js";
import type { OpenCalls } from "./models/run-calls.js";
import type { CallTally } from "./pilot/call-tally.js";
import { runPilot } from "./pilot/run-pilot.js";
import type { Prepared } from "./prepare.js";
import type { ReadyRun } from "./ready-run.js";
import { HeldRows } from "./records/held-rows.js";
import type { ManifestSteps } from "./records/manifest-steps.js";
import type { RunRecords } from "./records/open-records.js";
import type { RunningScores } from "./records/running-scores.js";

/** What is asked, of whom, and who keeps what comes of it. */
export interface Asking {
  readonly run: ReadyRun;
  readonly records: RunRecords;
  readonly arms: readonly Arm[];
  readonly calls: OpenCalls;
  readonly tally: CallTally;
  readonly steps: ManifestSteps;
  readonly scores: RunningScores;
}

/** Asks what is not answered yet, the users of a pilot first, and finishes the records. Returns the reason of an early end. */
export async function askArms(asking: Asking): Promise<unknown> {
  const { run, records, arms, calls, tally, steps } = asking;
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
  const reason = early ?? (await settled(arms, ({ loaded }) => drawnHere(loaded, run.prepared)));
  if (reason !== undefined) return reason;
  steps.beforeFinish();
  records.rows.finish(tally.idle);
  return undefined;
}

async function engineOf(
  { run, records, arms, calls: { models, batching }, tally }: Asking,
  held: HeldRows,
): Promise<Omit<EngineSettings, "arms" | "draws">> {
  const { prepared, settings, folder, stops, emit, io } = run;
  const { tools, embedders, replay } = prepared;
  const artifacts = fileArtifacts(join(dirname(folder), artifactsFolder), { clock: io.clock });
  keepFiles(prepared.files, artifacts);
  const openings = await plannedOpenings(tally.idle ? [] : arms, prepared, settings, { ...records, artifacts });
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
    files: prepared.files,
    stop: stops.stop,
    kill: stops.kill,
    onQuestion: ({ cell }, outcome) => emit({ kind: "question", cell: cell.id, outcome }),
    ...(replay === undefined ? {} : { explain: replay.explain }),
  };
}

/** Pictures are of a data set's first user: one shard draws them. */
const drawnHere = ({ task, units }: LoadedTask, { loaded }: Prepared): boolean =>
  units.length > 0 && loaded.find((whole) => whole.task === task)?.units.at(0)?.id === units.at(0)?.id;
