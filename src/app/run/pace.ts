import { ASSUMED_SECONDS, type Pace } from "../../report/plan/minutes.js";
import type { RunSettings } from "./settings.js";

/** How fast a run can go before anything was measured: its calls in flight, and the limits that are known. */
export function paceOf({ concurrency }: Pick<RunSettings, "concurrency">): Pace {
  return { limits: {}, inFlight: concurrency, secondsPerCall: ASSUMED_SECONDS };
}
