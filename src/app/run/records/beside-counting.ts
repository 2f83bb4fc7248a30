import { GIVEN_UP, type ManifestSteps } from "./manifest-steps.js";

/**
 * Does the work while what takes long to count of the data is counted beside it; counting ends with the work. Returns why the work
 * ended early, and why counting failed. Throws what the work throws, once nobody counts any more.
 */
export async function besideCounting(
  steps: Pick<ManifestSteps, "count">,
  isNeeded: boolean,
  work: () => Promise<unknown>,
): Promise<{ readonly reason: unknown; readonly failure?: { readonly error: unknown } }> {
  const working = new AbortController();
  const counting = Promise.allSettled([isNeeded ? steps.count(working.signal) : undefined]);
  let reason: unknown;
  try {
    reason = await work();
    working.abort();
  } catch (error) {
    working.abort(GIVEN_UP); // the folder may be another's soon
    await counting;
    throw error;
  }
  const [counted] = await counting;
  return { reason, ...(counted.status === "rejected" ? { failure: { error: counted.reason } } : {}) };
}
