import { addressesOf, endpointOf } from "../../../models/endpoints.js";
import { isSimulated } from "../../../models/index.js";
import { usualWidth } from "../../../models/rate/limiters.js";
import { ASSUMED_SECONDS, type Pace } from "../../../report/plan/minutes.js";
import type { Manifest } from "../../../run/manifest/manifest.js";
import type { RunSettings } from "../config/run-settings.js";
import { limitsSeen } from "../models/rates.js";

export type PaceSettings = Pick<RunSettings, "concurrency" | "limits" | "models" | "baseUrl" | "endpoints">;

/**
 * How fast a run can go: its calls in flight, and the limits that its one endpoint or the person states, else those that its
 * servers told an earlier process (`rates`). Those of several endpoints are not added up: their loads differ.
 */
export function paceOf(
  { concurrency, limits, models, baseUrl, endpoints }: PaceSettings,
  rates: Manifest["rates"] = [],
): Pace {
  const named = [...new Set(models.map((id) => endpointOf(endpoints, id)))];
  const [endpoint] = named.length === 1 ? named : [];
  const addresses = endpoint === undefined ? [baseUrl] : addressesOf(endpoint);
  const width = endpoint?.concurrency ?? concurrency ?? usualWidth(addresses[0], models.every(isSimulated));
  const ofAll = (limit: number | undefined) => (limit === undefined ? undefined : limit * addresses.length);
  const seen = models.length === 1 ? limitsSeen(rates, models[0]!) : undefined;
  return {
    limits: {
      requests: ofAll(endpoint?.rpm ?? limits.requests) ?? seen?.requests,
      tokensIn: ofAll(endpoint?.itpm ?? limits.input) ?? seen?.tokensIn,
      tokensOut: ofAll(endpoint?.otpm ?? limits.output) ?? seen?.tokensOut,
      tokens: seen?.tokens,
    },
    inFlight: width * addresses.length,
    secondsPerCall: ASSUMED_SECONDS,
  };
}
