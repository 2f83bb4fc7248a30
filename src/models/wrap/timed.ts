import { ModelError } from "../../errors.js";
import { type StartTimer, withDeadline } from "../../retry/deadline.js";
import type { Capabilities, Model } from "../../types.js";

export interface TimedSettings {
  /** Most time of one try, headers and body, milliseconds. */
  readonly deadlineMs: number;
  /** Absent: real time. */
  readonly startTimer?: StartTimer;
}

/** Most time of one try where nobody says, milliseconds. A model that thinks may take long to begin; `effort` as of `model.effort`. */
export function usualDeadlineMs({ thinking }: Pick<Capabilities, "thinking">, effort: string): number {
  const thinks = effort === "auto" ? thinking === "always" : effort !== "none";
  return thinks ? 600_000 : 120_000;
}

/** Ends a try at its deadline, also where the wrapped model ignores its signal. What was sent may have been billed. */
export function timed(model: Model, { deadlineMs, startTimer }: TimedSettings): Model {
  const deadline = {
    ms: deadlineMs,
    error: (): ModelError =>
      new ModelError(`${model.id}: no complete reply within ${deadlineMs / 1000} s`, {
        retryable: true,
        bill: "unknown",
        late: true,
      }),
    ...(startTimer === undefined ? {} : { startTimer }),
  };
  return {
    ...model,
    complete: (request, signal, hear) =>
      withDeadline((limit) => model.complete(request, limit, hear), signal, deadline),
  };
}
