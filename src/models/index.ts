import { UsageError } from "../errors.js";
import { registry } from "../registry.js";
import type { Model, ProviderSettings } from "../types.js";
import * as all from "./all.js";

export const providers = registry("provider", Object.values(all));

/** Whether the model of this id, opened or not, is one whose replies are SIMULATED. */
export const isSimulated = (id: string): boolean =>
  providers.all.some(({ name, simulated }) => simulated === true && id.startsWith(`${name}/`));

/**
 * Opens `provider/model-id`; the model id may itself contain slashes. Nothing is sent.
 * Throws UsageError on an unknown provider, an empty model id, or a missing key, region or URL.
 */
export async function openModel(id: string, settings: ProviderSettings): Promise<Model> {
  const slash = id.indexOf("/");
  const modelId = id.slice(slash + 1);
  if (slash <= 0 || modelId === "")
    throw new UsageError(`--model ${id}: expected provider/model-id; providers: ${providers.names.join(", ")}`);
  return providers.get(id.slice(0, slash), `--model ${id}`).open(modelId, settings);
}
