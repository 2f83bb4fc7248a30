import type { ModelError } from "../../errors.js";

/** What a failed call was to a breaker. */
export interface Tried {
  /** The call itself, the same for all its tries. */
  readonly call: object;
  /** It was sent to find out whether the server answers again. */
  readonly isProbe: boolean;
}

/**
 * A circuit breaker of one server. After three failures without a reply in between the server rests, then one call at a time
 * probes it; the first reply ends that. Meanwhile failures use up no try, unless they are the call's own.
 */
export class Breaker {
  #failures = 0;
  #firstMs = 0;
  readonly #calls = new Set<object>();
  #rests = 0;
  #restUntilMs = 0;
  #isProbed = false;
  /** Whether a try met no connection since the last reply: no question is the reason of that. */
  #isUnreached = false;
  #wasReached = false;
  /** How long failures of one or two calls are taken for the server's. */
  #aloneMs: number;

  constructor(aloneMs = ALONE_MS) {
    this.#aloneMs = aloneMs;
  }

  /** True where three tries in a row reached nobody, and none before did. */
  get isDead(): boolean {
    return !this.#wasReached && this.#failures >= FAILURES;
  }

  /** Whether the server itself fails: no single question is the reason. */
  get isServers(): boolean {
    return this.#calls.size >= FEWEST_CALLS || this.#isUnreached;
  }

  /** Undefined where calls may start, or one may probe; else when one may, or `atMs` undefined: after the probe. */
  hold(nowMs: number): { readonly atMs: number | undefined } | undefined {
    if (this.#rests === 0) return undefined;
    if (this.#isProbed) return { atMs: undefined };
    return nowMs < this.#restUntilMs ? { atMs: this.#restUntilMs } : undefined;
  }

  /** A call starts. Returns whether it is a probe. */
  started(): boolean {
    this.#isProbed = this.#rests > 0;
    return this.#isProbed;
  }

  /** A call came to nothing: it was not sent, or nobody waits for it any more. */
  dropped({ isProbe }: Tried): void {
    if (isProbe) this.#isProbed = false;
  }

  /** The server answered, if only with a refusal or nonsense. */
  replied(): void {
    this.#wasReached = true;
    this.#failures = 0;
    this.#calls.clear();
    this.#isUnreached = false;
    this.#rests = 0;
    this.#isProbed = false;
  }

  /** A try failed. Returns whether that uses up one of the call's tries. */
  failed(tried: Tried, error: ModelError, nowMs: number): boolean {
    if (!isOfServer(error)) {
      this.replied();
      return true;
    }
    this.dropped(tried);
    if (isUnreached(error)) this.#isUnreached = true;
    else this.#wasReached = true;
    if (this.#failures === 0) this.#firstMs = nowMs;
    this.#failures += 1;
    this.#calls.add(tried.call);
    if (this.#failures < FAILURES && this.#wasReached) return true;
    if (tried.isProbe || this.#rests === 0) {
      this.#restUntilMs = nowMs + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.#rests);
      this.#rests += 1;
    }
    const isCalls = !this.isServers && nowMs - this.#firstMs >= this.#aloneMs;
    if (isCalls) this.#aloneMs = 0; // it fails for some calls alone, and may again
    return isCalls || error.late;
  }
}

/** No connection (refused, no such host): nothing was sent. */
export const isUnreached = ({ status, bill }: ModelError): boolean => status === undefined && bill === "none";

/** Whether a failure tells that the server does not work: 5xx, broken connections, no reply in time; no reply that cannot be read. */
const isOfServer = ({ retryable, status, bill }: ModelError): boolean =>
  retryable && (status === undefined ? bill !== "due" : status >= 500);

/** Failures without a reply in between after which a server rests. */
const FAILURES = 3;
/** Fewer different calls may themselves be the reason why a server fails. */
const FEWEST_CALLS = 3;
const ALONE_MS = 180_000;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 10_000;
