import { addressesOf } from "../../models/endpoints.js";
import { isSimulated } from "../../models/index.js";
import { usualWidth } from "../../models/rate/desk.js";
import { ASSUMED_SECONDS, type Pace } from "../../report/plan/minutes.js";
import type { RunSettings } from "./settings.js";

export type PaceSettings = Pick<RunSettings, "concurrency" | "limits" | "models" | "baseUrl" | "endpoints">;

/**
 * How fast a run can go before anything was measured: its calls in flight, and the limits that its one endpoint or the person
 * states. Those of several endpoints are not added up: their loads differ.
 */
export function paceOf({ concurrency, limits, models, baseUrl, endpoints }: PaceSettings): Pace {
  const named = [...new Set(models.map((id) => endpoints[id.slice(0, id.indexOf("/"))]))];
  const [endpoint] = named.length === 1 ? named : [];
  const addresses = endpoint === undefined ? [baseUrl] : addressesOf(endpoint);
  const width = endpoint?.concurrency ?? concurrency ?? usualWidth(addresses[0], models.every(isSimulated));
  const ofAll = (limit: number | undefined) => (limit === undefined ? undefined : limit * addresses.length);
  return {
    limits: {
      requests: ofAll(endpoint?.rpm ?? limits.requests),
      tokensIn: ofAll(endpoint?.itpm ?? limits.input),
      tokensOut: ofAll(endpoint?.otpm ?? limits.output),
    },
    inFlight: width * addresses.length,
    secondsPerCall: ASSUMED_SECONDS,
  };
}
