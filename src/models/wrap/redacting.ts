import { redactedError } from "../../secrets/redacted-error.js";
import type { Redactor } from "../../secrets/redactor.js";
import type { Json, Model, ModelReply } from "../../types.js";

/**
 * The wrapper next to the provider: nothing secret gets past it, neither in a reply nor in an error, so that keys, scores and
 * stores see the same as a later resume. Log probabilities whose tokens spell a secret are left out.
 */
export function redacting(model: Model, redact: Redactor): Model {
  const { id, capabilities, simulated } = model;
  return {
    id,
    capabilities,
    simulated,
    async complete(request, signal) {
      try {
        return redactedReply(await model.complete(request, signal), redact);
      } catch (error) {
        throw redactedError(error, redact);
      }
    },
  };
}

// --- internal ---

function redactedReply(reply: ModelReply, redact: Redactor): ModelReply {
  const clean = redact.json(reply as ModelReply & { readonly [name: string]: Json }); // a reply is JSON
  const spelled = (reply.logprobs ?? []).map(({ token }) => token).join("");
  if (redact.text(spelled) === spelled) return clean;
  const { logprobs: _, ...rest } = clean;
  return rest;
}
