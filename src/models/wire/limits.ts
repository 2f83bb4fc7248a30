import type { LimitFact, LimitFacts, Measure } from "../../errors.js";
import type { HeaderBag } from "../../net/retry.js";
import type { LimitHeaders } from "../../types/index.js";

/**
 * Returns the limits that a reply's headers name, the tightest of each measure; undefined where they name none. Resets are read as
 * seconds, as durations (`6m0s`, `250ms`) and as RFC 3339 times, these against the reply's own `date`.
 */
export function readLimits(headers: HeaderBag, names: LimitHeaders): LimitFacts | undefined {
  const found: Partial<Record<Measure, LimitFact>> = {};
  for (const [measure, name] of names) {
    const fact = factOf(headers, name);
    const before = found[measure];
    if (fact !== undefined && (before === undefined || before.remaining > fact.remaining)) found[measure] = fact;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

const SECOND = 1000;
const DURATION = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/** Returns milliseconds until a reset, and how exact that is; undefined for what is in none of the three forms. */
function readReset(text: string, date: string | null | undefined): { ms: number; offMs: number } | undefined {
  const plain = text.trim();
  if (/^\d+(\.\d+)?$/.test(plain)) return ofNumber(Number(plain), plain.includes("."), date);
  const [match, days, hours, minutes, seconds, ms] = DURATION.exec(plain) ?? [];
  if (match !== undefined && match !== "") {
    const whole = Number(days ?? 0) * 24 + Number(hours ?? 0);
    const inMinutes = whole * 60 + Number(minutes ?? 0);
    const exact = ms !== undefined || seconds?.includes(".") === true;
    return { ms: (inMinutes * 60 + Number(seconds ?? 0)) * 1000 + Number(ms ?? 0), offMs: exact ? 1 : SECOND };
  }
  return /^\d{4}-\d\d-\d\dT/.test(plain) ? fromDate(Date.parse(plain), date) : undefined;
}

function factOf(headers: HeaderBag, name: string): LimitFact | undefined {
  const limit = count(headers.get(name.replace("*", "limit")));
  const remaining = count(headers.get(name.replace("*", "remaining")));
  if (limit === undefined || limit === 0 || remaining === undefined) return undefined;
  const reset = readReset(headers.get(name.replace("*", "reset")) ?? "", headers.get("date"));
  return { limit, remaining, ...(reset === undefined ? {} : { resetMs: reset.ms, offMs: reset.offMs }) };
}

function count(text: string | null | undefined): number | undefined {
  return text !== null && text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

/** Small numbers are seconds from now, large ones seconds or milliseconds since the epoch. */
function ofNumber(value: number, exact: boolean, date: string | null | undefined) {
  if (value > 1e12) return fromDate(value, date);
  if (value > 1e9) return fromDate(value * SECOND, date);
  return { ms: value * SECOND, offMs: exact ? 1 : SECOND };
}

function fromDate(atMs: number, date: string | null | undefined): { ms: number; offMs: number } | undefined {
  const ms = atMs - Date.parse(date ?? "");
  return Number.isNaN(ms) ? undefined : { ms: Math.max(0, ms), offMs: SECOND };
}
