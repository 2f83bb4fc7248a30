import type { LineReader, WaveFacts } from "../../types.js";
import type { Line, Queue } from "./queue.js";

/** Where waves are written down; each call returns when that is done. */
export interface WaveLog {
  /** Waves of earlier processes that may be out, each with the requests that are not known to have come to nothing. */
  readonly waves: readonly KnownWave[];
  /** Waves that were ever meant to be sent: no name comes twice. */
  readonly count: number;
  /** Why requests may be out that are in none of these waves; none where nothing of the log was lost. */
  readonly doubts: readonly string[];
  /** Before the wave is sent. */
  intended(wave: WaveFacts, model: string, keys: readonly string[]): void;
  /** The provider has taken it. */
  created(wave: string, batch: string): void;
  /** The provider has not taken it, and will not. */
  dropped(wave: string): void;
  /** A request of it brought no reply: if it is asked again, then in another wave. */
  lost(wave: string, key: string): void;
}

/** A wave as the log holds it. */
export interface KnownWave extends WaveFacts {
  readonly model: string;
  readonly keys: readonly string[];
  /** Undefined where the process ended before it heard the id. */
  readonly batch: string | undefined;
}

/** Lines that are sent together. */
export interface Wave {
  readonly facts: WaveFacts;
  readonly queue: Queue;
  readonly keys: readonly string[];
  readonly tokens: number;
  /** The lines as they are sent; none once they are out, and for waves of earlier processes. */
  texts: readonly string[];
  batch: string | undefined;
  /** Lines that wait for it. */
  readonly lines: Set<Line>;
  isFollowed: boolean;
  /** On its way out: whoever leaves waits for that. */
  isLeaving: boolean;
  /** Only time brings it further. */
  isParked: boolean;
  /** What it brought, once it has ended. */
  readers: ReadonlyMap<string, LineReader> | undefined;
}
