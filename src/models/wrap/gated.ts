import { ModelError } from "../../errors.js";
import type { Model } from "../../types.js";
import { SameRefusals } from "./same-refusals.js";

/**
 * The innermost wrapper: sends nothing once `stop` has fired, so that neither calls waiting for a slot nor retries go out
 * after it. Fires it at the first failure that no later call can escape (bad key, spent quota), and where requests are refused alike.
 */
export function gated(model: Model, stop: AbortController): Model {
  const refusals = new SameRefusals();
  return {
    ...model,
    async complete(request, signal, hear) {
      stop.signal.throwIfAborted();
      try {
        const reply = await model.complete(request, signal, hear);
        refusals.replied();
        return reply;
      } catch (thrown) {
        const error = (thrown instanceof ModelError ? refusals.refused(request, thrown) : undefined) ?? thrown;
        if (error instanceof ModelError && error.scope === "stop") stop.abort(error);
        throw error;
      }
    },
  };
}
