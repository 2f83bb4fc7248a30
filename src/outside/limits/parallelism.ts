/** The time of a reply. `inFlight`: number of calls in flight when it arrived, itself included. */
interface TimedReply {
  readonly ms: number;
  /** Tokens written, and a part of those read. */
  readonly tokens: number;
  readonly inFlight: number;
}

/**
 * Estimates how many calls a slow server computes at once: if calls wait for each other, a token takes twice as long with two in flight as
 * with one. More calls in flight would only come nearer to their deadlines.
 */
export class Parallelism {
  /** Time of a token with one call in flight. */
  #singleMs: number | undefined;
  #atOnce: number | undefined;
  /** Most calls to have in flight. */
  most = Infinity;

  observe({ ms, tokens, inFlight }: TimedReply): void {
    const tokenMs = ms / Math.max(1, tokens);
    if (inFlight === 1 || this.#singleMs === undefined) {
      this.#singleMs = smoothed(this.#singleMs, tokenMs);
      return;
    }
    this.#atOnce = smoothed(this.#atOnce, (inFlight * this.#singleMs) / tokenMs);
    if (ms >= SLOW_MS && this.#atOnce < inFlight / 2) this.most = Math.max(1, Math.round(this.#atOnce));
  }
}

/** Returns an exponential moving average. */
const smoothed = (before: number | undefined, now: number): number =>
  before === undefined ? now : before * 0.7 + now * 0.3;

const SLOW_MS = 20_000;
