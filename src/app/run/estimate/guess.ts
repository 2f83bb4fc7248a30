import { addressesOf, endpointOf } from "../../../models/endpoints.js";
import { isSimulated } from "../../../models/index.js";
import { usualWidth } from "../../../models/rate/limiters.js";
import { ASSUMED_SECONDS, minutesOf, type Pace } from "../../../report/plan/minutes.js";
import type { Manifest } from "../../../run/manifest.js";
import { type Expected, NOTHING_EXPECTED, plusExpected } from "../../../run/rehearse.js";
import type { RunSettings } from "../config/resolve-settings.js";
import { limitsSeen } from "../models/call-notices.js";

/**
 * `low`: the fewest calls by the methods' plans, equal requests once, with replies of one token and a fifth fewer tokens a prompt; `expected`: as rehearsed with the embedded
 * model; `high`: the most, of calls, tokens and dollars.
 */
export interface Guesses {
  readonly low: Guess;
  readonly expected: Guess;
  readonly high: Guess;
}

/** `usd` is undefined where no price is known. */
export interface Guess extends Expected {
  /** At the known limits, or as long as so many calls in flight take. */
  readonly minutes: number;
}

/** One phase of one arm. Tokens and dollars are upper bounds; `usd` is undefined where no price is known. */
export interface EstimateLine {
  readonly task: string;
  readonly method: string;
  readonly phase: string;
  readonly callsLow: number;
  readonly callsHigh: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd: number | undefined;
  readonly expected: Expected;
}

/** Of one arm: its surest calls, each with a fifth fewer prompt tokens than was rehearsed and a reply of one. */
export function leastOf(
  lines: readonly EstimateLine[],
  price: (usage: { in: number; out: number }) => number | undefined,
): Expected {
  return lines.reduce((sum, { callsLow, expected }) => {
    const each = expected.calls === 0 ? 0 : Math.floor((expected.tokensIn / expected.calls) * LESS);
    const usd = price({ in: each, out: 1 });
    const one = { calls: callsLow, tokensIn: callsLow * each, tokensOut: callsLow };
    return plusExpected(sum, { ...one, usd: usd === undefined ? undefined : usd * callsLow });
  }, NOTHING_EXPECTED);
}

/** A total three ways. `least`: of its arms, as if no two asked for the same. */
export function guessesOf(total: EstimateLine, least: Expected, pace: Pace): Guesses {
  const timed = (guess: Expected): Guess => ({ ...guess, minutes: minutesOf(guess, pace) });
  const share = least.calls === 0 ? 0 : total.callsLow / least.calls; // equal requests are sent once
  const { callsHigh: calls, tokensIn, tokensOut, usd } = total;
  return {
    low: timed({
      calls: total.callsLow,
      tokensIn: least.tokensIn * share,
      tokensOut: least.tokensOut * share,
      usd: least.usd === undefined ? undefined : least.usd * share,
    }),
    expected: timed(total.expected),
    high: timed({ calls, tokensIn, tokensOut, usd }),
  };
}

/** Of runs that go one after the other. */
export function sumOfGuesses(all: readonly Guesses[]): Guesses {
  const sum = (which: keyof Guesses): Guess =>
    all.reduce<Guess>(
      (total, guesses) => ({
        ...plusExpected(total, guesses[which]),
        minutes: total.minutes + guesses[which].minutes,
      }),
      { ...NOTHING_EXPECTED, minutes: 0 },
    );
  return { low: sum("low"), expected: sum("expected"), high: sum("high") };
}

/** Tokens of a prompt may be so many fewer than by the bytes of a token. */
const LESS = 0.8;

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
