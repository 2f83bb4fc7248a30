import type { LimitFacts, Measure, ModelError } from "../../errors.js";
import {
  type Bucket,
  giveBack,
  heardLimit,
  ownBucket,
  perMinuteOf,
  refill,
  roundingOf,
  take,
  waitFor,
} from "./bucket.js";
import { isUnreached, Outage } from "./outage.js";

/** What a call is expected to use up. */
export type Cost = Readonly<Record<Measure, number>>;

/** Limits a minute that the user set. */
export type OwnLimits = { readonly [measure in "requests" | "input" | "output"]?: number | undefined };

export type Reason = "slots" | "asked" | "busy" | "down" | Measure;

/** A call that was let in. */
interface Started {
  readonly call: object;
  readonly cost: Cost;
  readonly atMs: number;
  /** What every bucket had given before it. */
  readonly taken: Readonly<Record<Measure, number>>;
  readonly isProbe: boolean;
}

/** A call may start now, or not before a time; `undefined`: not before another call ends. */
type Verdict =
  /** `load`: the share of its slots that is taken. */
  | { readonly go: true; readonly load: number }
  | { readonly go: false; readonly atMs: number | undefined; readonly why: Reason };

export interface Seen {
  readonly started: number;
  readonly refused: number;
  readonly cuts: number;
  readonly slots: number;
  /** A minute, by what is counted. */
  readonly limits: Readonly<Partial<Record<Measure, number>>>;
}

/** A server's Retry-After counts up to here. */
export const LONGEST_ASKED_MS = 120_000;

/** How many calls one server takes at once and how fast, as learned from its replies and refusals. */
export class ServerSlots {
  readonly outage: Outage;
  readonly #buckets: Partial<Record<Measure, Bucket>> = {};
  readonly #counts = { started: 0, refused: 0, cuts: 0 };
  #inFlight = 0;
  /** Grows by fractions. */
  #slots: number;
  /** Until the first refusal without a reason slots double with every round. */
  #isDoubling = true;
  #heldUntilMs = 0;
  #heldFor: "asked" | "busy" = "asked";
  #lastCutMs = Number.NEGATIVE_INFINITY;
  #lastFailureMs = Number.NEGATIVE_INFINITY;
  #refusedSinceMs: number | undefined;
  /** Spells of refusals since the last reply. */
  #refusals = 0;

  /** `slots`: at the beginning; `aloneMs`: how long failures of one or two calls are taken for the server's. */
  constructor(own: OwnLimits, nowMs: number, slots: number, aloneMs: number) {
    for (const measure of ["requests", "input", "output"] as const) {
      const perMinute = own[measure];
      if (perMinute !== undefined) this.#buckets[measure] = ownBucket(perMinute, nowMs);
    }
    this.#slots = slots;
    this.outage = new Outage(aloneMs);
  }

  /** Since when no reply came although calls were refused or failed; undefined after a reply. */
  get silentSinceMs(): number | undefined {
    const since = [this.#refusedSinceMs, this.outage.sinceMs].filter((ms) => ms !== undefined);
    return since.length === 0 ? undefined : Math.min(...since);
  }

  /** Whether a call of this cost may start. `cap`: most calls in flight, as a person or the kind of server allows. */
  mayStart(cost: Cost, nowMs: number, cap: number): Verdict {
    const rest = this.outage.hold(nowMs);
    if (rest !== undefined) return { go: false, atMs: rest.atMs, why: "down" };
    if (nowMs < this.#heldUntilMs) return { go: false, atMs: this.#heldUntilMs, why: this.#heldFor };
    if (this.#inFlight >= Math.min(Math.floor(this.#slots), cap)) return { go: false, atMs: undefined, why: "slots" };
    let [longest, why]: [number, Reason] = [0, "slots"];
    for (const [measure, bucket] of this.#known()) {
      refill(bucket, nowMs);
      const waitMs = waitFor(bucket, cost[measure] * MARGIN);
      if (waitMs > longest) [longest, why] = [waitMs, measure];
    }
    return longest === 0 ? { go: true, load: this.#inFlight / this.#slots } : { go: false, atMs: nowMs + longest, why };
  }

  started(call: object, cost: Cost, nowMs: number): Started {
    const taken = { requests: 0, input: 0, output: 0, tokens: 0 };
    for (const [measure, bucket] of this.#known()) {
      take(bucket, cost[measure]);
      taken[measure] = bucket.taken;
    }
    this.#inFlight += 1;
    this.#counts.started += 1;
    return { call, cost, atMs: nowMs, taken, isProbe: this.outage.started() };
  }

  /** A reply came. `used`: what it really took, where that is told. */
  answered(started: Started, used: Partial<Cost>, limits: LimitFacts | undefined, nowMs: number): void {
    const wasFull = this.#inFlight >= Math.floor(this.#slots);
    this.#inFlight -= 1;
    for (const [measure, bucket] of this.#known()) {
      const real = used[measure];
      if (real !== undefined) giveBack(bucket, started.cost[measure] - real);
    }
    this.#hear(started, limits, nowMs);
    this.#refusedSinceMs = undefined;
    this.#refusals = 0;
    this.outage.replied();
    if (wasFull && started.atMs > this.#lastFailureMs) this.#grow();
  }

  /**
   * The server refused the call for now. `spread` is uniform in [0, 1). Overload by everybody (529) is no reason to ask with
   * fewer calls.
   */
  refused(started: Started, error: ModelError, nowMs: number, spread: number): void {
    const { limits, status } = error;
    this.#inFlight -= 1;
    this.#counts.refused += 1;
    this.#giveAllBack(started);
    this.#hear(started, limits, nowMs);
    const explained = this.#isExplained(limits, started.cost);
    this.#refusedSinceMs ??= nowMs;
    this.outage.replied();
    const isNew = nowMs >= this.#heldUntilMs; // calls refused together are one spell
    if (status !== OVERLOADED && !explained) this.#cut(started, nowMs);
    if (isNew) this.#refusals += 1;
    if (this.#holdAsAsked(error, nowMs) || !isNew || (explained && this.#refusals === 1)) return; // a bucket that fills says when
    const longest = Math.min(LONGEST_HOLD_MS, FIRST_HOLD_MS * 2 ** (this.#refusals - 1));
    this.#heldUntilMs = nowMs + longest * (0.5 + 0.5 * spread);
    this.#heldFor = "busy";
  }

  /** A try failed otherwise; growth waits for calls that begin later. Returns whether that uses up one of the call's tries. */
  failed(started: Started, error: ModelError, nowMs: number): boolean {
    this.#inFlight -= 1;
    this.#lastFailureMs = nowMs;
    if (isUnreached(error)) this.#giveAllBack(started);
    this.#hear(started, error.limits, nowMs);
    this.#holdAsAsked(error, nowMs);
    return this.outage.failed(started, error, nowMs);
  }

  /** Nothing was sent, or nobody waits for it any more. */
  dropped(started: Started): void {
    this.#inFlight -= 1;
    this.#giveAllBack(started);
    this.outage.dropped(started);
  }

  /** For how long nothing starts here, milliseconds. */
  heldMs(nowMs: number): number {
    return Math.max(0, this.#heldUntilMs - nowMs, (this.outage.hold(nowMs)?.atMs ?? nowMs) - nowMs);
  }

  seen(): Seen {
    const limits = this.#known().map(([measure, bucket]) => [measure, Math.round(perMinuteOf(bucket))] as const);
    return { ...this.#counts, slots: Math.floor(this.#slots), limits: Object.fromEntries(limits) };
  }

  /** A minute, of the limit that calls wait for. */
  limitOf(why: Reason): number | undefined {
    return this.seen().limits[why as Measure]; // none of another reason
  }

  #known(): (readonly [Measure, Bucket])[] {
    return measures.flatMap((measure) => {
      const bucket = this.#buckets[measure];
      return bucket === undefined ? [] : [[measure, bucket] as const];
    });
  }

  #grow(): void {
    this.#slots += this.#isDoubling ? 1 : Math.max(GROWTH, 1 / this.#slots);
  }

  /** Fewer calls at once, as AIMD has it: calls that had begun before the last cut tell nothing new. */
  #cut(started: Started, nowMs: number): void {
    if (started.atMs < this.#lastCutMs) return;
    this.#isDoubling = false;
    this.#lastCutMs = nowMs;
    this.#slots = Math.max(Math.min(this.#slots, FEWEST_SLOTS), this.#slots * CUT);
    this.#counts.cuts += 1;
  }

  #hear(started: Started, limits: LimitFacts | undefined, nowMs: number): void {
    for (const measure of measures) {
      const fact = limits?.[measure];
      if (fact === undefined) continue;
      const takenBefore = started.taken[measure];
      const bucket = heardLimit(this.#buckets[measure], { fact, takenBefore, calls: this.#inFlight, nowMs });
      if (bucket === undefined) delete this.#buckets[measure];
      else this.#buckets[measure] = bucket;
    }
  }

  #giveAllBack({ cost }: Started): void {
    for (const [measure, bucket] of this.#known()) giveBack(bucket, cost[measure]);
  }

  /** Whether what a refusal says remains is less than the call takes; then no more is there. */
  #isExplained(limits: LimitFacts | undefined, cost: Cost): boolean {
    const lacking = measures.filter((measure) => {
      const fact = limits?.[measure];
      if (fact === undefined) return false;
      const least = fact.remaining - roundingOf(fact);
      if (least >= Math.min(cost[measure] * MARGIN, fact.limit)) return false;
      const bucket = this.#buckets[measure];
      if (bucket !== undefined) bucket.level = Math.min(bucket.level, least);
      return true;
    });
    return lacking.length > 0;
  }

  /** Retry-After: no call starts for so long. Returns whether the server asked for anything. */
  #holdAsAsked({ retryAfterMs = 0 }: ModelError, nowMs: number): boolean {
    const untilMs = nowMs + Math.min(retryAfterMs, LONGEST_ASKED_MS);
    if (untilMs > this.#heldUntilMs) {
      this.#heldUntilMs = untilMs;
      this.#heldFor = "asked";
    }
    return retryAfterMs > 0;
  }
}

const measures = ["requests", "input", "output", "tokens"] as const satisfies readonly Measure[];

/** What a bucket must hold beyond the expected cost. */
const MARGIN = 1.05;
const CUT = 0.7;
/** Share of the slots that a round without a refusal adds; one slot at least. */
const GROWTH = 0.05;
const FIRST_HOLD_MS = 500;
const LONGEST_HOLD_MS = 30_000;
/** A call that hangs must not keep all others from going on. */
const FEWEST_SLOTS = 2;
const OVERLOADED = 529;
