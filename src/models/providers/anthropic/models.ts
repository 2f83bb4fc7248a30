import type { Capabilities } from "../../../types/index.js";
import { familyBytesPerToken } from "../../tokens.js";

/** The abilities of a Claude family, and what its requests need beside the question. */
export interface ClaudeFamily {
  /** Matches the bare id: `claude-haiku-4-5-20251001-v1:0`. */
  readonly pattern: RegExp;
  readonly capabilities: Capabilities;
  /** Older families take sampling parameters only under this `anthropic-version`. */
  readonly apiVersion?: "2023-06-01";
  /** The `thinking` setting that keeps a short answer budget for the answer. Absent: send none. */
  readonly thinking?: "disabled" | "between_tools";
  readonly effort?: "low";
}

/** Returns the rules for a Claude id as any provider writes it (`us.anthropic.claude-...`, an ARN). */
export function claudeFamily(modelId: string): ClaudeFamily {
  const bare = modelId.slice(Math.max(0, modelId.lastIndexOf("claude-")));
  const family = families.find(({ pattern }) => pattern.test(bare))!; // the last matches all
  const minTokens = leastPrefixes.find(([pattern]) => pattern.test(bare))![1]; // the last matches all
  const cache = { minTokens, bytesPerToken: familyBytesPerToken(bare) };
  return { ...family, capabilities: { ...family.capabilities, cache } };
}

/** No sampling parameters, and no prefill. */
const NO_SAMPLING: Capabilities = {
  temperature: false,
  stop: true,
  tools: true,
  prefill: false,
  logprobs: false,
  thinking: "optional",
};

/** Sampling parameters are taken under version 2023-06-01; thinking is off unless asked for. */
const WITH_TEMPERATURE: Capabilities = { ...NO_SAMPLING, temperature: true };

/** First match wins. Source: Anthropic's model documentation, November 2026. */
const families: readonly ClaudeFamily[] = [
  // thinking cannot be disabled
  { pattern: /^claude-(opus-5-5|fable-5-[1-9])/, capabilities: { ...NO_SAMPLING, thinking: "always" }, effort: "low" },
  // between_tools replaces disabled
  { pattern: /^claude-sonnet-5-5/, capabilities: NO_SAMPLING, thinking: "between_tools" },
  { pattern: /^claude-(haiku-5-5|opus-5|opus-4-[78]|sonnet-5)/, capabilities: NO_SAMPLING, thinking: "disabled" },
  { pattern: /^claude-(opus|sonnet)-4-6/, capabilities: WITH_TEMPERATURE, apiVersion: "2023-06-01" },
  {
    pattern: /^claude-((opus|sonnet|haiku)-4|3|2|instant)/,
    capabilities: { ...WITH_TEMPERATURE, prefill: true },
    apiVersion: "2023-06-01",
  },
  // ids that this version does not know (also Fable 5 and Mythos): the strictest rules of today's families
  { pattern: /^/, capabilities: { ...NO_SAMPLING, thinking: "always" } },
];

/** The shortest prefix that is cached, tokens; first match wins (pricing page, November 2026). */
const leastPrefixes: readonly (readonly [RegExp, number])[] = [
  [/^claude-(fable-5|mythos-5|opus-5|sonnet-5-5|haiku-5-5)/, 512],
  [/^claude-(opus-4-8|sonnet-5|sonnet-4)/, 1024],
  [/^claude-opus-4-7/, 2048],
  [/^/, 4096],
];
