import { UsageError } from "../../errors.js";
import { Batches } from "../../models/batch/batches.js";
import type { WaveLog } from "../../models/batch/waves.js";
import { contentId } from "../../text/content-id.js";
import { nounOf } from "../../text/count.js";
import type { Clock, Model } from "../../types/index.js";
import type { Arm, Plan } from "../plan/types.js";
import type { Stops } from "../stops.js";
import { Waits } from "../waits.js";

/** The reason of a stop where all that can be sent is out in batches, and nobody waits for them. */
export class Detached {
  readonly name = "Detached";

  constructor(
    /** Requests that are out. */
    readonly lines: number,
  ) {}
}

export interface Batching {
  readonly batches: Batches;
  readonly waits: Waits;
}

/** A run whose calls may go by batch. */
interface BatchedRun {
  /** Of the run, absolute. */
  readonly folder: string;
  readonly log: WaveLog;
  readonly clock: Clock;
  readonly stops: Stops;
  tell(line: string): void;
}

/**
 * Undefined where calls go out one by one. Throws UsageError where they should although requests are out in batches: these
 * would be bought twice.
 */
export function openBatching({ batch }: Pick<Plan, "batch">, run: BatchedRun): Batching | undefined {
  const { folder, log, clock, stops, tell } = run;
  if (batch === undefined) {
    refuseOut(log);
    refuseDoubt(log);
    return undefined;
  }
  const waits: Waits = new Waits(() => batches.check());
  const batches: Batches = new Batches({
    ...{ log, clock, tell, stop: stops.stop, kill: stops.kill, again: batch.resend },
    allWait: () => waits.allWait,
    name: `${contentId({ folder, at: clock.now() }).slice(0, 12)}w`,
    ...(batch.detach ? { onAllOut: (lines) => stops.stop.abort(new Detached(lines)) } : {}),
  });
  return { batches, waits };
}

/**
 * Throws UsageError where a model takes no batches, or an arm asks call after call and that was not said to be wanted; then a
 * wave is as long as the whole provider takes.
 */
export function refuseUnbatched(
  { batch, online }: Pick<Plan, "batch" | "online">,
  models: readonly Model[],
  arms: readonly Arm[],
): void {
  if (batch === undefined) return;
  for (const { id, batch: wire, noBatch = "its provider takes none here" } of models)
    if (wire === undefined) throw new UsageError(`--batch: no batches of ${id}: ${noBatch}`);
  const looping = arms.find(({ method, options }) => loops(method, options) || online);
  if (looping === undefined || batch.agents) return;
  const why = online ? "--online asks one question of a user after the other" : "it asks turn after turn";
  throw new UsageError(
    `--batch: ${looping.method.name}: ${why}, and each turn is a batch of its own, most of an hour, up to a day; --batch agents does it${wavesOf(looping)}, or leave --batch out`,
  );
}

const loops = (method: Arm["method"], options: Arm["options"]): boolean =>
  method.needs?.(options).agent === true || method.sequential?.(options) === true;

/** How many batches one behind the other a question may need. */
function wavesOf({ method, options }: Arm): string {
  const most = Object.values(method.plan(options).perQuestion()).reduce((sum, { high }) => sum + high, 0);
  return most > 1 ? ` (up to ${most} for a question)` : "";
}

function refuseOut({ waves }: WaveLog): void {
  const linesOut = waves.reduce((sum, { keys }) => sum + keys.length, 0);
  if (linesOut === 0) return;
  const ids = waves.map(({ batch }) => batch ?? "one of unknown id");
  const shown = ids.length > 3 ? `${ids.slice(0, 3).join(", ")} and ${ids.length - 3} more` : ids.join(", ");
  throw new UsageError(
    `${linesOut} ${nounOf(linesOut, "request of this run is", "requests of this run are")} out in batches (${shown}): add --batch to collect them, or --batch resend to buy them again`,
  );
}

/** Requests that may be out are not bought one by one unasked. */
function refuseDoubt({ doubts }: WaveLog): void {
  if (doubts.length === 0) return;
  throw new UsageError(`${doubts.join("; ")}: add --batch resend to collect what is known and send the rest again`);
}
