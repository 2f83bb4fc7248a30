import { UsageError } from "../../../errors.js";
import { urlSecrets } from "../../../net/secrets.js";
import type { LimitHeaders, Provider } from "../../../types/index.js";
import { batchCalls } from "../../wire/batch-calls.js";
import type { ModelAccess } from "../../wire/failure.js";
import { billsRepliesOnly, clientUrl, keepAliveFetch, sendableKey, serverAddress } from "../../wire/http.js";
import { completing, openedOnce, SDK_TIMEOUT_MS } from "../../wire/sdk.js";
import { anthropicBatches } from "./batches.js";
import { messagesWire } from "./messages.js";
import { claudeFamily } from "./models.js";
import { claudePrices } from "./prices.js";

const limitHeaders: LimitHeaders = [
  ["requests", "anthropic-ratelimit-requests-*"],
  ["input", "anthropic-ratelimit-input-tokens-*"],
  ["output", "anthropic-ratelimit-output-tokens-*"],
  ["tokens", "anthropic-ratelimit-tokens-*"],
  ["requests", "x-ratelimit-*-requests"], // gateways
  ["tokens", "x-ratelimit-*-tokens"],
];

/** Claude through Anthropic's Messages API. */
export const anthropic: Provider = {
  name: "anthropic",
  summary: "Claude through the Anthropic API (ANTHROPIC_API_KEY)",
  keyVariables: ["ANTHROPIC_API_KEY"],
  addressVariable: "ANTHROPIC_BASE_URL",
  limits: {
    headers: limitHeaders,
    outputAsWritten: true,
    cacheReadsFree: true,
    pooled: /^claude-(opus|sonnet|haiku)-4\b/,
  },
  prices: { rows: claudePrices("anthropic") },
  async open(modelId, settings) {
    const { endpoint, env } = settings;
    const { name = "anthropic", keyEnv = "ANTHROPIC_API_KEY" } = endpoint ?? {};
    const needsNone = settings.sendsNothing === true || keyEnv === "";
    const apiKey = sendableKey(env[keyEnv]?.trim() || (needsNone ? "none" : ""), keyEnv);
    if (apiKey === "") {
      const who = endpoint === undefined ? "provider anthropic" : `endpoint ${name}`;
      throw new UsageError(`${who}: ${keyEnv} is not set; set it, or run without a key on --model offline/lexical`);
    }
    const { apiVersion, capabilities } = claudeFamily(modelId);
    const address = serverAddress(settings, "ANTHROPIC_BASE_URL");
    const client = openedOnce(async () => {
      const { Anthropic: Client } = await import("@anthropic-ai/sdk");
      return new Client({
        apiKey,
        ...(address === undefined ? { baseURL: null } : clientUrl(address)),
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: "off",
        openTelemetry: false,
        fetch: keepAliveFetch(settings.concurrency, env, settings.onResponse),
        defaultHeaders: {
          ...(apiVersion === undefined ? {} : { "anthropic-version": apiVersion }),
          ...endpoint?.headers,
        },
      });
    });
    const id = `${name}/${modelId}`;
    const access: ModelAccess = {
      model: id,
      keyName: keyEnv || "the login",
      secrets: [apiKey, ...urlSecrets(address ?? ""), ...(endpoint?.secrets ?? [])],
      billsRepliesOnly: billsRepliesOnly(address, [/^api\.anthropic\.com$/, /\.amazonaws\.com$/]),
      limitHeaders,
    };
    return {
      id,
      capabilities,
      simulated: false,
      batch: anthropicBatches(
        batchCalls(client, access),
        { ...access, pagesMayPass: true },
        messagesWire(modelId, { ...settings, cache: "off" }), // lines of a batch run at once and read no cache of another
      ),
      complete: completing(access, client, messagesWire(modelId, settings)),
    };
  },
};
