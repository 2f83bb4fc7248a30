import { contentId } from "../../../text/content-id.js";
import type { Capabilities, Model, ModelReply, ModelRequest, ProviderSettings } from "../../../types/index.js";
import { fieldsOf, readUsage } from "../../wire/reply.js";
import { type Body, type Wire, withoutFields } from "../../wire/sdk.js";
import { readChat, toChatBody } from "./chat.js";
import { onCompletions, readCompletion, toCompletionsBody } from "./completions.js";
import { gptFamily, onChatCompletions } from "./models.js";
import type { Quirks } from "./quirks.js";
import { readResponse, toResponsesBody } from "./responses.js";

interface OpenWire {
  readonly capabilities: Capabilities;
  readonly settled?: NonNullable<Model["settled"]>; // options that the provider chose
  readonly wire: Wire;
  /** As a line of a batch: without marks, because lines go at once and none waits for what another writes. */
  readonly line: Wire;
}

/** Returns the wire of a model on a host: the one that was asked for, else the one that the host takes. */
export function openWire(
  modelId: string,
  quirks: Quirks,
  { api = "auto", cache = "auto", omit, seed }: Pick<ProviderSettings, "api" | "cache" | "omit" | "seed">,
): OpenWire {
  const open = { chat: chatWire, responses: responsesWire, completions: completionsWire };
  const { path, capabilities, settled, seedField, bodyOf, read } = open[api === "auto" ? quirks.api : api](
    modelId,
    quirks,
  );
  const seedOf = (request: ModelRequest): Body =>
    seed === undefined || seedField === undefined ? {} : { [seedField]: requestSeed(request, seed) };
  const wireWith = (setting: "auto" | "off"): Wire => ({
    path,
    read,
    refusal: moderated,
    body: (request) => withoutFields({ ...bodyOf(request, setting), ...seedOf(request) }, omit),
  });
  return { capabilities, ...(settled && { settled }), wire: wireWith(cache), line: wireWith("off") };
}

/**
 * Returns the seed of a request, 31 bits: other repeats and draws have other seeds (`sample`), and so have other prompts, since equal
 * random numbers would make the answers to different questions depend on one another.
 */
function requestSeed({ opening: _, ...request }: ModelRequest, seed: number): number {
  return Number.parseInt(contentId({ seed, request }).slice(0, 8), 16) >>> 1;
}

interface Protocol extends Pick<Wire, "path" | "read">, Pick<OpenWire, "capabilities" | "settled"> {
  /** Absent: the model takes no seed. */
  readonly seedField?: Quirks["seed"];
  bodyOf(request: ModelRequest, cache: "auto" | "off"): ReturnType<Wire["body"]>;
}

function chatWire(modelId: string, quirks: Quirks): Protocol {
  const known = onChatCompletions(modelId, quirks.official);
  const capabilities: Capabilities = {
    ...known,
    logprobs: known.logprobs && quirks.logprobs !== "none",
  };
  return {
    path: "/chat/completions",
    capabilities,
    seedField: capabilities.temperature ? quirks.seed : undefined,
    bodyOf: (request, cache) => toChatBody(request, { modelId, quirks, capabilities, cache }),
    read: readChat,
  };
}

/** For base models, whose log probabilities RUMS measures. */
function completionsWire(modelId: string, quirks: Quirks): Protocol {
  return {
    path: "/completions",
    capabilities: onCompletions,
    settled: { "openai.api": "completions" },
    seedField: quirks.seed,
    bodyOf: (request) => toCompletionsBody(request, modelId, quirks),
    read: readCompletion,
  };
}

function responsesWire(modelId: string, { official }: Quirks): Protocol {
  const family = gptFamily(official ? modelId : "");
  const { cache: _, ...able } = family.capabilities;
  const capabilities = official ? family.capabilities : able; // of others no cache is steered
  const effort = family.effort === undefined ? {} : { "model.effort": family.effort };
  return {
    path: "/responses",
    capabilities,
    settled: { "openai.api": "responses", ...effort },
    bodyOf: (request, cache) => toResponsesBody(request, { modelId, family, capabilities, cache, official }),
    read: readResponse,
  };
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
const MODERATED = { in: "in", out: "out", cacheRead: "", cacheWrite: "", billedUsd: "cost", promptIncludesCache: true };
