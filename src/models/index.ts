import { knownSecrets, type Redactor, redactedError, redactor } from "../net/secrets.js";
import { registry } from "../registry/registry.js";
import type {
  BatchWire,
  Json,
  LineReader,
  Model,
  ModelReply,
  Provider,
  ProviderSettings,
  Registry,
} from "../types/index.js";
import { type Endpoints, endpointFacts, readModelName } from "./endpoints.js";
import * as all from "./providers/index.js";
import { proxiesOf } from "./wire/http.js";

/** Every provider, by the part of a model's name before the slash. */
export const providers: Registry<Provider> = registry<Provider>("provider", Object.values(all));

/**
 * Opens `provider/model-id` or `endpoint/model-id`; the model id may itself contain slashes. Nothing is sent. What arrives from
 * it later holds no secret of the environment, the login or the address. `among`: the providers to choose from. Throws UsageError on an
 * unknown name, an empty model id, or a missing key, region or URL.
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
  const { api, quirks, concurrency = given.concurrency, baseUrl } = endpoint;
  const opened = await openAt(provider, modelId, {
    ...{ ...given, concurrency },
    ...(api === undefined || api === "auto" ? {} : { api }),
    ...(quirks === undefined ? {} : { quirks }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    endpoint: endpointFacts(name, endpoint, settings),
  });
  return { ...opened, id }; // whatever a provider of one's own calls it
}

async function openAt(provider: Provider, modelId: string, settings: ProviderSettings): Promise<Model> {
  const { env, baseUrl, endpoint, omit = [], system } = settings;
  proxiesOf(env); // a mistake there is told before the first call
  const opened = await provider.open(modelId, settings);
  const { temperature, stop, logprobs } = opened.capabilities;
  const takes = (...names: string[]): boolean => !names.some((name) => omit.includes(name));
  const model: Model = {
    ...opened,
    capabilities: {
      ...opened.capabilities,
      temperature: temperature && takes("temperature"),
      stop: stop && takes("stop", "stop_sequences"),
      logprobs: logprobs && takes("logprobs", "top_logprobs"),
      ...(system === "fold" && { foldsSystem: true }),
    },
  };
  if (provider.simulated === true) return model; // it hears of nothing but the request
  const values = knownSecrets(env, baseUrl === undefined ? [] : [baseUrl], [endpoint?.keyEnv ?? ""]);
  return redacting(model, redactor([...values, ...(endpoint?.secrets ?? []), ...(opened.secrets ?? [])]));
}

/**
 * The wrapper next to the provider: nothing secret gets past it, neither in a reply nor in an error, so that request keys,
 * scores and the log see the same as a later resume. Log probabilities whose tokens spell a secret are left out.
 */
export function redacting(model: Model, redact: Redactor): Model {
  const { batch } = model;
  return {
    ...model,
    ...(batch === undefined ? {} : { batch: redactingBatch(batch, redact) }),
    complete: (...asked) => model.complete(...asked).then((reply) => redactedReply(reply, redact), rethrow(redact)),
  };
}

const rethrow =
  (redact: Redactor) =>
  (error: unknown): never => {
    throw redactedError(error, redact);
  };

function redactingBatch(wire: BatchWire, redact: Redactor): BatchWire {
  const failed = rethrow(redact);
  return {
    ...wire,
    create: (...asked) => wire.create(...asked).catch(failed),
    find: (...asked) => wire.find(...asked).catch(failed),
    async state(...asked) {
      const state = await wire.state(...asked).catch(failed);
      return state.kind === "refused" ? { ...state, error: redactedError(state.error, redact) as Error } : state;
    },
    async results(...asked) {
      const readers = await wire.results(...asked).catch(failed);
      const read =
        (line: LineReader): LineReader =>
        (request) => {
          try {
            return redactedReply(line(request), redact);
          } catch (error) {
            return failed(error);
          }
        };
      return new Map([...readers].map(([id, line]) => [id, read(line)]));
    },
  };
}

function redactedReply(reply: ModelReply, redact: Redactor): ModelReply {
  const clean = redact.json(reply as ModelReply & { readonly [name: string]: Json }); // a reply is JSON
  const spelled = (reply.logprobs ?? []).map(({ token }) => token).join("");
  if (redact.text(spelled) === spelled) return clean;
  const { logprobs: _, ...rest } = clean;
  return rest;
}
