import { createRequire } from "node:module";
import type { OpenAI } from "openai";
import { UsageError } from "../../../errors.js";
import { urlSecrets } from "../../../net/secrets.js";
import type { LimitHeaders, Provider, ProviderSettings } from "../../../types/index.js";
import { batchCalls } from "../../wire/batch-calls.js";
import type { ModelAccess } from "../../wire/failure.js";
import {
  billsRepliesOnly,
  clientUrl,
  type Fetch,
  keepAliveFetch,
  sendableKey,
  serverAddress,
} from "../../wire/http.js";
import { completing, openedOnce, SDK_TIMEOUT_MS } from "../../wire/sdk.js";
import { openaiBatches } from "./batches.js";
import { gptPrices } from "./prices.js";
import { hostsThatBillReplies, quirksOf } from "./quirks.js";
import { openWire } from "./wire.js";

const OFFICIAL_URL = "https://api.openai.com/v1";

const limitHeaders: LimitHeaders = [
  ["requests", "x-ratelimit-*-requests"], // OpenAI, Groq, Azure and most gateways
  ["tokens", "x-ratelimit-*-tokens"],
  ["tokens", "x-ratelimit-*-project-tokens"],
  ["requests", "x-ratelimit-*"],
  ["requests", "ratelimit-*"],
];

/** OpenAI and every server that speaks one of its two protocols: vLLM, Ollama, llama.cpp, LM Studio, TGI, gateways. */
export const openai: Provider = {
  name: "openai",
  summary: "OpenAI, or any OpenAI-compatible server with --base-url (vLLM, Ollama, llama.cpp, LM Studio)",
  keyVariables: ["OPENAI_API_KEY"],
  addressVariable: "OPENAI_BASE_URL",
  limits: { headers: limitHeaders },
  prices: { rows: gptPrices },
  async open(modelId, settings) {
    const { endpoint, env } = settings;
    const baseURL = serverAddress(settings, "OPENAI_BASE_URL") ?? OFFICIAL_URL;
    const quirks = quirksOf(new URL(baseURL).hostname, settings.quirks);
    const keyName = endpoint?.keyEnv ?? "OPENAI_API_KEY";
    const apiKey = keyOf(settings, keyName, quirks.name === "openai");
    const { OPENAI_ORG_ID, OPENAI_PROJECT_ID } = keyName === "OPENAI_API_KEY" ? env : {}; // they belong to the usual key
    const client = openedOnce(async () =>
      openClient({
        apiKey: apiKey ?? "none", // local servers need no key, but the SDK wants one
        ...clientUrl(baseURL),
        organization: OPENAI_ORG_ID ?? null,
        project: OPENAI_PROJECT_ID ?? null,
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: "off",
        defaultHeaders: endpoint?.headers ?? {},
        fetch: unwrapErrorList(keepAliveFetch(settings.concurrency, env, settings.onResponse)),
      }),
    );
    const id = `${endpoint?.name ?? "openai"}/${modelId}`;
    const access: ModelAccess = {
      model: id,
      keyName: keyName || "the login",
      secrets: [apiKey ?? "", ...urlSecrets(baseURL), ...(endpoint?.secrets ?? [])],
      billsRepliesOnly: billsRepliesOnly(baseURL, hostsThatBillReplies),
      limitHeaders,
    };
    const { capabilities, settled, wire, line } = openWire(modelId, quirks, settings);
    return {
      id,
      capabilities,
      simulated: false,
      batch: openaiBatches(batchCalls(client, access), { ...access, pagesMayPass: true }, line),
      ...(settled === undefined ? {} : { settled }),
      complete: completing(access, client, wire),
    };
  },
};

/** Opens the SDK's client. Of the SDK's 150 files each takes longer to import than to require. */
export function openClient(settings: ConstructorParameters<typeof OpenAI>[0]): OpenAI {
  const { OpenAI: Client } = createRequire(import.meta.url)("openai") as typeof import("openai");
  return new Client(settings);
}

/** Undefined: none is needed. */
function keyOf({ endpoint, env, sendsNothing }: ProviderSettings, name: string, official: boolean): string | undefined {
  const key = env[name]?.trim();
  if (key) return sendableKey(key, name);
  if (sendsNothing || name === "" || (!official && endpoint === undefined)) return undefined;
  if (endpoint !== undefined) throw new UsageError(`endpoint ${endpoint.name}: ${name} is not set; set it`);
  throw new UsageError(
    "provider openai: OPENAI_API_KEY is not set; set it, or name a compatible server with --base-url http://host:port/v1",
  );
}

/** Gemini serves errors in a list of one, of which the SDK would read nothing: neither words nor details. */
const unwrapErrorList =
  (send: Fetch): Fetch =>
  async (input, init) => {
    const response = await send(input, init);
    if (response.ok) return response;
    const { status, headers } = response;
    const [, only] = /^\s*\[\s*(\{[\s\S]*\})\s*\]\s*$/.exec(await response.clone().text()) ?? [];
    return only === undefined ? response : new Response(only, { status, headers });
  };
