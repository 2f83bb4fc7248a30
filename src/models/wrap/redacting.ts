import { type Redactor, redactedError } from "../../net/redactor.js";
import type { BatchWire, Json, Model, ModelReply } from "../../types/index.js";

/**
 * The wrapper next to the provider: nothing secret gets past it, neither in a reply nor in an error, so that keys, scores and
 * stores see the same as a later resume. Log probabilities whose tokens spell a secret are left out.
 */
export function redacting(model: Model, redact: Redactor): Model {
  const { batch } = model;
  return {
    ...model,
    ...(batch === undefined ? {} : { batch: redactingBatch(batch, redact) }),
    async complete(request, signal, hear) {
      try {
        return redactedReply(await model.complete(request, signal, hear), redact);
      } catch (error) {
        throw redactedError(error, redact);
      }
    },
  };
}

function redactingBatch(wire: BatchWire, redact: Redactor): BatchWire {
  const clean = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw redactedError(error, redact);
    });
  return {
    ...wire,
    create: (...asked) => clean(wire.create(...asked)),
    find: (...asked) => clean(wire.find(...asked)),
    async state(...asked) {
      const state = await clean(wire.state(...asked));
      return state.kind === "refused" ? { ...state, error: redactedError(state.error, redact) as Error } : state;
    },
    async results(...asked) {
      const readers = await clean(wire.results(...asked));
      return new Map([...readers].map(([id, read]) => [id, (request) => redactedLine(() => read(request), redact)]));
    },
  };
}

function redactedLine(read: () => ModelReply, redact: Redactor): ModelReply {
  try {
    return redactedReply(read(), redact);
  } catch (error) {
    throw redactedError(error, redact);
  }
}

function redactedReply(reply: ModelReply, redact: Redactor): ModelReply {
  const clean = redact.json(reply as ModelReply & { readonly [name: string]: Json }); // a reply is JSON
  const spelled = (reply.logprobs ?? []).map(({ token }) => token).join("");
  if (redact.text(spelled) === spelled) return clean;
  const { logprobs: _, ...rest } = clean;
  return rest;
}
