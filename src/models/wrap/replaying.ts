import { ModelError } from "../../errors.js";
import type { Model, ModelRequest } from "../../types.js";

/** A request that a recording does not hold. Never tried again: the recording will not grow. */
export class ReplayMiss extends ModelError {
  readonly request: ModelRequest;
  readonly model: string;

  constructor(model: string, request: ModelRequest) {
    super("not in the cassette", { retryable: false, bill: "none" });
    this.model = model;
    this.request = request;
  }
}

/** Stands in a provider's place where every reply must come from a recording: reaches nothing, and misses what it is asked. */
export function replaying({ id, capabilities, simulated }: Model): Model {
  return { id, capabilities, simulated, complete: async (request) => Promise.reject(new ReplayMiss(id, request)) };
}
