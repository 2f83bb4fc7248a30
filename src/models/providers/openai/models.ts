import type { Capabilities, ModelRequest } from "../../../types/index.js";
import { type CacheMarks, prefixName } from "../../cache-marks.js";
import { familyBytesPerToken } from "../../tokens.js";
import type { Body } from "../../wire/sdk.js";

/** The abilities of an OpenAI family on the Responses API, and what its requests need beside the question. */
export interface GptFamily {
  readonly pattern: RegExp;
  readonly capabilities: Capabilities;
  /** The least effort that it takes, sent where nobody asks for another. Absent: none is sent. */
  readonly effort?: "none" | "minimal" | "low";
  /** Replies hold no reasoning items, which the next turn would have to bring back encrypted. */
  readonly isPlain?: true;
  /** Cache writes are billed: a prompt that nobody repeats is sent with caching off. */
  readonly billsCacheWrites?: true;
}

/** Returns the rules for an OpenAI id; ids of no family, such as Azure's deployments, follow those of plain models. */
export const gptFamily = (modelId: string): GptFamily => families.find(({ pattern }) => pattern.test(modelId))!; // the last matches all

const REASONING: Capabilities = {
  temperature: false,
  stop: false,
  tools: true,
  prefill: false,
  logprobs: false,
  thinking: "always",
  cache: { minTokens: 1024, bytesPerToken: familyBytesPerToken("gpt-") }, // prompt caching guide
};

const SAMPLING: Capabilities = { ...REASONING, temperature: true, logprobs: true, thinking: "none" };

/** First match wins. The wire has no `stop` for anybody. Source: OpenAI's model pages and deployment checklist, October 2026. */
const families: readonly GptFamily[] = [
  // on the Responses API only; their own effort
  { pattern: /(-pro|codex|deep-research)/, capabilities: REASONING },
  { pattern: /^gpt-(6-astra|6\.1-sol)/, capabilities: REASONING, effort: "low", billsCacheWrites: true },
  // sources differ on temperature at effort none, so no temperature is sent
  { pattern: /^gpt-(5\.[6-9]|[6-9])(?!.*chat)/, capabilities: REASONING, effort: "none", billsCacheWrites: true },
  { pattern: /^gpt-5\.\d(?!.*chat)/, capabilities: REASONING, effort: "none" },
  { pattern: /^gpt-5(?!.*chat)/, capabilities: REASONING, effort: "minimal" },
  { pattern: /^o\d/, capabilities: REASONING, effort: "low" },
  { pattern: /(^|:)(gpt-[34]|chatgpt|gpt-5.*chat)/, capabilities: SAMPLING, isPlain: true },
  // unknown: reasoning items are asked for; a server that cannot encrypt them refuses, and says which field to omit
  { pattern: /^/, capabilities: SAMPLING },
];

/** Servers behind --base-url: vLLM and llama.cpp take all of it, others answer with their own error. */
const ALL_PARAMETERS: Capabilities = {
  temperature: true,
  stop: true,
  tools: true,
  prefill: true,
  logprobs: true,
  thinking: "none",
};

/**
 * Returns what a model can do on Chat Completions. Reasoning guide: no sampling parameters, logprobs and stop; reasoning counts as
 * output. Deployment checklist: the youngest families, those with `billsCacheWrites`, refuse tools (agents use text-react).
 */
export function onChatCompletions(modelId: string, official: boolean): Capabilities {
  if (!official) return ALL_PARAMETERS;
  const { capabilities, billsCacheWrites } = gptFamily(modelId);
  const { thinking } = capabilities;
  return { ...capabilities, stop: thinking === "none", tools: billsCacheWrites !== true };
}

/** Returns the fields that steer OpenAI's prompt cache, the same on both of its wires. */
export function cacheFields(
  request: ModelRequest,
  { system, last, first }: CacheMarks,
  { billsCacheWrites }: Pick<GptFamily, "billsCacheWrites">,
): Body {
  const isCached = system || last || first !== undefined;
  const isPlanned = request.opening !== undefined && !last; // nobody begins with the rest of it
  const explicit = billsCacheWrites === true && (!isCached || isPlanned); // without marks nothing is cached or billed
  return {
    prompt_cache_key: isCached ? prefixName(request) : undefined,
    prompt_cache_options: explicit ? { mode: "explicit" } : undefined,
  };
}
