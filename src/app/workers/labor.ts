import type { Manifest } from "../../run/manifest-shape.js";
import type { Board } from "../../workers/board.js";
import type { Database } from "../../workers/connect.js";
import type { Exchange } from "../../workers/exchange.js";
import type { UnitJob } from "../../workers/queue.js";
import type { Io } from "../io.js";
import type { Stops } from "../run/stops.js";
import type { remoteCalls } from "./remote.js";

/** A worker, for all that it works on. */
export interface WorkerContext {
  /** `gpu1-4211-9f3a`: unlike every other, also a later one of the same machine. */
  readonly id: string;
  readonly database: Database;
  readonly board: Board;
  readonly concurrency: number | undefined;
  readonly io: Io;
  readonly signal: AbortSignal;
  readonly kill: AbortSignal;
}

/** What a worker tells of itself with each sign of life. */
export interface WorkerFacts {
  /** Why it does not work on the run. */
  readonly refused?: string;
  readonly endpoints?: Manifest["endpoints"];
  readonly probes?: Manifest["probes"];
}

/** One kind of work as a worker does it: users of a run, or calls of a judge. */
export interface Labor {
  readonly stops: Stops;
  /** Throws UsageError where this worker would not do what was planned. */
  check(): void;
  /** Opens what the calls go through. */
  begin(hands: Hands): Promise<Begun>;
  /** What was learned of servers so far. */
  facts(): WorkerFacts;
  close(): Promise<void>;
}

/** What all workers of a run share. */
export interface Hands extends ReturnType<typeof remoteCalls> {
  readonly exchange: Exchange;
  /** What a unit is about, where its id does not say it. */
  input(unit: string): Promise<string>;
  /** Nothing more is bought for the run, by whomever; the first reason stands. */
  end(reason: unknown): Promise<void>;
}

export interface Begun {
  /** Units that are worth having in work at once. */
  readonly width: number;
  /** Does a unit and hands in what came of it; `deaths`: so many workers died or hung with it. Throws what ends the run. */
  unit(unit: UnitJob, deaths: number): Promise<void>;
  /** Ends when nothing is at work any more. */
  ended(): Promise<void>;
}

/** So many workers died or hung with one unit: it is given up. */
const MOST_DEATHS = 3;

/** Why a unit is given up; undefined: it is not. */
export const givenUp = (deaths: number): string | undefined =>
  deaths < MOST_DEATHS ? undefined : `${deaths} workers died or hung while they worked on this unit`;
