import type { LimitFacts, Measure } from "../../limit-facts.js";
import { giveBack, heardLimit, refill, roundingOf, take, waitFor } from "./bucket.js";
import { type Cost, type LaneState, MINUTE_MS, measures, type Reason } from "./lane-state.js";
import { allowedAt, learnPace, takePace } from "./pace.js";

/** A call that was let in. */
export interface Started {
  readonly cost: Cost;
  readonly atMs: number;
  /** What every bucket had given before it. */
  readonly taken: Readonly<Record<Measure, number>>;
}

/** A call may start now, or not before a time; `undefined`: not before another call ends. */
export type Verdict =
  /** `load`: the share of its slots that is taken. */
  | { readonly go: true; readonly load: number }
  | { readonly go: false; readonly atMs: number | undefined; readonly why: Reason };

/** How a server refused a call for the moment. */
export interface Refusal {
  /** What it asked to wait, milliseconds, capped; 0 where it asked for nothing. */
  readonly askedMs: number;
  readonly limits: LimitFacts | undefined;
  /** True where it is overloaded by everybody (529): no reason to ask with fewer calls. */
  readonly overloaded: boolean;
}

/** Whether a call of this cost may start. `cap`: most calls in flight, as a person or the kind of server allows. */
export function mayStart(state: LaneState, cost: Cost, nowMs: number, cap: number): Verdict {
  if (nowMs < state.heldUntilMs) return { go: false, atMs: state.heldUntilMs, why: state.heldFor };
  if (state.inFlight >= Math.min(Math.floor(state.slots), cap)) return { go: false, atMs: undefined, why: "slots" };
  const { ceiling } = state;
  if (nowMs < ceiling.untilMs && state.inFlight >= ceiling.calls)
    return { go: false, atMs: ceiling.untilMs, why: "slots" };
  const paceMs = allowedAt(state.pace, nowMs);
  if (paceMs > nowMs) return { go: false, atMs: paceMs, why: "pace" };
  let [longest, why]: [number, Reason] = [0, "slots"];
  for (const measure of measures) {
    const bucket = state.buckets[measure];
    if (bucket === undefined) continue;
    refill(bucket, nowMs);
    const waitMs = waitFor(bucket, cost[measure] * MARGIN);
    if (waitMs > longest) [longest, why] = [waitMs, measure];
  }
  return longest === 0 ? { go: true, load: state.inFlight / state.slots } : { go: false, atMs: nowMs + longest, why };
}

export function started(state: LaneState, cost: Cost, nowMs: number): Started {
  const taken = { requests: 0, input: 0, output: 0, tokens: 0 };
  for (const measure of measures) {
    const bucket = state.buckets[measure];
    if (bucket === undefined) continue;
    take(bucket, cost[measure]);
    taken[measure] = bucket.taken;
  }
  state.inFlight += 1;
  state.counts.started += 1;
  state.firstStartMs ??= nowMs;
  state.starts.push(nowMs);
  if (state.starts.length > MOST_STARTS) state.starts.splice(0, MOST_STARTS / 2);
  takePace(state.pace, nowMs);
  return { cost, atMs: nowMs, taken };
}

/** A reply came. `used`: what it really took, where that is told. */
export function answered(
  state: LaneState,
  call: Started,
  { used, limits }: { readonly used: Partial<Cost>; readonly limits: LimitFacts | undefined },
  nowMs: number,
): void {
  const wasFull = state.inFlight >= Math.floor(state.slots);
  state.inFlight -= 1;
  for (const measure of measures) {
    const bucket = state.buckets[measure];
    const real = used[measure];
    if (bucket !== undefined && real !== undefined) giveBack(bucket, call.cost[measure] - real);
  }
  hear(state, call, limits, nowMs);
  const tookMs = nowMs - call.atMs;
  state.callMs = state.callMs === 0 ? tookMs : state.callMs * 0.9 + tookMs * 0.1;
  state.refusedSinceMs = undefined;
  state.refusals = 0;
  state.failures = 0;
  state.ceiling = { ...state.ceiling, calls: state.ceiling.calls + 1 };
  if (wasFull && call.atMs > state.lastFailureMs) grow(state, nowMs);
}

/**
 * The server refused the call for now: it goes back to the queue. `spread` is uniform in [0, 1). Returns for how long nothing
 * starts here, milliseconds.
 */
export function refused(state: LaneState, call: Started, refusal: Refusal, nowMs: number, spread: number): number {
  const { askedMs, limits, overloaded } = refusal;
  state.inFlight -= 1;
  state.counts.refused += 1;
  giveAllBack(state, call);
  hear(state, call, limits, nowMs);
  const explained = explains(limits, call.cost);
  if (explained) empty(state, limits, call.cost);
  state.refusedSinceMs ??= nowMs;
  const isNew = nowMs >= state.heldUntilMs; // calls refused together are one spell
  if (!overloaded && !explained) learnFromRefusal(state, nowMs);
  if (isNew) state.refusals += 1;
  hold(state, { askedMs, explained, isNew, spread }, nowMs);
  return Math.max(0, state.heldUntilMs - nowMs);
}

/** A try failed otherwise, and may be billed: its slot is not given back, and growth waits for calls that begin later. */
export function failed(state: LaneState, call: Started, limits: LimitFacts | undefined, nowMs: number): void {
  state.inFlight -= 1;
  state.lastFailureMs = nowMs;
  hear(state, call, limits, nowMs);
}

/** Nothing was sent, or nobody waits for it any more. */
export function dropped(state: LaneState, call: Started): void {
  state.inFlight -= 1;
  giveAllBack(state, call);
}

/** No call starts for so long, because the server asked for it. */
export function holdFor(state: LaneState, askedMs: number, nowMs: number): void {
  if (nowMs + askedMs <= state.heldUntilMs) return;
  state.heldUntilMs = nowMs + askedMs;
  state.heldFor = "asked";
}

/** A server that fails calls rests, where others can take them. */
export function rest(state: LaneState, nowMs: number): void {
  state.failures += 1;
  const restMs = Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (state.failures - 1));
  if (nowMs + restMs <= state.heldUntilMs) return;
  state.heldUntilMs = nowMs + restMs;
  state.heldFor = "busy";
}

/** What a bucket must hold beyond the expected cost. */
const MARGIN = 1.05;
/** Between two cuts, by our own clock: no number of a server's moves it. */
const CUT_EVERY_MS = 15_000;
const CUT = 0.7;
/** Share of the slots that a round without a refusal adds; one slot at least. */
const GROWTH = 0.05;
const FIRST_HOLD_MS = 500;
const LONGEST_HOLD_MS = 30_000;
const MOST_SLOTS = 1000;
/** How long a refusal keeps calls to those that were in flight, at least. */
const CEILING_MS = 1_000;
/** A call that hangs must not keep all others from going on. */
const FEWEST_SLOTS = 2;
const MOST_STARTS = 4096;

function grow(state: LaneState, nowMs: number): void {
  const before = state.slots;
  const grown = state.slots + (state.doubling ? 1 : Math.max(GROWTH, 1 / state.slots));
  if (nowMs - state.mark.atMs >= CUT_EVERY_MS) state.mark = { atMs: nowMs, slots: state.slots };
  const isYoung = nowMs - (state.firstStartMs ?? nowMs) < MINUTE_MS;
  state.slots = Math.min(MOST_SLOTS, isYoung ? grown : Math.max(before, Math.min(grown, state.mark.slots * 2)));
}

function hear(state: LaneState, call: Started, limits: LimitFacts | undefined, nowMs: number): void {
  if (limits === undefined) return;
  for (const measure of measures) {
    const fact = limits[measure];
    if (fact === undefined) continue;
    const takenBefore = call.taken[measure];
    const bucket = heardLimit(state.buckets[measure], { fact, takenBefore, calls: state.inFlight, nowMs });
    if (bucket === undefined) delete state.buckets[measure];
    else state.buckets[measure] = bucket;
  }
}

function giveAllBack(state: LaneState, { cost }: Started): void {
  for (const measure of measures) {
    const bucket = state.buckets[measure];
    if (bucket !== undefined) giveBack(bucket, cost[measure]);
  }
}

/** Whether what the server says remains is less than the call takes. */
const explains = (limits: LimitFacts | undefined, cost: Cost): boolean =>
  measures.some((measure) => {
    const fact = limits?.[measure];
    return fact !== undefined && fact.remaining - roundingOf(fact) < Math.min(cost[measure] * MARGIN, fact.limit);
  });

/** What a refusal says remains, and no more. */
function empty(state: LaneState, limits: LimitFacts | undefined, cost: Cost): void {
  for (const measure of measures) {
    const [fact, bucket] = [limits?.[measure], state.buckets[measure]];
    if (fact === undefined || bucket === undefined) continue;
    const least = fact.remaining - roundingOf(fact);
    if (least < cost[measure] * MARGIN) bucket.level = Math.min(bucket.level, least);
  }
}

/** A refusal that no header explains: fewer calls at once, and no more of them a second than were taken. */
function learnFromRefusal(state: LaneState, nowMs: number): void {
  state.ceiling = { calls: Math.max(1, state.inFlight), untilMs: nowMs + Math.max(CEILING_MS, 2 * state.callMs) };
  state.starts.pop();
  state.refusedAt.push(nowMs);
  state.pace = learnPace(state.pace, state, nowMs);
  if (nowMs - state.lastCutMs < CUT_EVERY_MS) return;
  state.doubling = false;
  state.lastCutMs = nowMs;
  state.slots = Math.max(Math.min(state.slots, FEWEST_SLOTS), state.slots * CUT);
  state.counts.cuts += 1;
  state.history.push({ atMs: nowMs, slots: state.slots });
}

function hold(
  state: LaneState,
  {
    askedMs,
    explained,
    isNew,
    spread,
  }: { readonly askedMs: number; readonly explained: boolean; readonly isNew: boolean; readonly spread: number },
  nowMs: number,
): void {
  if (askedMs > 0) {
    holdFor(state, askedMs, nowMs);
    return;
  }
  if (!isNew || (explained && state.refusals === 1)) return; // a bucket that fills says when
  const longest = Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (state.refusals - 1));
  state.heldUntilMs = nowMs + longest * (0.5 + 0.5 * spread);
  state.heldFor = "busy";
}
