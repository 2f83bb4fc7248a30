import { UsageError } from "../../errors.js";
import type { Log } from "../../log/log.js";
import type { ServerPlan } from "../../plan/types.js";
import { contentId } from "../../text/content-id.js";
import { nounOf } from "../../text/count.js";
import type { Clock } from "../../types/index.js";
import type { Stops } from "../stops.js";
import { Waits } from "../waits.js";
import { Batches } from "./batches.js";
import type { WaveLog } from "./waves.js";

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
  readonly log: Log;
  readonly clock: Clock;
  readonly stops: Stops;
  tell(line: string): void;
}

/**
 * Undefined where calls go out one by one. Throws UsageError where they should although requests are out in batches, or may be: these
 * would be bought twice.
 */
export function openBatching({ batch }: Pick<ServerPlan, "batch">, run: BatchedRun): Batching | undefined {
  const { folder, clock, stops, tell } = run;
  const log = wavesIn(run.log);
  const { waves, doubts } = log;
  if (batch === undefined && waves.length > 0) {
    const out = waves.reduce((sum, { keys }) => sum + keys.length, 0);
    const ids = waves.map(({ batch: id = "one of unknown id" }) => id).join(", ");
    throw new UsageError(
      `${out} ${nounOf(out, "request of this run is", "requests of this run are")} out in batches (${ids}): add --batch to collect them, or --batch resend to buy them again`,
    );
  }
  if (batch === undefined && doubts.length > 0)
    throw new UsageError(`${doubts.join("; ")}: add --batch resend to collect what is known and send the rest again`);
  if (batch === undefined) return undefined;
  const waits: Waits = new Waits(() => batches.check());
  const batches: Batches = new Batches({
    ...{ log, clock, tell, stop: stops.stop, kill: stops.kill, resend: batch.resend },
    allWait: () => waits.allWait,
    name: `${contentId({ folder, at: clock.now() }).slice(0, 12)}w`,
    ...(batch.detach ? { onAllOut: (lines) => stops.stop.abort(new Detached(lines)) } : {}),
  });
  return { batches, waits };
}

/** The batches of a run: on the disk before they are sent. */
function wavesIn(log: Log): WaveLog {
  const { state } = log;
  const isAnyOut = state.batches.size > 0 || [...state.open.values()].some(({ batch }) => batch);
  const doubt = (line: number): string =>
    `line ${line} of ${log.path} is corrupt, which may say what is out in batches`;
  return {
    waves: [...state.batches.values()].map(({ at, keys, providerId: batch, ...wave }) => ({
      ...wave,
      batch,
      sinceMs: at,
      keys: [...keys],
    })),
    count: state.batchesSent,
    doubts: isAnyOut ? state.corrupt.map(doubt) : [],
    intended({ id, sinceMs }, model, keys) {
      log.append({ t: "batch", id, model, at: sinceMs, keys });
      log.sync();
    },
    created(id, batch) {
      log.append({ t: "batch", id, providerId: batch });
      log.sync();
    },
    dropped: (id) => log.append({ t: "batch", id, state: "dropped" }),
  };
}
