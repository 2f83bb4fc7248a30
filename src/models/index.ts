import { knownSecrets, type Redactor, redactedError, redactor } from "../net/secrets.js";
import { registry } from "../registry/registry.js";
import { defined } from "../text/json.js";
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
import { anthropic } from "./providers/anthropic/index.js";
import { bedrock } from "./providers/bedrock/index.js";
import { offline } from "./providers/offline/index.js";
import { openai } from "./providers/openai/index.js";
import { proxiesOf } from "./wire/http.js";

/** All providers, by the part of a model's name before the slash. */
export const providers: Registry<Provider> = registry<Provider>("provider", [anthropic, bedrock, offline, openai]);

/**
 * Opens `provider/model-id` or `endpoint/model-id`; a model id may contain slashes. Nothing is sent. Its replies and errors are redacted.
 * Throws UsageError on an unknown name, an empty model id, or a missing key, region or URL.
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
  const { api, quirks, concurrency, baseUrl } = endpoint;
  const opened = await openAt(provider, modelId, {
    ...given,
    ...defined({ quirks, concurrency, baseUrl, api: api === "auto" ? undefined : api }),
    endpoint: endpointFacts(name, endpoint, settings),
  });
  return { ...opened, id }; // a plug-in's provider may call it otherwise
}

async function openAt(provider: Provider, modelId: string, settings: ProviderSettings): Promise<Model> {
  const { env, baseUrl, endpoint, omit = [], system } = settings;
  proxiesOf(env); // throws on a wrong address before the first call
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
  if (provider.simulated === true) return model; // it sees nothing but the request
  const values = knownSecrets(env, baseUrl === undefined ? [] : [baseUrl], [endpoint?.keyEnv ?? ""]);
  return redacting(model, redactor([...values, ...(endpoint?.secrets ?? []), ...(opened.secrets ?? [])]));
}

/**
 * Redacts secrets in the replies and errors of a model, next to the provider: keys, scores and the log then never contain one. Log
 * probabilities whose tokens spell a secret are removed.
 */
export function redacting(model: Model, redact: Redactor): Model {
  const { batch } = model;
  return {
    ...model,
    ...(batch === undefined ? {} : { batch: redactingBatch(batch, redact) }),
    complete: (...args) => model.complete(...args).then((reply) => redactedReply(reply, redact), rethrow(redact)),
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
    create: (...args) => wire.create(...args).catch(failed),
    find: (...args) => wire.find(...args).catch(failed),
    async state(...args) {
      const state = await wire.state(...args).catch(failed);
      return state.kind === "refused" ? { ...state, error: redactedError(state.error, redact) as Error } : state;
    },
    async results(...args) {
      const readers = await wire.results(...args).catch(failed);
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
