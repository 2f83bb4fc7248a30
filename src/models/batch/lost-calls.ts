import { ModelError } from "../../errors.js";
import type { Model } from "../../types.js";
import type { Wave } from "./wave.js";

/** The run stops. */
export const unsent = ({ id }: Model): ModelError =>
  new ModelError(`${id}: not sent`, { retryable: false, bill: "none" });

/** The batch has ended without it. */
export const missing = ({ queue, batch }: Wave): ModelError =>
  new ModelError(`${queue.model.id}: batch ${batch} brought no readable line for it`, { retryable: true, bill: "due" });

/** Whether the provider still has the wave, or ever had it, cannot be found out. */
export const gone = ({ queue, batch, keys }: Wave, error: ModelError): ModelError => {
  const what = batch === undefined ? "whether it was taken cannot be told" : `batch ${batch} cannot be read`;
  return new ModelError(
    `${queue.model.id}: ${what}: ${error.message}; with --batch-again ${keys.length === 1 ? "its request is" : `its ${keys.length} requests are`} sent, and billed, again`,
    { retryable: false, scope: "stop", status: error.status, bill: "none" },
  );
};
