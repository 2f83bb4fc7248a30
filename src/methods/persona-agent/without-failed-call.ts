import { ModelError } from "../../errors.js";
import type { Kit } from "../../types.js";

/**
 * What `work` gives; undefined, counted as `incident`, where a model call of it failed for good. One failed call costs one
 * sample of a batch, not the user. What ends the run (keys, caps, stops) and bugs are thrown on.
 */
export async function withoutFailedCall<T>(incident: string, kit: Kit, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ModelError) || error.scope !== "call") throw error;
    kit.count(incident);
    return undefined;
  }
}
