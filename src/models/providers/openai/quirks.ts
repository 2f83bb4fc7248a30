import { registry } from "../../../registry/registry.js";
import type { Json, Registry } from "../../../types/index.js";

/** In what a host of OpenAI's protocols differs from the plain one. */
export interface Quirks {
  /** As typed after `quirks:` of an endpoint. */
  readonly name: string;
  /** The hosts that follow it by themselves; they bill replies alone. */
  readonly hosts?: RegExp;
  /** The default wire. */
  readonly api: "chat" | "responses";
  /** The field of Chat Completions that bounds a reply. */
  readonly limit: "max_tokens" | "max_completion_tokens";
  /** True if it follows OpenAI's own table of models, efforts and prompt caching. */
  readonly official: boolean;
  /** The request for log probabilities: a flag and a number beside it, or the number alone. */
  readonly logprobs: "flag" | "number" | "none";
  /** The field that takes a seed. */
  readonly seed?: "seed" | "random_seed" | undefined;
  /** Ids of tool calls must be nine letters and digits. */
  readonly shortIds?: true;
  /** Fields of every Chat Completions body. */
  readonly always?: { readonly [field: string]: Json };
  /** Fields that switch thinking off, in place of `reasoning_effort: none`. */
  readonly withoutThinking?: { readonly [field: string]: Json };
}

/** Returns the quirks of a host, by name where one is given. Throws UsageError on a name that is none. */
export function quirksOf(host: string, name?: string): Quirks {
  if (name !== undefined) return allQuirks.get(name, "quirks");
  return allQuirks.all.find(({ hosts }) => hosts?.test(host) === true) ?? PLAIN;
}

/** Chat Completions as most compatible servers take it. */
const PLAIN: Quirks = {
  name: "plain",
  api: "chat",
  limit: "max_tokens",
  official: false,
  logprobs: "flag",
  seed: "seed",
};

/** Migration guide to the Responses API; Chat Completions takes max_completion_tokens only. */
const OFFICIAL = { api: "responses", limit: "max_completion_tokens", official: true } as const;

/** vLLM, reasoning outputs: Qwen 3 is told by its chat template. llama.cpp takes the same field. */
const TEMPLATE = { withoutThinking: { chat_template_kwargs: { enable_thinking: false } } };

const UNTHINKING = { withoutThinking: { thinking: { type: "disabled" } } };

const differences: readonly (Partial<Quirks> & Pick<Quirks, "name">)[] = [
  { ...OFFICIAL, name: "openai", hosts: /^api\.openai\.com$/ },
  // v1 path: the same two wires, deployments in place of models
  { ...OFFICIAL, name: "azure", hosts: /\.openai\.azure\.com$/ },
  // Provider routing: parameters that a backend does not take are dropped in silence otherwise
  {
    name: "openrouter",
    hosts: /^openrouter\.ai$/,
    always: { provider: { require_parameters: true } },
    seed: undefined,
  },
  { name: "xai", hosts: /^api\.x\.ai$/ },
  // Thinking mode of V4: on unless switched off by `thinking`
  { ...UNTHINKING, name: "deepseek", hosts: /^api\.deepseek\.com$/, seed: undefined },
  // OpenAI compatibility: no log probabilities are documented
  { name: "gemini", hosts: /^generativelanguage\.googleapis\.com$/, logprobs: "none", seed: undefined },
  // Unknown fields are a 422, ids of tool calls are nine letters and digits
  { name: "mistral", hosts: /^api\.mistral\.ai$/, logprobs: "none", shortIds: true, seed: "random_seed" },
  // OpenAI compatibility: logprobs are a 400
  { name: "groq", hosts: /^api\.groq\.com$/, limit: "max_completion_tokens", logprobs: "none" },
  // Chat completions: logprobs is a number from 0 to 20
  { name: "together", hosts: /^api\.together\.(xyz|ai)$/, logprobs: "number" },
  { ...TEMPLATE, name: "vllm" },
  { ...TEMPLATE, name: "llama.cpp" },
  // OpenAI compatibility: reasoning_effort none is taken
  { name: "ollama" },
  // Log probabilities of its chat endpoint are null
  { name: "lm-studio", logprobs: "none" },
];

/** All records, by name. The first whose hosts fit counts. */
export const allQuirks: Registry<Quirks> = registry<Quirks>("quirks", [
  PLAIN,
  ...differences.map((one) => ({ ...PLAIN, ...one })),
]);

/** Bedrock serves OpenAI's protocols, too. */
export const hostsThatBillReplies: readonly RegExp[] = [
  /\.amazonaws\.com$/,
  ...allQuirks.all.flatMap(({ hosts }) => hosts ?? []),
];
