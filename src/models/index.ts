import { UsageError } from "../errors.js";
import { type Registry, registry } from "../registry.js";
import { knownSecrets } from "../secrets/known.js";
import { redactor } from "../secrets/redactor.js";
import type { Model, Provider, ProviderSettings } from "../types.js";
import * as all from "./all.js";
import { redacting } from "./wrap/redacting.js";

/** Every provider, by the part of a model's name before the slash. */
export const providers: Registry<Provider> = registry<Provider>("provider", Object.values(all));

/** Whether the model of this id, opened or not, is one whose replies are SIMULATED. */
export const isSimulated = (id: string): boolean =>
  providers.all.some(({ name, simulated }) => simulated === true && id.startsWith(`${name}/`));

/**
 * Opens `provider/model-id`; the model id may itself contain slashes. Nothing is sent. What arrives from it later holds no
 * secret of the environment or the address.
 * `among`: the providers to choose from. Throws UsageError on an unknown provider, an empty model id, or a missing key, region or URL.
 */
export async function openModel(id: string, settings: ProviderSettings, among = providers): Promise<Model> {
  const slash = id.indexOf("/");
  const modelId = id.slice(slash + 1);
  if (slash <= 0 || modelId === "")
    throw new UsageError(`--model ${id}: expected provider/model-id; providers: ${among.names.join(", ")}`);
  const provider = among.get(id.slice(0, slash), `--model ${id}`);
  const model = await provider.open(modelId, settings);
  if (provider.simulated === true) return model; // it hears of nothing but the request
  const { env, baseUrl } = settings;
  return redacting(model, redactor(knownSecrets(env, baseUrl === undefined ? [] : [baseUrl]).values));
}
