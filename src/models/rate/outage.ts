import type { ModelError } from "../../errors.js";

interface FailedCall {
  /** The call itself, the same for all its tries. */
  readonly call: object;
  /** It was sent to find out whether the server answers again. */
  readonly isProbe: boolean;
}

/**
 * Failures of one server without a reply in between. After three the server rests, then one call at a time probes it (a
 * half-open circuit breaker); the first reply ends that. Meanwhile failures use up no try, unless they are the call's own.
 */
export class Outage {
  #failures = 0;
  #firstMs = 0;
  readonly #calls = new Set<object>();
  /** Whether a try met no connection: no question is the reason of that. */
  #isUnreached = false;
  #restUntilMs = 0;
  #isProbed = false;
  /** Whether the server ever took a connection. */
  #isReached = false;
  /** How long failures of fewer than three calls are taken for the server's. */
  #aloneMs: number;
  #hasBlamed = false;
  rests = 0;

  constructor(aloneMs: number) {
    this.#aloneMs = aloneMs;
  }

  /** Since when the server itself fails; undefined where it answers, or where the calls may be to blame. */
  get sinceMs(): number | undefined {
    return this.#calls.size >= FEWEST_CALLS || this.#isUnreached ? this.#firstMs : undefined;
  }

  /** True where three tries in a row reached nobody, and none before did. */
  get isDead(): boolean {
    return !this.#isReached && this.#failures >= FAILURES;
  }

  /** Undefined where calls may start, or one may probe; else when one may, or `atMs` undefined: after the probe. */
  hold(nowMs: number): { readonly atMs: number | undefined } | undefined {
    if (this.rests === 0) return undefined;
    if (this.#isProbed) return { atMs: undefined };
    return nowMs < this.#restUntilMs ? { atMs: this.#restUntilMs } : undefined;
  }

  /** A call starts. Returns whether it is a probe. */
  started(): boolean {
    this.#isProbed = this.rests > 0;
    return this.#isProbed;
  }

  /** The probe came to nothing: nothing was sent, or nobody waits for it any more. */
  dropped({ isProbe }: FailedCall): void {
    if (isProbe) this.#isProbed = false;
  }

  /** The server answered, if only with a refusal or nonsense. */
  replied(): void {
    if (this.#hasBlamed) this.#aloneMs = 0; // it did fail for some calls alone, and may again
    this.#hasBlamed = false;
    this.#isReached = true;
    this.#failures = 0;
    this.#calls.clear();
    this.#isUnreached = false;
    this.rests = 0;
    this.#isProbed = false;
  }

  /** A try failed. Returns whether that uses up one of the call's tries. */
  failed(failed: FailedCall, error: ModelError, nowMs: number): boolean {
    this.dropped(failed);
    if (!isOfServer(error)) {
      this.replied();
      return true;
    }
    if (isUnreached(error)) this.#isUnreached = true;
    else this.#isReached = true;
    if (this.#failures === 0) this.#firstMs = nowMs;
    this.#failures += 1;
    this.#calls.add(failed.call);
    if (this.#failures < FAILURES && this.#isReached) return true;
    if (failed.isProbe || this.rests === 0) {
      this.#restUntilMs = nowMs + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.rests);
      this.rests += 1;
    }
    const isCalls = this.sinceMs === undefined && nowMs - this.#firstMs >= this.#aloneMs;
    this.#hasBlamed ||= isCalls;
    return isCalls || error.late;
  }
}

/** Default of how long failures of one or two calls count as the server's. */
export const ALONE_MS = 180_000;

/** Failures without a reply in between after which a server rests. */
const FAILURES = 3;
/** Fewer different calls may themselves be the reason why a server fails. */
const FEWEST_CALLS = 3;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 10_000;

/** No connection (refused, no such host): nothing was sent. */
export const isUnreached = ({ status, bill }: ModelError): boolean => status === undefined && bill === "none";

/** Whether a failure tells that the server does not work: 5xx, broken connections, no reply in time; no reply that cannot be read. */
const isOfServer = ({ retryable, status, bill }: ModelError): boolean =>
  retryable && (status === undefined ? bill !== "due" : status >= 500);
