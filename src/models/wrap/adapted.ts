import { UsageError } from "../../errors.js";
import type { Capabilities, Model, ModelRequest } from "../../types.js";

/** What becomes of parameters that a model refuses. */
export const unsupportedPolicies = ["error", "drop"] as const;
export type UnsupportedPolicy = (typeof unsupportedPolicies)[number];

export interface AdaptedModel extends Model {
  /** Parameters dropped so far, in alphabetical order, for the manifest and `temperature not applied`. */
  readonly notApplied: readonly string[];
}

/** The sampling parameters of a request that a model does not take. */
export function unsupportedParameters(capabilities: Capabilities, request: Partial<ModelRequest>): Droppable[] {
  return DROPPABLE.filter((name) => request[name] !== undefined && !capabilities[name]);
}

/**
 * A model that never sends what its family refuses: `drop` removes the parameter (so that the cache key is what is sent),
 * `error` throws UsageError before anything is sent. Tools and prefill carry meaning and are never dropped.
 */
export function adapted(model: Model, settings: { readonly policy: UnsupportedPolicy }): AdaptedModel {
  const dropped = new Set<string>();
  return {
    ...model,
    get notApplied() {
      return [...dropped].sort();
    },
    async complete(request, signal) {
      refuseUndroppable(model, request);
      const names = unsupportedParameters(model.capabilities, request);
      if (names.length === 0) return model.complete(request, signal);
      if (settings.policy === "error")
        throw new UsageError(
          `${model.id} does not take ${names.join(", ")}: use --unsupported drop to leave it out (the manifest says so), or another model`,
        );
      for (const name of names) dropped.add(name);
      return model.complete(without(request, names), signal);
    },
  };
}

const DROPPABLE = ["logprobs", "stop", "temperature"] as const;
type Droppable = (typeof DROPPABLE)[number];

function without(request: ModelRequest, names: readonly Droppable[]): ModelRequest {
  const rest = { ...request };
  for (const name of names) delete rest[name];
  return rest;
}

function refuseUndroppable(model: Model, request: ModelRequest): void {
  if (request.tools !== undefined && !model.capabilities.tools)
    throw new UsageError(`${model.id} takes no tools: use --set agent.protocol=text-react, or another model`);
  if (request.messages.at(-1)?.role === "assistant" && !model.capabilities.prefill)
    throw new UsageError(`${model.id} takes no prefilled reply: end the messages with the user's turn`);
}
