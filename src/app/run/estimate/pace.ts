import { endpointOf } from "../../../models/endpoints.js";
import { isSimulated } from "../../../models/index.js";
import { formatAmount } from "../../../report/tables/format.js";
import type { Load } from "../../../run/estimate/execute.js";
import type { Manifest } from "../../../run/manifest.js";
import { usualWidth } from "../../../run/outside/paces.js";
import { countOf, nounOf } from "../../../text/count.js";
import type { RunSettings } from "../config/resolve-settings.js";
import { limitsSeen, type RateLimits } from "../models/call-notices.js";

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
  const address = endpoint === undefined ? baseUrl : endpoint.baseUrl;
  const seen = models.length === 1 ? limitsSeen(rates ?? [], models[0]!) : undefined;
  return {
    limits: {
      requests: endpoint?.rpm ?? limits.requests ?? seen?.requests,
      tokensIn: endpoint?.itpm ?? limits.input ?? seen?.tokensIn,
      tokensOut: endpoint?.otpm ?? limits.output ?? seen?.tokensOut,
      tokens: seen?.tokens,
    },
    inFlight: endpoint?.concurrency ?? concurrency ?? usualWidth(address, models.every(isSimulated)),
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
