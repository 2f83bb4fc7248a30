import type { Manifest } from "../../run/manifest.js";
import type { SeenRate } from "../../run/outside/pace.js";
import { TokenGauges } from "./estimate/token-gauges.js";
import { ratesOf } from "./models/call-notices.js";
import type { RunModels } from "./models/models.js";

/** What the calls of this process came to. */
export interface CallTally {
  /** Billable tries. */
  sent: number;
  /** US dollars of this process; absent where no price is known. */
  paid?: ReturnType<RunModels["spent"]>;
  fromStore: number;
  /** All replies, and those that ended at their limit of tokens with no text of an answer. */
  replies: number;
  cut: number;
  /** SHA-256 of the rows, once all are made. */
  rows?: string;
  /** Requests that a replay's recording lacks. */
  missed: readonly string[];
  /** What is to be said of tries that brought no reply. */
  withoutReply: readonly string[];
  /** What was learned of the servers' limits. */
  seen: readonly SeenRate[];
  readonly answeredBy: Set<string>;
  readonly gauges: TokenGauges;
  /** What was spent to find out what the endpoints take, by model id. */
  probes: NonNullable<Manifest["probes"]>;
  /** Whether a reply came by a batch, ever. */
  batch: boolean;
}

/** Nothing was called yet; what the manifest knows of earlier processes is in it. */
export const openTally = (manifest: Manifest): CallTally => ({
  sent: 0,
  fromStore: 0,
  replies: 0,
  cut: 0,
  missed: [],
  withoutReply: [],
  seen: [],
  answeredBy: new Set(manifest.answeredBy),
  gauges: new TokenGauges(manifest.bytesPerToken),
  probes: { ...manifest.probes },
  batch: manifest.batch === true,
});

/** What the manifest says of who answered, from the first reply on: the last process may send nothing. */
export const answeringFacts = (tally: CallTally) => ({
  ...(tally.answeredBy.size === 0 ? {} : { answeredBy: [...tally.answeredBy].sort(), ...byBatch(tally) }),
});

/** What the manifest says of all calls, at the end. */
export function calledFacts(tally: CallTally): Partial<Manifest> {
  return {
    answeredBy: [...tally.answeredBy].sort(),
    ...tally.gauges.facts(),
    ...(Object.keys(tally.probes).length === 0 ? {} : { probes: tally.probes }),
    ...byBatch(tally),
    ...(tally.sent === 0 ? {} : ratesOf(tally.seen)),
  };
}

const byBatch = ({ batch }: CallTally) => (batch ? { batch: true as const } : {});
