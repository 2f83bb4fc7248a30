import { UsageError } from "../../errors.js";
import type { Log } from "../../log/log.js";
import type { ServerPlan } from "../../plan/types.js";
import { contentId } from "../../text/content-id.js";
import { nounOf } from "../../text/count.js";
import type { Clock } from "../../types/index.js";
import type { Stops } from "../stops.js";
import { Waits } from "../waits.js";
import { Batches } from "./batches.js";

/** The reason of a stop: all requests are in batches, and `--batch detach` does not wait for them. */
export class Detached {
  readonly name = "Detached";

  constructor(
    /** Requests in batches. */
    readonly requests: number,
  ) {}
}

export interface Batching {
  readonly batches: Batches;
  readonly waits: Waits;
}

/** The part of a run that its batches need. */
interface BatchedRun {
  /** Absolute path of the run. */
  readonly folder: string;
  readonly log: Log;
  readonly clock: Clock;
  readonly stops: Stops;
  tell(line: string): void;
}

/**
 * Opens the batches of a run; returns undefined without `--batch`. Throws UsageError where requests would be billed twice: without
 * `--batch` although some are in batches, and where a corrupt line of the log may have named a batch.
 */
export function openBatching({ batch }: Pick<ServerPlan, "batch">, run: BatchedRun): Batching | undefined {
  const { folder, clock, stops, tell, log } = run;
  const { batches: known, openTries, corrupt } = log.state;
  const requests = [...known.values()].reduce((sum, { keys }) => sum + keys.size, 0);
  const isInBatch = requests > 0 || [...openTries.values()].some((openTry) => openTry.batch);
  if (isInBatch && corrupt.length > 0 && batch?.resend !== true) {
    const lines = corrupt.map((line) => `line ${line} of ${log.path} is corrupt`).join("; ");
    const next = "add --batch resend to collect the known batches and send the rest again";
    throw new UsageError(`${lines}, which may say what is in batches: ${next}`);
  }
  if (batch === undefined && requests > 0) {
    const are = nounOf(requests, "request of this run is", "requests of this run are");
    const ids = [...known.values()].map(({ providerId = "one of unknown id" }) => providerId).join(", ");
    const next = "add --batch to collect them, or --batch resend to buy them again";
    throw new UsageError(`${requests} ${are} out in batches (${ids}): ${next}`);
  }
  if (batch === undefined) return undefined;
  const waits: Waits = new Waits(() => batches.check());
  const batches: Batches = new Batches({
    log,
    clock,
    tell,
    stop: stops.stop,
    kill: stops.kill,
    resend: batch.resend,
    allWait: () => waits.allWait,
    name: `${contentId({ folder, at: clock.now() }).slice(0, 12)}w`,
    ...(batch.detach && { onAllSent: (sent: number) => stops.stop.abort(new Detached(sent)) }),
  });
  return { batches, waits };
}
