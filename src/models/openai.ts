import { createRequire } from "node:module";
import type { ClientOptions, OpenAI } from "openai";
import { UsageError } from "../errors.js";
import { urlSecrets } from "../net/url.js";
import type { Model, Provider, ProviderSettings } from "../types/index.js";
import { clientUrl, sendableKey, serverAddress } from "./base-url.js";
import { batchCalls } from "./batch/bare-client.js";
import { openaiBatches } from "./batch/openai-batches.js";
import { beginning, failure, malformed, type Speaker } from "./failure.js";
import { type Fetch, keepAliveFetch } from "./http-fetch.js";
import { openWire } from "./openai-wire.js";
import { quirksOf } from "./quirks.js";
import { hearLimits } from "./rate/headers.js";
import { fieldsOf } from "./read-reply.js";
import { moderated, refusedField, withoutFields } from "./refusal.js";
import { SDK_TIMEOUT_MS, sdkFailure } from "./sdk-failure.js";

const OFFICIAL_URL = "https://api.openai.com/v1";

/** Of the SDK's 150 files each takes longer to import. */
const load = createRequire(import.meta.url);

/** OpenAI and every server that speaks one of its two protocols: vLLM, Ollama, llama.cpp, LM Studio, TGI, gateways. */
export const openai: Provider = {
  name: "openai",
  summary: "OpenAI, or any OpenAI-compatible server with --base-url (vLLM, Ollama, llama.cpp, LM Studio)",
  async open(modelId, settings) {
    const baseURL = serverAddress(settings, "OPENAI_BASE_URL") ?? OFFICIAL_URL;
    const quirks = quirksOf(new URL(baseURL).hostname, settings.quirks);
    const apiKey = keyOf(settings, quirks.name === "openai");
    let opened: Promise<OpenAI> | undefined;
    /** The SDK is loaded when something is sent: a finished run needs none. */
    const client = (): Promise<OpenAI> => {
      opened ??= openClient({
        apiKey,
        ...clientUrl(baseURL),
        ...accountOf(settings),
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: "off",
        defaultHeaders: settings.endpoint?.headers ?? {},
        fetch: unlisted(keepAliveFetch(settings.concurrency, settings.onResponse, settings.env)),
      });
      return opened;
    };
    const id = `${settings.endpoint?.name ?? "openai"}/${modelId}`;
    const secrets = [apiKey === NO_KEY ? "" : apiKey, ...urlSecrets(baseURL), ...(settings.endpoint?.secrets ?? [])];
    const speaker: Speaker = { model: id, keyName: keyNameOf(settings) || "the login", secrets, address: baseURL };
    const wire = openWire(modelId, quirks, settings);
    const model: Model = {
      id,
      capabilities: wire.capabilities,
      simulated: false,
      batch: openaiBatches(batchCalls(client, speaker), speaker, {
        endpoint: `/v1${wire.path}`,
        bodyOf: (request) => withoutFields(wire.line(request), settings.omit),
        read: wire.read,
      }),
      ...(wire.settled === undefined ? {} : { settled: wire.settled }),
      ...(quirks.official
        ? {}
        : {
            async slots(signal) {
              const { total_slots: slots } = await servedAt(await client(), "/props", signal); // llama.cpp
              return typeof slots === "number" && slots > 0 ? slots : undefined;
            },
          }),
      async listed(signal) {
        const { data } = await servedAt(await client(), "/models", signal);
        const ids = Array.isArray(data) ? data.map((one) => fieldsOf(one).id) : [];
        return ids.filter((one): one is string => typeof one === "string");
      },
      async complete(request, signal, hear) {
        const sent = withoutFields(wire.body(request), settings.omit);
        let body: unknown;
        try {
          const sdk = await client();
          const { data, response } = await sdk.post<unknown>(wire.path, { body: sent, signal }).withResponse();
          body = data;
          hearLimits(response.headers, hear);
        } catch (thrown) {
          const { status, error } = fieldsOf(thrown);
          const refused = moderated(Number(status), error, request);
          if (refused !== undefined) return refused;
          throw refusedField(speaker, thrown, sent) ?? sdkFailure(speaker, thrown, signal);
        }
        const { error } = fieldsOf(body);
        const refused = moderated(Number(fieldsOf(error).code), error, request);
        if (refused !== undefined) return refused;
        throwIfErrorBody(speaker, body);
        const reply = wire.read(body, request);
        if ("misfit" in reply) throw malformed(speaker, reply.misfit, body);
        return reply;
      },
    };
    return model;
  },
};

async function openClient(settings: ClientOptions): Promise<OpenAI> {
  const { OpenAI: Client } = load("openai") as typeof import("openai");
  return new Client(settings);
}

/** Local servers need no key, but the SDK wants one: it sends this word. */
const NO_KEY = "none";

const keyNameOf = ({ endpoint }: ProviderSettings): string => endpoint?.keyEnv ?? "OPENAI_API_KEY";

/** Organization and project belong to the usual key. */
function accountOf(settings: ProviderSettings): { organization: string | null; project: string | null } {
  const { OPENAI_ORG_ID, OPENAI_PROJECT_ID } = keyNameOf(settings) === "OPENAI_API_KEY" ? settings.env : {};
  return { organization: OPENAI_ORG_ID ?? null, project: OPENAI_PROJECT_ID ?? null };
}

function keyOf(settings: ProviderSettings, official: boolean): string {
  const { endpoint, env, sendsNothing } = settings;
  const name = keyNameOf(settings);
  const key = env[name]?.trim();
  if (key) return sendableKey(key, name);
  if (sendsNothing || name === "" || (!official && endpoint === undefined)) return NO_KEY;
  if (endpoint !== undefined) throw new UsageError(`endpoint ${endpoint.name}: ${name} is not set; set it`);
  throw new UsageError(
    "provider openai: OPENAI_API_KEY is not set; set it, or name a compatible server with --base-url http://host:port/v1",
  );
}

/** What a server says without cost; nothing where it refuses, or is a server of another kind. */
async function servedAt(
  sdk: OpenAI,
  path: "/models" | "/props",
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const root = sdk.baseURL.replace(/\/+$/, "");
  const url = path === "/models" ? path : `${root.replace(/\/v1$/, "")}${path}`;
  try {
    return fieldsOf(await sdk.get<unknown>(url, { signal }));
  } catch {
    return {}; // the calls that follow tell what is wrong
  }
}

/** Gemini serves errors in a list of one, of which the SDK would read nothing: neither words nor details. */
const unlisted =
  (send: Fetch): Fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    const [, only] = /^\s*\[\s*(\{[\s\S]*\})\s*\]\s*$/.exec(await response.clone().text()) ?? [];
    return only === undefined ? response : new Response(only, { status, headers });
  };

/** Gateways report an overloaded backend inside a 200 body: `{"error": {"message", "code"}}`. */
function throwIfErrorBody(speaker: Speaker, body: unknown): void {
  const served = fieldsOf(body).error;
  if (!served) return;
  const error = fieldsOf(served);
  const status = Number(error.code);
  const known = Number.isInteger(status) && status >= 400;
  throw failure(speaker, {
    ...(known ? { status } : { retryable: true, code: String(error.code) }),
    bill: "due", // the gateway took the call
    served,
    text: typeof error.message === "string" ? error.message : beginning(served),
  });
}
