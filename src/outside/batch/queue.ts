import type { ModelError } from "../../errors.js";
import type { BatchWire, Model, ModelReply, ModelRequest } from "../../types/index.js";

/** A request that waits for its reply. */
export interface PendingRequest {
  readonly key: string;
  readonly request: ModelRequest;
  /** Estimated tokens of its prompt. */
  readonly tokens: number;
  resolve(reply: ModelReply): void;
  reject(error: unknown): void;
}

/** The requests of the next batch. */
interface NextBatch {
  readonly requests: readonly PendingRequest[];
  /** A line for each request. */
  readonly lines: readonly string[];
  readonly tokens: number;
}

/** The requests to one model that are in no batch yet, and the size of its next batch. */
export class BatchQueue {
  readonly model: Model;
  readonly wire: BatchWire;
  pending: PendingRequest[] = [];
  mostLines: number;
  /** Estimated prompt tokens of the batches that have not ended. */
  tokensInFlight = 0;
  /** Limit of `tokensInFlight`: doubled after each batch, halved when the provider refuses one as too much. */
  mostTokens: number;
  /** Number of such refusals in a row. */
  #limitRefusals = 0;

  /** Throws TypeError where the model has no batches. */
  constructor(model: Model) {
    if (model.batch === undefined) throw new TypeError(`${model.id} has no batches`);
    this.model = model;
    this.wire = model.batch;
    this.mostLines = Math.min(this.wire.most.lines, MOST_LINES);
    this.mostTokens = this.wire.firstTokens ?? Number.POSITIVE_INFINITY;
  }

  /** Returns the first requests that fit into one batch; none where another batch must end first. A request that never fits is alone. */
  next(batchId: string): NextBatch {
    const lines: string[] = [];
    let bytes = 0;
    let tokens = 0;
    for (const one of this.pending.slice(0, this.mostLines)) {
      const line = this.wire.line(lineId(one.key, batchId), one.request);
      bytes += Buffer.byteLength(line) + 1;
      const isTooMuch = bytes > this.wire.most.bytes || this.tokensInFlight + tokens + one.tokens > this.mostTokens;
      if (isTooMuch && (lines.length > 0 || this.tokensInFlight > 0)) break;
      tokens += one.tokens;
      lines.push(line);
    }
    return { requests: this.pending.slice(0, lines.length), lines, tokens };
  }

  /** Releases the tokens of a batch that has ended, and raises the limit. */
  ended(tokens: number): void {
    this.tokensInFlight -= tokens;
    this.mostTokens *= 2;
    this.#limitRefusals = 0;
  }

  /** Releases the tokens of a rejected batch, and lowers the limits. Returns whether its requests may be sent in a smaller or later one. */
  rejected(tokens: number, lines: number, { reason, isOverLimit }: BatchRejected): boolean {
    this.tokensInFlight -= tokens;
    if (isOverLimit) {
      this.mostTokens = Math.max(1, Math.floor(tokens / 2));
      this.#limitRefusals += 1;
      return this.#limitRefusals < MOST_LIMIT_REFUSALS;
    }
    if (reason === undefined) return true;
    if (reason.status !== 413) return false;
    this.mostLines = Math.ceil(lines / 2);
    return lines > 1;
  }
}

/** The provider has rejected a batch, or it was never sent: none of its requests is billed. */
export class BatchRejected extends Error {
  override readonly name = "BatchRejected";

  constructor(
    /** Undefined if the batch can be sent unchanged. */
    readonly reason?: ModelError,
    /** True if too many tokens are in flight. */
    readonly isOverLimit = false,
  ) {
    super(reason?.message ?? "not sent");
  }
}

/** Returns the id of a request's line, from its key and its batch. Providers take at most 64 of [a-zA-Z0-9_-]. */
export const lineId = (key: string, batchId: string): string => `${key.slice(0, 32)}-${batchId}`;

const MOST_LINES = 10_000;
const MOST_LIMIT_REFUSALS = 24; // at five minutes each: two hours
