import type { ModelError } from "../errors.js";

/**
 * A circuit breaker of one server. After three failures without a reply in between, or the first where the server was never
 * reached, it rests; then one call at a time probes it until a reply comes. Meanwhile only a call's own failures use up its tries.
 */
export class Breaker {
  #failures = 0;
  #firstMs = 0;
  /** Each refused connection counts as another call: no question is the reason of it. */
  readonly #failedCalls = new Set<object>();
  #rests = 0;
  restUntilMs = 0;
  /** The call that finds out whether the server replies again. */
  #probe: object | undefined;
  #wasReached = false;
  /** So long failures of one or two calls are taken for the server's. */
  #graceMs: number;

  constructor(graceMs = GRACE_MS) {
    this.#graceMs = graceMs;
  }

  /** True where three tries in a row reached nobody, and none before did. */
  get isDead(): boolean {
    return !this.#wasReached && this.#failures >= FAILURES;
  }

  /** True where the server itself fails: no single question is the reason. */
  get isServerFault(): boolean {
    return this.#failedCalls.size >= FEWEST_CALLS;
  }

  /** Returns when a call may start; Infinity: after the probe. */
  get nextMs(): number {
    return this.#probe === undefined ? this.restUntilMs : Infinity;
  }

  started(call: object): void {
    if (this.#rests > 0) this.#probe = call;
  }

  /** A try has ended. */
  ended(call: object): void {
    if (this.#probe === call) this.#probe = undefined;
  }

  /** The server answered, if only with a refusal or nonsense. */
  replied(): void {
    this.#wasReached = true;
    this.#failures = 0;
    this.#failedCalls.clear();
    this.#rests = 0;
    this.restUntilMs = 0;
    this.#probe = undefined;
  }

  /** A try failed. Returns whether that uses up one of the call's tries. */
  failed(call: object, { retryable, status, bill, late }: ModelError, nowMs: number): boolean {
    const isOfServer = retryable && (status === undefined ? bill !== "due" : status >= 500); // not a reply that cannot be read
    if (!isOfServer) {
      this.replied();
      return true;
    }
    const isUnreached = status === undefined && bill === "none";
    if (!isUnreached) this.#wasReached = true;
    if (this.#failures === 0) this.#firstMs = nowMs;
    this.#failures += 1;
    this.#failedCalls.add(isUnreached ? {} : call);
    if (this.#failures < FAILURES && this.#wasReached) return true;
    if (this.#probe === call || this.#rests === 0) {
      this.restUntilMs = nowMs + Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** this.#rests);
      this.#rests += 1;
    }
    const isCallFault = !this.isServerFault && nowMs - this.#firstMs >= this.#graceMs;
    if (isCallFault) this.#graceMs = 0; // it fails for some calls alone, and may again
    return isCallFault || late;
  }
}

/** Failures without a reply in between after which a server rests. */
const FAILURES = 3;
/** Fewer different calls may themselves be the reason why a server fails. */
const FEWEST_CALLS = 3;
const GRACE_MS = 180_000;
const FIRST_REST_MS = 500;
const LONGEST_REST_MS = 10_000;
