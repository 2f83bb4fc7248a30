import { registry } from "../registry/registry.js";
import type { Json, Registry } from "../types/index.js";

/** In what a host of OpenAI's protocols differs from the plain one. What is absent is as in the plain one. */
export interface Quirks {
  /** As typed after `quirks:` of an endpoint. */
  readonly name: string;
  /** The hosts that follow it by themselves. */
  readonly hosts?: RegExp;
  /** The default wire. */
  readonly api: "chat" | "responses";
  /** The field of Chat Completions that bounds a reply. */
  readonly limit: "max_tokens" | "max_completion_tokens";
  /** Whether it follows OpenAI's own table of models, efforts and prompt caching. */
  readonly official: boolean;
  /** How log probabilities are asked for: a flag and a number beside it, or the number alone. */
  readonly logprobs: "flag" | "number" | "none";
  /** Whether one request may ask for several replies (`n`). */
  readonly samples: boolean;
  /** Ids of tool calls must be nine letters and digits. */
  readonly shortIds?: true;
  /** Fields of every Chat Completions body. */
  readonly always?: { readonly [field: string]: Json };
  /** Fields that switch thinking off, in place of `reasoning_effort: none`. */
  readonly withoutThinking?: { readonly [field: string]: Json };
  readonly source: string;
}

/** The quirks of a host, by name where one is given. Throws UsageError on a name that is none. */
export function quirksOf(host: string, name?: string): Quirks {
  if (name !== undefined) return allQuirks.get(name, "quirks");
  return allQuirks.all.find(({ hosts }) => hosts?.test(host) === true) ?? PLAIN;
}

const PLAIN: Quirks = {
  name: "plain",
  api: "chat",
  limit: "max_tokens",
  official: false,
  logprobs: "flag",
  samples: true,
  source: "OpenAI's Chat Completions as most compatible servers take it",
};

const official = { api: "responses", limit: "max_completion_tokens", official: true } as const;

const records: readonly Quirks[] = [
  PLAIN,
  {
    ...PLAIN,
    ...official,
    name: "openai",
    hosts: /^api\.openai\.com$/,
    source: "OpenAI, migration guide to the Responses API; Chat Completions takes max_completion_tokens only",
  },
  {
    ...PLAIN,
    ...official,
    name: "azure",
    hosts: /\.openai\.azure\.com$/,
    source: "Azure OpenAI, v1 path: the same two wires, deployments in place of models",
  },
  {
    ...PLAIN,
    name: "openrouter",
    hosts: /^openrouter\.ai$/,
    always: { provider: { require_parameters: true } },
    samples: false,
    source: "OpenRouter, provider routing: parameters that a backend does not take are dropped in silence otherwise",
  },
  {
    ...PLAIN,
    name: "xai",
    hosts: /^api\.x\.ai$/,
    source: "x.ai, as OpenRouter: usage.cost is what the call was billed at",
  },
  {
    ...PLAIN,
    name: "deepseek",
    hosts: /^api\.deepseek\.com$/,
    withoutThinking: { thinking: { type: "disabled" } },
    samples: false,
    source: "DeepSeek V4, thinking mode: on unless switched off by `thinking`",
  },
  {
    ...PLAIN,
    name: "gemini",
    hosts: /^generativelanguage\.googleapis\.com$/,
    logprobs: "none",
    source: "Gemini, OpenAI compatibility: no log probabilities are documented",
  },
  {
    ...PLAIN,
    name: "mistral",
    hosts: /^api\.mistral\.ai$/,
    logprobs: "none",
    shortIds: true,
    source: "Mistral: unknown fields are a 422, ids of tool calls are nine letters and digits",
  },
  {
    ...PLAIN,
    name: "groq",
    hosts: /^api\.groq\.com$/,
    limit: "max_completion_tokens",
    logprobs: "none",
    samples: false,
    source: "Groq, OpenAI compatibility: logprobs are a 400, n must be 1",
  },
  {
    ...PLAIN,
    name: "together",
    hosts: /^api\.together\.(xyz|ai)$/,
    logprobs: "number",
    source: "Together, chat completions: logprobs is a number from 0 to 20",
  },
  {
    ...PLAIN,
    name: "vllm",
    withoutThinking: { chat_template_kwargs: { enable_thinking: false } },
    source: "vLLM, reasoning outputs: Qwen 3 is told by its chat template",
  },
  {
    ...PLAIN,
    name: "llama.cpp",
    withoutThinking: { chat_template_kwargs: { enable_thinking: false } },
    source: "llama.cpp server: the same field as vLLM's",
  },
  {
    ...PLAIN,
    name: "ollama",
    samples: false,
    source: "Ollama, OpenAI compatibility: reasoning_effort none is taken, n is not",
  },
  {
    ...PLAIN,
    name: "lm-studio",
    logprobs: "none",
    source: "LM Studio: log probabilities of its chat endpoint are null",
  },
];

/** All records, by name. The first whose hosts fit counts. */
export const allQuirks: Registry<Quirks> = registry<Quirks>("quirks", records);
