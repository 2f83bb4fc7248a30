import { UsageError } from "../errors.js";
import { type Registry, registry } from "../registry.js";
import type { Model, Provider, ProviderSettings } from "../types.js";
import * as all from "./all.js";

/** Every provider, by the part of a model's name before the slash. */
export const providers: Registry<Provider> = registry<Provider>("provider", Object.values(all));

/** Whether the model of this id, opened or not, is one whose replies are SIMULATED. */
export const isSimulated = (id: string): boolean =>
  providers.all.some(({ name, simulated }) => simulated === true && id.startsWith(`${name}/`));

/**
 * Opens `provider/model-id`; the model id may itself contain slashes. Nothing is sent.
 * `among`: the providers to choose from. Throws UsageError on an unknown provider, an empty model id, or a missing key, region or URL.
 */
export async function openModel(id: string, settings: ProviderSettings, among = providers): Promise<Model> {
  const slash = id.indexOf("/");
  const modelId = id.slice(slash + 1);
  if (slash <= 0 || modelId === "")
    throw new UsageError(`--model ${id}: expected provider/model-id; providers: ${among.names.join(", ")}`);
  return among.get(id.slice(0, slash), `--model ${id}`).open(modelId, settings);
}
