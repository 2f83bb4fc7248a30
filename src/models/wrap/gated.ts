import { ModelError } from "../../errors.js";
import type { Model } from "../../types.js";

/**
 * The innermost wrapper: sends nothing once `stop` has fired, so that neither calls waiting for a slot nor retries go out
 * after it. Fires it at the first failure that no later call can escape (bad key, spent quota).
 */
export function gated(model: Model, stop: AbortController): Model {
  return {
    ...model,
    async complete(request, signal) {
      stop.signal.throwIfAborted();
      try {
        return await model.complete(request, signal);
      } catch (error) {
        if (error instanceof ModelError && error.scope === "stop") stop.abort(error);
        throw error;
      }
    },
  };
}
