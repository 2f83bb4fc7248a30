/** A mistake the person can mend: one line that names the file, line or flag, the value and the fix. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A machine that does not answer: nothing that was typed is wrong. Exit code 3. */
export class UnreachableError extends UsageError {}

/** A model call that did not yield a reply. Becomes a failed row, never a score. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly retryable: boolean;
  /** Wait that the server asked for, milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /**
   * What stops after it; a stopped run can be resumed. `stop`: the run, since no later call can succeed (bad key, spent quota); `model`: the arms of
   * this model, since its servers do not answer.
   */
  readonly scope: "call" | "model" | "stop";
  /** `none`: known to be unbilled, no reply was made; `unknown`: no complete answer came; `due`: any other. */
  readonly bill: "none" | "due" | "unknown";
  /** True where the prompt does not fit into the model's context: a failure of that question alone. */
  readonly tooLong: boolean;
  /** True where the server refused the call for now because it was one too many (429, 529, throttling): it uses up no try. */
  readonly throttled: boolean;
  /** True where the deadline of the try passed: the question may be the reason as well as the server. */
  readonly late: boolean;
  /** Limits that the server stated. */
  readonly limits: LimitFacts | undefined;

  constructor(message: string, facts: ModelErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.status = facts.status;
    this.scope = facts.scope ?? "call";
    this.bill = facts.bill ?? "due";
    this.tooLong = facts.tooLong ?? false;
    this.throttled = facts.throttled ?? false;
    this.late = facts.late ?? false;
    this.limits = facts.limits;
  }

  /** Returns a copy with another message and without its cause, which may hold secrets. */
  worded(message: string): ModelError {
    const { name: _, cause: __, ...facts } = this;
    return new ModelError(message, facts);
  }
}

/** Makes an error that ends the run, since no later call can succeed. */
export const fatalError = (message: string): ModelError => new ModelError(message, { retryable: false, scope: "stop" });

interface ModelErrorFacts {
  readonly retryable: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly status?: number | undefined;
  readonly scope?: "call" | "model" | "stop";
  readonly bill?: "none" | "due" | "unknown";
  readonly tooLong?: boolean;
  readonly throttled?: boolean;
  readonly late?: boolean;
  readonly limits?: LimitFacts | undefined;
  readonly cause?: unknown;
}

/** Input on which the benchmark's own scorer crashes. */
export class ScoreError extends Error {
  override readonly name = "ScoreError";
}

/** A cap (`--max-calls`, `--max-usd`) is reached: the run stops cleanly and can be resumed. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";

  /** `nextStep`: what to do. */
  constructor(
    message: string,
    readonly nextStep = "resume with the same command and a higher cap",
  ) {
    super(message);
  }
}

/** Things that servers count against a limit; `tokens` are input and output together. */
export type Measure = "requests" | "input" | "output" | "tokens";

/** A server's statement on one of its limits. */
export interface LimitFact {
  readonly limit: number;
  readonly remaining: number;
  /** Milliseconds until all of it is there again; absent where that is not told. */
  readonly resetMs?: number;
  /** Rounding error of `resetMs`, milliseconds. */
  readonly offMs?: number;
}

export type LimitFacts = Readonly<Partial<Record<Measure, LimitFact>>>;

/** Gets the rate limits that a reply's headers name. */
export type OnLimits = (facts: LimitFacts) => void;
