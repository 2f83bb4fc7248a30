import type { Anthropic, ClientOptions } from "@anthropic-ai/sdk";
import { UsageError } from "../errors.js";
import { urlSecrets } from "../secrets/url.js";
import type { Provider } from "../types.js";
import { clientUrl, sendableKey, serverAddress } from "./base-url.js";
import { anthropicBatches } from "./batch/anthropic-batches.js";
import { batchCalls } from "./batch/bare-client.js";
import { capabilitiesOf } from "./capabilities.js";
import { claudeFamily, retirementOf } from "./claude.js";
import { ClaudeRecord } from "./claude-record.js";
import { type AnthropicWire, toMessagesBody } from "./convert-anthropic.js";
import { countIn, only } from "./count.js";
import { malformed, type Speaker } from "./failure.js";
import { keepAliveFetch } from "./http-fetch.js";
import { hearLimits } from "./rate/headers.js";
import { readMessagesBody } from "./read-anthropic.js";
import { SDK_TIMEOUT_MS, sdkFailure } from "./sdk-failure.js";

/** Claude through Anthropic's Messages API. */
export const anthropic: Provider = {
  name: "anthropic",
  summary: "Claude through the Anthropic API (ANTHROPIC_API_KEY)",
  async open(modelId, settings) {
    const { name = "anthropic", keyEnv = "ANTHROPIC_API_KEY" } = settings.endpoint ?? {};
    const needsNone = settings.sendsNothing === true || keyEnv === "";
    const apiKey = settings.env[keyEnv]?.trim() || (needsNone ? "none" : "");
    if (!apiKey)
      throw new UsageError(
        `${settings.endpoint === undefined ? "provider anthropic" : `endpoint ${name}`}: ${keyEnv} is not set: set it, or run without a key on --model offline/lexical`,
      );
    sendableKey(apiKey, keyEnv);
    const family = claudeFamily(modelId);
    const address = serverAddress(settings, "ANTHROPIC_BASE_URL");
    let opened: Promise<Anthropic> | undefined;
    /** The SDK is loaded when something is sent: a finished run needs none. */
    const client = (): Promise<Anthropic> => {
      opened ??= openClient({
        apiKey,
        ...(address === undefined ? { baseURL: null } : clientUrl(address)),
        maxRetries: 0,
        timeout: SDK_TIMEOUT_MS,
        logLevel: "off",
        openTelemetry: false,
        fetch: keepAliveFetch(settings.concurrency, settings.onResponse, settings.env),
        defaultHeaders: {
          ...(family.apiVersion === undefined ? {} : { "anthropic-version": family.apiVersion }),
          ...settings.endpoint?.headers,
        },
      });
      return opened;
    };
    const id = `${name}/${modelId}`;
    const speaker: Speaker = {
      model: id,
      keyName: keyEnv || "the login",
      secrets: [apiKey, ...urlSecrets(address ?? ""), ...(settings.endpoint?.secrets ?? [])],
      address,
    };
    const capabilities = capabilitiesOf("anthropic", modelId);
    const record = family.unknown ? new ClaudeRecord(family) : undefined;
    const wire: AnthropicWire = {
      modelId,
      get family() {
        return record?.family ?? family;
      },
      capabilities,
      cache: settings.cache ?? "auto",
    };
    const retires = retirementOf(modelId);
    return {
      id,
      capabilities,
      simulated: false,
      ...(retires === undefined ? {} : { retires }),
      ...(record === undefined
        ? {}
        : {
            endpoint: record,
            async readRecord(signal: AbortSignal) {
              try {
                record.read(
                  await (await client()).get<unknown>(`/v1/models/${encodeURIComponent(modelId)}`, { signal }),
                );
              } catch (thrown) {
                throw sdkFailure(speaker, thrown, signal);
              }
            },
          }),
      batch: anthropicBatches(
        batchCalls(client, speaker),
        speaker,
        (request) => toMessagesBody(request, { ...wire, family: wire.family, cache: "off" }), // none waits for what another writes
      ),
      async count(request, signal) {
        const body = only(toMessagesBody(request, wire), "model", "system", "messages", "tools", "tool_choice");
        try {
          return countIn(speaker, await (await client()).post<unknown>("/v1/messages/count_tokens", { body, signal }));
        } catch (thrown) {
          throw sdkFailure(speaker, thrown, signal);
        }
      },
      async complete(request, signal, hear) {
        let body: unknown;
        try {
          // not messages.create: it types no temperature and prints a warning per call of an ageing model
          const sdk = await client();
          const sent = sdk.post<unknown>("/v1/messages", { body: toMessagesBody(request, wire), signal });
          const { data, response } = await sent.withResponse();
          body = data;
          hearLimits(response.headers, hear);
        } catch (thrown) {
          throw sdkFailure(speaker, thrown, signal);
        }
        const reply = readMessagesBody(body, request);
        if ("misfit" in reply) throw malformed(speaker, reply.misfit, body);
        return reply;
      },
    };
  },
};

async function openClient(settings: ClientOptions): Promise<Anthropic> {
  const { Anthropic: Client } = await import("@anthropic-ai/sdk");
  return new Client(settings);
}
