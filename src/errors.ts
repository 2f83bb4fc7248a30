/** A mistake the person can mend: one line that names the file, line or flag, the value and the fix. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** A model call that did not yield a reply. Becomes a failed row, never a score. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly retryable: boolean;
  /** What the server asked us to wait, milliseconds. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** `stop`: no later call can succeed either (bad key, spent quota), so the run stops, resumably. */
  readonly scope: "call" | "stop";
  /** `none`: known to be unbilled, refused before any work; `unknown`: no complete answer came; `due`: any other. */
  readonly bill: "none" | "due" | "unknown";
  /** True where the prompt does not fit into the model's context: a failure of that question alone. */
  readonly tooLong: boolean;

  constructor(
    message: string,
    facts: {
      retryable: boolean;
      retryAfterMs?: number | undefined;
      status?: number | undefined;
      scope?: "call" | "stop";
      bill?: "none" | "due" | "unknown";
      tooLong?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.retryable = facts.retryable;
    this.retryAfterMs = facts.retryAfterMs;
    this.status = facts.status;
    this.scope = facts.scope ?? "call";
    this.bill = facts.bill ?? "due";
    this.tooLong = facts.tooLong ?? false;
  }
}

/** Input on which the benchmark's own scorer crashes. */
export class ScoreError extends Error {
  override readonly name = "ScoreError";
}

/** A cap (`--max-calls`, `--max-usd`) is reached: the run stops cleanly and can be resumed. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";
}
