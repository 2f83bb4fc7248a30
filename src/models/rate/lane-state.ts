import type { Measure } from "../../limit-facts.js";
import { type Bucket, ownBucket, perMinuteOf } from "./bucket.js";
import type { Pace } from "./pace.js";

/** What a call is expected to use up. */
export type Cost = Readonly<Record<Measure, number>>;

/** What a person knows of a server's limits, a minute. */
export interface OwnLimits {
  readonly requests?: number;
  readonly input?: number;
  readonly output?: number;
}

/** Why a call waits. */
export type Reason = "slots" | "asked" | "busy" | "pace" | Measure;

/** All that is known of one server's patience. Plain data, so that processes could share it; times are the controller's clock. */
export interface LaneState {
  inFlight: number;
  /** How many calls may be in flight; grows by fractions. */
  slots: number;
  /** Until the first refusal without a reason slots double with every round. */
  doubling: boolean;
  /** Most calls in flight for a moment, after a refusal. */
  ceiling: { readonly calls: number; readonly untilMs: number };
  /** No call starts before, whatever else allows it. */
  heldUntilMs: number;
  heldFor: "asked" | "busy";
  buckets: Partial<Record<Measure, Bucket>>;
  pace: Pace | undefined;
  /** Starts of late that were not refused, oldest first. */
  starts: number[];
  /** Refusals of late that no header explains, oldest first. */
  refusedAt: number[];
  /** How long calls take, smoothed. */
  callMs: number;
  lastCutMs: number;
  lastFailureMs: number;
  /** Calls that failed since the last reply. */
  failures: number;
  firstStartMs: number | undefined;
  /** The first refusal since the last reply. */
  refusedSinceMs: number | undefined;
  /** Spells of refusals since the last reply. */
  refusals: number;
  /** Slots at the beginning of the last 15 s, which growth is measured by. */
  mark: { readonly atMs: number; readonly slots: number };
  counts: { started: number; refused: number; cuts: number };
  /** Slots after each cut and at their largest, for the manifest. */
  history: { readonly atMs: number; readonly slots: number }[];
}

/** What is known of a server that was never asked. */
export function openLane(own: OwnLimits, nowMs: number, slots = 1): LaneState {
  const given = (["requests", "input", "output"] as const).flatMap((measure) => {
    const perMinute = own[measure];
    return perMinute === undefined ? [] : [[measure, ownBucket(perMinute, nowMs)] as const];
  });
  return {
    inFlight: 0,
    slots,
    doubling: true,
    ceiling: { calls: Number.POSITIVE_INFINITY, untilMs: 0 },
    heldUntilMs: 0,
    heldFor: "asked",
    buckets: Object.fromEntries(given),
    pace: undefined,
    starts: [],
    refusedAt: [],
    callMs: 0,
    lastCutMs: Number.NEGATIVE_INFINITY,
    lastFailureMs: Number.NEGATIVE_INFINITY,
    failures: 0,
    firstStartMs: undefined,
    refusedSinceMs: undefined,
    refusals: 0,
    mark: { atMs: nowMs, slots },
    counts: { started: 0, refused: 0, cuts: 0 },
    history: [],
  };
}

/** What a run learned of a server, for its manifest. */
export interface Seen {
  readonly started: number;
  readonly refused: number;
  readonly cuts: number;
  readonly slots: number;
  /** A minute, by what is counted. */
  readonly limits: Readonly<Partial<Record<Measure, number>>>;
  readonly history: readonly { readonly atMs: number; readonly slots: number }[];
}

export function seen({ counts, slots, buckets, history }: LaneState): Seen {
  const limits = measures.flatMap((measure) => {
    const bucket = buckets[measure];
    return bucket === undefined ? [] : [[measure, Math.round(perMinuteOf(bucket))] as const];
  });
  return { ...counts, slots: Math.floor(slots), limits: Object.fromEntries(limits), history };
}

/** A minute, of the limit that calls wait for. */
export function limitOf({ buckets, pace }: LaneState, why: Reason): number | undefined {
  if (why === "pace") return pace === undefined ? undefined : Math.round(pace.rate * MINUTE_MS);
  const bucket = why === "slots" || why === "asked" || why === "busy" ? undefined : buckets[why];
  return bucket === undefined ? undefined : Math.round(perMinuteOf(bucket));
}

/** What servers count. */
export const measures = ["requests", "input", "output", "tokens"] as const satisfies readonly Measure[];

export const MINUTE_MS = 60_000;
