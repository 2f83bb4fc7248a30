import { ModelError } from "../errors.js";
import type { Try } from "./retry.js";

/** One try of a call that fails with ModelErrors: retryable ones may pass, everything else is thrown. */
export async function tryModelCall<T>(call: () => Promise<T>): Promise<Try<T, ModelError>> {
  try {
    return { done: await call() };
  } catch (error) {
    if (!(error instanceof ModelError) || !error.retryable) throw error;
    return { failure: error, retryAfterMs: error.retryAfterMs };
  }
}

/** The failure of the last try, which says how many there were. */
export function gaveUp(error: ModelError, tries: number): ModelError {
  return tries === 1 ? error : error.worded(`${error.message} (gave up after ${tries} tries)`);
}
