import { ModelError } from "../../errors.js";
import type { Model, ModelRequest } from "../../types.js";
import { requestKey } from "./cached.js";

/** So many different requests, refused alike and with no reply in between, tell that the next would be, too. */
const SAME_REFUSALS = 5;

/** The stop of a run whose requests a server refuses one like the other. */
export class RefusedAlike extends ModelError {
  /** The messages of the refusals so far: questions that failed with one of them are no failures of their own. */
  readonly messages: readonly string[];

  constructor(last: ModelError, messages: readonly string[]) {
    super(`${last.message}; so for ${SAME_REFUSALS} different requests, and no reply in between`, {
      retryable: false,
      scope: "stop",
      status: last.status,
      bill: last.bill,
    });
    this.messages = messages;
  }
}

/** Counts the requests to one model that are refused (400, 422) with the same words. */
export class SameRefusals {
  #words = "";
  readonly #requests = new Set<string>();
  readonly #messages = new Set<string>();

  /** A reply came: refusals so far were of their own questions. */
  replied(): void {
    this.#forget("");
  }

  /** The stop, once too many were refused alike. Prompts that are too long are refused each for itself. */
  refused(request: ModelRequest, error: ModelError): RefusedAlike | undefined {
    if (error.scope === "stop" || error.retryable || error.tooLong || (error.status !== 400 && error.status !== 422))
      return undefined;
    const words = error.message.replace(/\(request id [^)]*\)/g, "").replace(/[\w-]*\d[\w-]*/g, "0");
    if (words !== this.#words) this.#forget(words);
    this.#requests.add(requestKey("", request));
    this.#messages.add(error.message);
    return this.#requests.size < SAME_REFUSALS ? undefined : new RefusedAlike(error, [...this.#messages]);
  }

  #forget(words: string): void {
    this.#words = words;
    this.#requests.clear();
    this.#messages.clear();
  }
}

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
