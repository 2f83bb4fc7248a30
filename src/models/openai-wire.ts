import type { Capabilities, Json, Model, ModelReply, ModelRequest } from "../types/index.js";
import type { CacheSetting } from "./cache-marks.js";
import { capabilitiesOf } from "./capabilities.js";
import { toChatCompletion } from "./convert-openai.js";
import { toResponse } from "./convert-responses.js";
import { gptFamily } from "./gpt.js";
import type { Quirks } from "./quirks.js";
import { readChatCompletion } from "./read-openai.js";
import type { Misfit } from "./read-reply.js";
import { readResponse } from "./read-responses.js";

/** One of OpenAI's two protocols, as one model speaks it. */
interface OpenAIWire {
  readonly api: "chat" | "responses";
  /** Behind the base URL. */
  readonly path: "/chat/completions" | "/responses";
  readonly capabilities: Capabilities;
  readonly settled?: NonNullable<Model["settled"]>;
  /** As a line of a batch: without marks, because lines go at once and none waits for what another writes. */
  line(request: ModelRequest): Readonly<Record<string, Json>>;
  body(request: ModelRequest): Readonly<Record<string, Json>>;
  read(served: unknown, request: ModelRequest): ModelReply | Misfit;
}

/** The wire of a model on a host. `api`: as asked for; `auto`: as the host takes it. */
export function openWire(
  modelId: string,
  quirks: Quirks,
  {
    api = "auto",
    cache = "auto",
  }: { api?: "auto" | "chat" | "responses" | undefined; cache?: CacheSetting | undefined },
): OpenAIWire {
  const spoken = api === "auto" ? quirks.api : api;
  return spoken === "chat" ? chatWire(modelId, quirks, cache) : responsesWire(modelId, quirks, cache);
}

function chatWire(modelId: string, quirks: Quirks, cache: CacheSetting): OpenAIWire {
  const known = capabilitiesOf(quirks.official ? "openai" : "openai-compatible", modelId);
  const capabilities: Capabilities = {
    ...known,
    logprobs: known.logprobs && quirks.logprobs !== "none",
    ...(quirks.official ? cacheOf(modelId) : {}),
    ...(quirks.samples ? { samples: true } : {}),
  };
  const wire = { modelId, quirks, capabilities, cache };
  return {
    api: "chat",
    path: "/chat/completions",
    capabilities,
    body: (request) => toChatCompletion(request, wire),
    line: (request) => toChatCompletion(request, { ...wire, cache: "off" }),
    read: readChatCompletion,
  };
}

function responsesWire(modelId: string, { official }: Quirks, cache: CacheSetting): OpenAIWire {
  const family = gptFamily(official ? modelId : "");
  const { cache: steered, ...able } = family.capabilities;
  const capabilities = official && steered !== undefined ? { ...able, cache: steered } : able;
  const { effort } = family;
  const wire = { modelId, family, capabilities, cache, official };
  return {
    api: "responses",
    path: "/responses",
    capabilities,
    settled: { "openai.api": "responses", ...(effort === undefined ? {} : { "model.effort": effort }) },
    body: (request) => toResponse(request, wire),
    line: (request) => toResponse(request, { ...wire, cache: "off" }),
    read: readResponse,
  };
}

/** What OpenAI caches, the same on both wires. */
function cacheOf(modelId: string): Pick<Capabilities, "cache"> {
  const { cache } = gptFamily(modelId).capabilities;
  return cache === undefined ? {} : { cache };
}
