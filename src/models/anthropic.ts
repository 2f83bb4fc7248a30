import type { Anthropic, ClientOptions } from "@anthropic-ai/sdk";
import { UsageError } from "../errors.js";
import { urlSecrets } from "../net/url.js";
import type { ModelEndpoint, Provider, ServerFacts } from "../types/index.js";
import { clientUrl, sendableKey, serverAddress } from "./base-url.js";
import { anthropicBatches } from "./batch/anthropic-batches.js";
import { batchCalls } from "./batch/bare-client.js";
import { capabilitiesOf } from "./capabilities.js";
import { type ClaudeFamily, claudeFamily, retirementOf } from "./claude.js";
import { type AnthropicWire, toMessagesBody } from "./convert-anthropic.js";
import { malformed, type Speaker } from "./failure.js";
import { keepAliveFetch } from "./http-fetch.js";
import { hearLimits } from "./rate/headers.js";
import { readMessagesBody } from "./read-anthropic.js";
import { fieldsOf } from "./read-reply.js";
import { refusedField, withoutFields } from "./refusal.js";
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
        `${settings.endpoint === undefined ? "provider anthropic" : `endpoint ${name}`}: ${keyEnv} is not set; set it, or run without a key on --model offline/lexical`,
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
      batch: anthropicBatches(batchCalls(client, speaker), speaker, (request) =>
        // without marks: none waits for what another writes
        withoutFields(toMessagesBody(request, { ...wire, family: wire.family, cache: "off" }), settings.omit),
      ),
      async complete(request, signal, hear) {
        const sent = withoutFields(toMessagesBody(request, wire), settings.omit);
        let body: unknown;
        try {
          // not messages.create: it types no temperature and prints a warning per call of an ageing model
          const sdk = await client();
          const { data, response } = await sdk.post<unknown>("/v1/messages", { body: sent, signal }).withResponse();
          body = data;
          hearLimits(response.headers, hear);
        } catch (thrown) {
          throw refusedField(speaker, thrown, sent) ?? sdkFailure(speaker, thrown, signal);
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

/**
 * Anthropic's record of a model that the table of families does not know (`GET /v1/models/ID`, free): its limits, when it ends, and
 * how its thinking is kept short. What the record says is not supported would be refused.
 */
class ClaudeRecord implements ModelEndpoint {
  readonly #unknown: ClaudeFamily;
  #facts: ServerFacts = { api: "messages" };

  constructor(unknown: ClaudeFamily) {
    this.#unknown = unknown;
  }

  get facts(): ServerFacts {
    return this.#facts;
  }

  recall(facts: ServerFacts): void {
    this.#facts = facts;
  }

  /** The rules that its requests follow: those of unknown ids until it is read. */
  get family(): ClaudeFamily {
    const { changed = [] } = this.#facts;
    const { thinking, effort } = shortened.find(({ name }) => changed.includes(name)) ?? {};
    return {
      ...this.#unknown,
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { effort }),
    };
  }

  read(served: unknown): void {
    const { max_input_tokens: most, max_tokens: out, retires_at: retires, capabilities } = fieldsOf(served);
    const said = fieldsOf(capabilities);
    const types = fieldsOf(fieldsOf(said.thinking).types);
    const efforts = fieldsOf(said.effort);
    const short = shortened.find(
      ({ thinking = "", effort = "" }) => isTaken(types[thinking]) || isTaken(efforts[effort]),
    );
    this.#facts = {
      api: "messages",
      ...(short === undefined ? {} : { changed: [short.name] }),
      record: {
        ...(typeof most === "number" ? { in: most } : {}),
        ...(typeof out === "number" ? { out } : {}),
        ...(typeof retires === "string" ? { retires } : {}),
      },
    };
  }
}

/** Ways to keep thinking short, the shortest first; requests follow the first that the record says is taken. */
const shortened: readonly ({ readonly name: string } & Pick<ClaudeFamily, "thinking" | "effort">)[] = [
  { name: "thinking is disabled", thinking: "disabled" },
  { name: "thinking is between_tools", thinking: "between_tools" },
  { name: "effort is low", effort: "low" },
];

const isTaken = (said: unknown): boolean => fieldsOf(said).supported === true;
