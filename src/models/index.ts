import { knownSecrets } from "../net/known.js";
import { redactor } from "../net/redactor.js";
import { registry } from "../registry/registry.js";
import type { Model, Provider, ProviderSettings, Registry } from "../types/index.js";
import { anthropic } from "./anthropic.js";
import { bedrock } from "./bedrock.js";
import { addressesOf, type Endpoints, headersOf, readModelName } from "./endpoints.js";
import { proxiesOf } from "./http-fetch.js";
import { offline } from "./offline/index.js";
import { openai } from "./openai.js";
import { redacting } from "./wrap/redacting.js";

/** Every provider, by the part of a model's name before the slash. */
export const providers: Registry<Provider> = registry<Provider>("provider", [anthropic, bedrock, offline, openai]);

/** Whether the model of this id, opened or not, is one whose replies are SIMULATED. */
export const isSimulated = (id: string): boolean =>
  providers.all.some(({ name, simulated }) => simulated === true && id.startsWith(`${name}/`));

/**
 * Opens `provider/model-id` or `endpoint/model-id`; the model id may itself contain slashes. Nothing is sent. What arrives from
 * it later holds no secret of the environment or the address. Where an endpoint has several servers, `servers` holds the model of each.
 * `among`: the providers to choose from. Throws UsageError on an unknown name, an empty model id, or a missing key, region or URL.
 */
export async function openModel(
  id: string,
  settings: ProviderSettings,
  among = providers,
  endpoints: Endpoints = {},
): Promise<Model> {
  const { name, modelId, provider, endpoint } = readModelName(id, endpoints, among);
  if (endpoint === undefined) return openAt(provider, modelId, settings);
  const { baseUrl: _, ...given } = settings;
  const { keyEnv, api, quirks, concurrency = given.concurrency } = endpoint;
  const opened = await Promise.all(
    addressesOf(endpoint).map((baseUrl) =>
      openAt(provider, modelId, {
        ...{ ...given, concurrency },
        ...(api === undefined || api === "auto" ? {} : { api }),
        ...(quirks === undefined ? {} : { quirks }),
        ...(baseUrl === undefined ? {} : { baseUrl }),
        endpoint: {
          name,
          keyEnv: keyEnv ?? (baseUrl === undefined ? undefined : ""),
          ...headersOf(name, endpoint, settings),
        },
      }),
    ),
  );
  const [first, ...others] = opened.map((model) => ({ ...model, id })); // whatever a provider of one's own calls it
  if (others.length === 0) return first!; // there is one address at least
  const addresses = addressesOf(endpoint);
  return { ...first!, servers: [first!, ...others].map((server, n) => ({ ...server, address: addresses[n]! })) };
}

async function openAt(provider: Provider, modelId: string, settings: ProviderSettings): Promise<Model> {
  proxiesOf(settings.env); // a mistake there is told before the first call
  const opened = await provider.open(modelId, settings);
  const model = settings.omit === undefined ? opened : withoutOmitted(opened, settings.omit);
  if (provider.simulated === true) return model; // it hears of nothing but the request
  const { env, baseUrl, endpoint } = settings;
  const { values } = knownSecrets(env, baseUrl === undefined ? [] : [baseUrl]);
  const key = endpoint?.keyEnv ? env[endpoint.keyEnv]?.trim() : undefined;
  return redacting(model, redactor([...values, ...(key ? [key] : []), ...(endpoint?.secrets ?? [])]));
}

/** A model that is sent none of the parameters that `model.omit` names. */
function withoutOmitted(model: Model, omit: readonly string[]): Model {
  const { temperature, stop, logprobs } = model.capabilities;
  const takes = (...names: string[]): boolean => !names.some((name) => omit.includes(name));
  return {
    ...model,
    capabilities: {
      ...model.capabilities,
      temperature: temperature && takes("temperature"),
      stop: stop && takes("stop", "stop_sequences"),
      logprobs: logprobs && takes("logprobs", "top_logprobs"),
    },
  };
}
