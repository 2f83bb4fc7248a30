import type { ModelError } from "../../errors.js";

type State =
  | { readonly name: "closed" }
  /** No call starts before `untilMs`. `openings`: number since the last reply. */
  | { readonly name: "open"; readonly untilMs: number; readonly openings: number }
  /** One call, the probe, is in flight. It tests whether the server replies again. */
  | { readonly name: "half-open"; readonly untilMs: number; readonly openings: number; readonly probe: object };

/**
 * A circuit breaker of one server. It opens after three failures without a reply in between; if the server was never reached, at the first.
 * Then it lets through one call at a time until a reply closes it. While it is not closed, failures that the server may have caused use
 * up no tries.
 */
export class Breaker {
  #state: State = { name: "closed" };
  /** Failures since the last reply. */
  #failures = 0;
  #firstFailureMs = 0;
  /** Calls that failed since the last reply. A refused connection is never caused by a call, so each counts as another one. */
  readonly #failedCalls = new Set<object>();
  #wasReached = false;
  /** Time for which failures of one or two calls count as the server's. */
  #graceMs: number;

  constructor(graceMs = GRACE_MS) {
    this.#graceMs = graceMs;
  }

  /** True if the first three tries reached no server. */
  get isDead(): boolean {
    return !this.#wasReached && this.#failures >= FAILURES;
  }

  /** True if so many different calls failed that the server must be the cause. */
  get isServerFault(): boolean {
    return this.#failedCalls.size >= FEWEST_CALLS;
  }

  get openUntilMs(): number {
    return this.#state.name === "closed" ? 0 : this.#state.untilMs;
  }

  /** Returns when a call may start; Infinity: after the probe. */
  get nextMs(): number {
    return this.#state.name === "half-open" ? Infinity : this.openUntilMs;
  }

  started(call: object): void {
    if (this.#state.name !== "closed") this.#state = { ...this.#state, name: "half-open", probe: call };
  }

  /** Ends a try, whatever its result. */
  ended(call: object): void {
    if (this.#state.name === "half-open" && this.#state.probe === call) this.#state = { ...this.#state, name: "open" };
  }

  /** Counts an answer of any kind, refusals and unreadable ones included. */
  replied(): void {
    this.#wasReached = true;
    this.#failures = 0;
    this.#failedCalls.clear();
    this.#state = { name: "closed" };
  }

  /** Counts a failed try. Returns whether it uses up one of the call's tries. */
  failed(call: object, { retryable, status, bill, late }: ModelError, nowMs: number): boolean {
    const isUnreadable = status === undefined && bill === "due"; // a reply came
    const mayBeServer = retryable && !isUnreadable && (status === undefined || status >= 500);
    if (!mayBeServer) {
      this.replied();
      return true;
    }
    const isUnreached = status === undefined && bill === "none";
    if (!isUnreached) this.#wasReached = true;
    if (this.#failures === 0) this.#firstFailureMs = nowMs;
    this.#failures += 1;
    this.#failedCalls.add(isUnreached ? {} : call);
    if (this.#failures < FAILURES && this.#wasReached) return true;
    const state = this.#state;
    if (state.name === "closed") this.#open(0, nowMs);
    else if (state.name === "half-open" && state.probe === call) this.#open(state.openings, nowMs);
    const isCallFault = !this.isServerFault && nowMs - this.#firstFailureMs >= this.#graceMs;
    if (isCallFault) this.#graceMs = 0; // the server fails for some calls alone, and may again
    return isCallFault || late;
  }

  #open(openingsBefore: number, nowMs: number): void {
    const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** openingsBefore);
    this.#state = { name: "open", untilMs: nowMs + openMs, openings: openingsBefore + 1 };
  }
}

const FAILURES = 3; // without a reply in between
const FEWEST_CALLS = 3; // fewer may themselves be the reason why a server fails
const GRACE_MS = 180_000;
const FIRST_OPEN_MS = 500;
const LONGEST_OPEN_MS = 10_000;
