import type { SeenRates } from "../../../models/rate/limiters.js";
import type { Manifest } from "../../../run/manifest.js";
import { TokenGauges } from "../estimate/token-gauges.js";
import type { RunModels } from "../models/models.js";
import type { PilotFindings } from "./pilot-findings.js";

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
  /** What is to be said of tries that brought no reply, and of a purse that others share. */
  withoutReply: readonly string[];
  /** What was learned of the servers' limits. */
  seen: readonly SeenRates[];
  readonly answeredBy: Set<string>;
  pilot?: PilotFindings;
  readonly gauges: TokenGauges;
  /** What was spent to find out what the endpoints take, by model id. */
  probes: NonNullable<Manifest["probes"]>;
  /** Whether a reply came by a batch, ever. */
  batch: boolean;
  /** Nothing was left to do in a finished run: its seals stay as they are. */
  idle: boolean;
}

/** Nothing was called yet; what the manifest knows of earlier processes is in it. */
export const openTally = (manifest: Manifest): CallTally => ({
  sent: 0,
  fromStore: 0,
  replies: 0,
  cut: 0,
  withoutReply: [],
  seen: [],
  answeredBy: new Set(manifest.answeredBy),
  gauges: new TokenGauges(manifest.bytesPerToken),
  probes: { ...manifest.probes },
  batch: manifest.batch === true,
  idle: false,
});
