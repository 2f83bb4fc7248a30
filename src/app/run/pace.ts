import { addressesOf } from "../../models/endpoints.js";
import { ASSUMED_SECONDS, type Pace } from "../../report/plan/minutes.js";
import type { RunSettings } from "./settings.js";

/**
 * How fast a run can go before anything was measured: its calls in flight, and the limits that its one endpoint states. Those of
 * several endpoints are not added up: their loads differ.
 */
export function paceOf({
  concurrency,
  endpoints,
  models,
}: Pick<RunSettings, "concurrency" | "endpoints" | "models">): Pace {
  const named = [...new Set(models.map((id) => endpoints[id.slice(0, id.indexOf("/"))]))];
  const [endpoint] = named;
  if (named.length !== 1 || endpoint === undefined)
    return { limits: {}, inFlight: concurrency, secondsPerCall: ASSUMED_SECONDS };
  const servers = addressesOf(endpoint).length;
  const ofAll = (limit: number | undefined) => (limit === undefined ? undefined : limit * servers);
  return {
    limits: { requests: ofAll(endpoint.rpm), tokensIn: ofAll(endpoint.itpm), tokensOut: ofAll(endpoint.otpm) },
    inFlight: (endpoint.concurrency ?? concurrency) * servers,
    secondsPerCall: ASSUMED_SECONDS,
  };
}
