import { addressesOf, endpointOf } from "../../models/endpoints.js";
import { isSimulated } from "../../models/index.js";
import { usualWidth } from "../../models/rate/limiters.js";
import { formatAmount } from "../../report/tables/format.js";
import type { Load } from "./execute.js";
import type { Manifest } from "../manifest.js";
import { countOf, nounOf } from "../../text/count.js";
import type { RunSettings } from "../plan/plan.js";
import { limitsSeen, type RateLimits } from "../tally.js";

/** How fast calls can go. */
export interface Pace {
  readonly limits: RateLimits;
  readonly inFlight: number;
}

/** Seconds of a call before its reply begins, and tokens written a second: assumed, not measured. */
const SECONDS = 1.5;
const TOKENS_PER_SECOND = 60;

/** Returns the minutes that calls take at least, by the tightest of the limits and by the calls in flight. */
export function minutesOf({ calls, tokensIn, tokensOut }: Load, { limits, inFlight }: Pace): number {
  const needs = { requests: calls, tokensIn, tokensOut, tokens: tokensIn + tokensOut };
  const names = Object.keys(needs) as (keyof typeof needs)[];
  const busy = (calls * SECONDS + tokensOut / TOKENS_PER_SECOND) / inFlight / 60;
  return Math.max(busy, ...names.map((name) => needs[name] / (limits[name] ?? Number.POSITIVE_INFINITY)));
}

type PaceSettings = Pick<RunSettings, "concurrency" | "limits" | "models" | "baseUrl" | "endpoints">;

/**
 * Returns the limits that the run's one endpoint or the person states, else those that its servers told an earlier process (`rates`),
 * and its calls in flight. Limits of several endpoints are not added up: their loads differ.
 */
export function paceOf(
  { concurrency, limits, models, baseUrl, endpoints }: PaceSettings,
  rates: Manifest["rates"],
): Pace {
  const named = [...new Set(models.map((id) => endpointOf(endpoints, id)))];
  const [endpoint] = named.length === 1 ? named : [];
  const addresses = endpoint === undefined ? [baseUrl] : addressesOf(endpoint);
  const width = endpoint?.concurrency ?? concurrency ?? usualWidth(addresses[0], models.every(isSimulated));
  const ofAll = (limit: number | undefined) => (limit === undefined ? undefined : limit * addresses.length);
  const seen = models.length === 1 ? limitsSeen(rates ?? [], models[0]!) : undefined;
  return {
    limits: {
      requests: ofAll(endpoint?.rpm ?? limits.requests) ?? seen?.requests,
      tokensIn: ofAll(endpoint?.itpm ?? limits.input) ?? seen?.tokensIn,
      tokensOut: ofAll(endpoint?.otpm ?? limits.output) ?? seen?.tokensOut,
      tokens: seen?.tokens,
    },
    inFlight: width * addresses.length,
  };
}

export function paceText({ limits: { requests, tokensIn, tokensOut, tokens }, inFlight }: Pace): string {
  const known = [
    requests === undefined ? "" : `${formatAmount(requests)} ${nounOf(requests, "request")}`,
    tokensIn === undefined ? "" : `${formatAmount(tokensIn)} tokens in`,
    tokensOut === undefined ? "" : `${formatAmount(tokensOut)} tokens out`,
    tokens === undefined ? "" : `${formatAmount(tokens)} tokens`,
  ].filter(Boolean);
  const bound = known.length === 0 ? "no limit of the account is known" : `${known.join(", ")} a minute`;
  return `minutes: ${countOf(inFlight, "call")} in flight, ${SECONDS} s and a second for ${TOKENS_PER_SECOND} tokens each; ${bound}`;
}
