import { type DrawnCluster, ratioForecast } from "../../statistics/ratio-estimate.js";

export interface PilotUser {
  /** What was known before: bytes of prompts. */
  readonly size: number;
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** US dollars; undefined where no price is known. */
  readonly usd: number | undefined;
}

/** Users that were not in the pilot. */
interface RestUsers {
  readonly count: number;
  readonly size: number;
}

/** A pilot's forecast of the whole run, with what was spent already. */
export interface Forecast {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** What all users share, bought once: part of the above. */
  readonly fixed: { readonly calls: number; readonly usd: number };
  /** US dollars, and the 95 % prediction interval. Undefined where no price is known, or too few users were in the pilot. */
  readonly usd: number | undefined;
  readonly interval: { readonly low: number; readonly high: number } | undefined;
}

/** A forecast needs so many users of a task. */
export const FEWEST_USERS = 5;

/**
 * Each stratum (a task) is foretold by its own users; the half widths add as independent errors do. `fixed`: what all users share,
 * bought once.
 */
export function forecastOf(
  strata: readonly { readonly users: readonly PilotUser[]; readonly rest: RestUsers }[],
  fixed: Omit<PilotUser, "size">,
): Forecast {
  const total = (part: (user: Omit<PilotUser, "size">) => number): number =>
    strata.reduce((sum, { users, rest }) => {
      const drawn = users.map((user) => ({ x: user.size, y: part(user) }));
      return sum + drawn.reduce((all, { y }) => all + y, 0) + expectedOf(drawn, rest);
    }, part(fixed));
  const priced = fixed.usd !== undefined && strata.every(({ users }) => users.every(({ usd }) => usd !== undefined));
  const usd = priced ? total((user) => user.usd ?? 0) : undefined;
  const halves = strata.map(({ users, rest }) => halfOf(users, rest));
  const known = halves.every((half) => half !== undefined);
  const half = Math.sqrt(halves.reduce<number>((sum, one) => sum + (one ?? 0) ** 2, 0));
  const spent = strata.reduce((sum, { users }) => sum + users.reduce((all, user) => all + (user.usd ?? 0), 0), 0);
  return {
    calls: total(({ calls }) => calls),
    tokensIn: total(({ tokensIn }) => tokensIn),
    tokensOut: total(({ tokensOut }) => tokensOut),
    fixed: { calls: fixed.calls, usd: fixed.usd ?? 0 },
    usd,
    interval:
      usd === undefined || !known
        ? undefined
        : { low: Math.max(spent + (fixed.usd ?? 0), usd - half), high: usd + half },
  };
}

/** About how many of so many users a cap pays for. */
export const usersPaidBy = (cap: number, whole: number, fixed: number, users: number): number =>
  cap >= whole ? users : Math.max(0, Math.floor((users * (cap - fixed)) / (whole - fixed)));

const expectedOf = (drawn: readonly DrawnCluster[], rest: RestUsers): number =>
  ratioForecast(drawn, { count: rest.count, x: rest.size }).expected;

function halfOf(users: readonly PilotUser[], rest: RestUsers): number | undefined {
  if (rest.count === 0) return 0;
  if (users.length < FEWEST_USERS) return undefined;
  const drawn = users.map(({ size, usd = 0 }) => ({ x: size, y: usd }));
  return ratioForecast(drawn, { count: rest.count, x: rest.size }).half;
}
