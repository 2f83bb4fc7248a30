/** A reply, as far as its time goes. `inFlight`: calls that were out when it came, itself included. */
interface TimedReply {
  readonly ms: number;
  /** Tokens written, and a part of those read. */
  readonly tokens: number;
  readonly inFlight: number;
}

/**
 * Learns how many calls a slow server works on at a time: where calls wait for each other, a token takes twice as long with two in
 * flight as with one. More in flight than that only bring each of them nearer to its deadline.
 */
export class Parallelism {
  /** Time of a token with one call in flight. */
  #aloneMs: number | undefined;
  #atATime: number | undefined;
  /** Most calls to have in flight. */
  most = Infinity;

  observe({ ms, tokens, inFlight }: TimedReply): void {
    const tokenMs = ms / Math.max(1, tokens);
    if (inFlight === 1 || this.#aloneMs === undefined) {
      this.#aloneMs = smoothed(this.#aloneMs, tokenMs);
      return;
    }
    this.#atATime = smoothed(this.#atATime, (inFlight * this.#aloneMs) / tokenMs);
    if (ms >= SLOW_MS && this.#atATime < inFlight / 2) this.most = Math.max(1, Math.round(this.#atATime));
  }
}

const smoothed = (before: number | undefined, now: number): number =>
  before === undefined ? now : before * 0.7 + now * 0.3;

const SLOW_MS = 20_000;
