import type { ModelReply } from "../../types.js";

/** A call that has long to wait: whoever holds a slot for it gives the slot back, waits, and resumes the call. */
export class RetryLater extends Error {
  override readonly name = "RetryLater";

  constructor(
    readonly waitMs: number,
    /** Goes on where the call stopped; may throw RetryLater again. */
    readonly resume: () => Promise<ModelReply>,
  ) {
    super(`retry in ${waitMs} ms`);
  }
}
