import type { Capabilities, Model, ModelReply, ModelRequest, ProviderSettings } from "../../../types/index.js";
import { beginning, failure, malformed, type Speaker } from "../../wire/failure.js";
import { fieldsOf, type Misfit, readUsage } from "../../wire/reply.js";
import { type Body, type Wire, withoutFields } from "../../wire/sdk.js";
import { readChat } from "./chat-reply.js";
import { toChatBody } from "./chat-request.js";
import { gptFamily, onChatCompletions } from "./models.js";
import type { Quirks } from "./quirks.js";
import { readResponse } from "./responses-reply.js";
import { toResponsesBody } from "./responses-request.js";

interface OpenWire {
  readonly capabilities: Capabilities;
  readonly settled?: NonNullable<Model["settled"]>;
  readonly wire: Wire;
  /** As a line of a batch: without marks, because lines go at once and none waits for what another writes. */
  readonly line: Wire;
}

/** Returns the wire of a model on a host: the one that was asked for, else the one that the host takes. */
export function openWire(
  modelId: string,
  quirks: Quirks,
  { api = "auto", cache = "auto", omit }: Pick<ProviderSettings, "api" | "cache" | "omit">,
  speaker: Speaker,
): OpenWire {
  const spoken = api === "auto" ? quirks.api : api;
  const { path, capabilities, settled, bodyOf, read } = protocols[spoken](modelId, quirks);
  const wireWith = (setting: "auto" | "off"): Wire => ({
    path,
    body: (request) => withoutFields(bodyOf(request, setting), omit),
    read: (served, request) => readWith(read, speaker, served, request),
    refusal: moderated,
  });
  return {
    capabilities,
    ...(settled === undefined ? {} : { settled }),
    wire: wireWith(cache),
    line: wireWith("off"),
  };
}

interface Protocol {
  readonly path: string;
  readonly capabilities: Capabilities;
  readonly settled?: NonNullable<Model["settled"]>;
  bodyOf(request: ModelRequest, cache: "auto" | "off"): Body;
  read(served: unknown, request: ModelRequest): ModelReply | Misfit;
}

const protocols: Readonly<Record<Quirks["api"], (modelId: string, quirks: Quirks) => Protocol>> = {
  chat(modelId, quirks) {
    const known = onChatCompletions(modelId, quirks.official);
    const capabilities: Capabilities = {
      ...known,
      logprobs: known.logprobs && quirks.logprobs !== "none",
      ...(quirks.samples ? { samples: true } : {}),
    };
    return {
      path: "/chat/completions",
      capabilities,
      bodyOf: (request, cache) => toChatBody(request, { modelId, quirks, capabilities, cache }),
      read: readChat,
    };
  },
  responses(modelId, { official }) {
    const family = gptFamily(official ? modelId : "");
    const { cache: _, ...able } = family.capabilities;
    const capabilities = official ? family.capabilities : able; // of others no cache is steered
    return {
      path: "/responses",
      capabilities,
      settled: {
        "openai.api": "responses",
        ...(family.effort === undefined ? {} : { "model.effort": family.effort }),
      },
      bodyOf: (request, cache) => toResponsesBody(request, { modelId, family, capabilities, cache, official }),
      read: readResponse,
    };
  },
};

/** Gateways report a failed backend inside a 200: as `error` in the place of the choices, or in the choice. */
function readWith(read: Protocol["read"], speaker: Speaker, served: unknown, request: ModelRequest): ModelReply {
  const { error: whole, choices } = fieldsOf(served);
  const error = whole || (Array.isArray(choices) ? fieldsOf(choices[0]).error : undefined);
  if (!error) {
    const reply = read(served, request);
    if ("misfit" in reply) throw malformed(speaker, reply.misfit, served);
    return reply;
  }
  const { code, message } = fieldsOf(error);
  const status = Number(code);
  const refused = moderated(status, error, request);
  if (refused !== undefined) return refused;
  const isStatus = Number.isInteger(status) && status >= 400;
  throw failure(speaker, {
    ...(isStatus ? { status } : { retryable: true, code: String(code) }),
    bill: "due", // the gateway took the call
    served: error,
    text: typeof message === "string" ? message : beginning(error),
  });
}

/**
 * Returns the reply that an error of content moderation stands for: a refusal of this one question. OpenRouter serves 403 with
 * `metadata.reasons` and bills nothing (its reference, Errors and debugging); Azure and OpenAI 400 with a code, and Azure bills the
 * prompt (Plan to manage costs for Azure OpenAI). Undefined for every other error.
 */
function moderated(status: unknown, error: unknown, request: ModelRequest): ModelReply | undefined {
  const { code, message, metadata } = fieldsOf(error);
  const isFree = status === 403 && Array.isArray(fieldsOf(metadata).reasons);
  const isFiltered = FILTERED.has(String(code)) || (code === "invalid_prompt" && /usage policy/i.test(String(message)));
  if (!isFree && !(status === 400 && isFiltered)) return undefined;
  const none = { text: "", toolCalls: [] };
  const told = { out: 0, ...(isFree ? { cost: 0 } : {}) };
  return { ...none, stop: "refusal", usage: readUsage(told, MODERATED, [request, none]), model: "" };
}

const FILTERED = new Set(["content_filter", "content_policy_violation"]);

/** No prompt tokens are told: they are estimated. */
const MODERATED = { in: "in", out: "out", cacheRead: "", cacheWrite: "", billedUsd: "cost", inHoldsCache: true };
