import pLimit, { type LimitFunction } from "p-limit";
import type { Clock, Model, ModelReply } from "../../types.js";
import { RetryLater } from "./retry-later.js";

export interface LimitSettings {
  /** Most calls inside the wrapped model at one time. */
  readonly concurrency: number;
  /** Shared by the models of one run, instead of slots of its own. */
  readonly slots?: LimitFunction;
  readonly clock: Clock;
}

/**
 * At most `concurrency` calls at a time, first come, first served. A call that waits to be retried keeps its slot
 * (back-pressure) unless the wrapped model hands a long wait out as RetryLater: then it waits without one.
 */
export function limited(model: Model, settings: LimitSettings): Model {
  const limit = settings.slots ?? pLimit(settings.concurrency);
  return {
    ...model,
    async complete(request, signal) {
      let call = (): Promise<ModelReply> => model.complete(request, signal);
      for (;;) {
        const turn = (): Promise<ModelReply> => (signal.aborted ? Promise.reject(signal.reason) : call());
        try {
          return await limit(turn);
        } catch (error) {
          if (!(error instanceof RetryLater)) throw error;
          await settings.clock.sleep(error.waitMs, signal);
          call = error.resume;
        }
      }
    },
  };
}
