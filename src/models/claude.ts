import type { Capabilities } from "../types/index.js";
import { familyBytesPerToken } from "./bytes-per-token.js";

/** What a Claude family can do, and what its requests need beside the question. */
export interface ClaudeFamily {
  /** Matches the bare id: `claude-haiku-4-5-20251001-v1:0`. */
  readonly pattern: RegExp;
  readonly capabilities: Capabilities;
  /** Older families take sampling parameters only under this `anthropic-version`. */
  readonly apiVersion?: "2023-06-01";
  /** The `thinking` setting that keeps a short answer budget for the answer. Absent: send none. */
  readonly thinking?: "disabled" | "between_tools";
  readonly effort?: "low";
  /** This version does not know the id. */
  readonly unknown?: true;
  readonly source: string;
}

/** The day on which a model ends at Anthropic, as far as this version knows. */
export const retirementOf = (modelId: string): string | undefined =>
  retirements.find(([pattern]) => pattern.test(modelId))?.[1];

/** Rules for the family of a Claude id as any provider writes it (`us.anthropic.claude-...`, an ARN); unknown ids: today's rules. */
export function claudeFamily(modelId: string): ClaudeFamily {
  const bare = modelId.slice(Math.max(0, modelId.lastIndexOf("claude-")));
  const family = families.find(({ pattern }) => pattern.test(bare)) ?? unknown;
  return { ...family, capabilities: { ...family.capabilities, cache: cacheOf(bare) } };
}

const NOW: Capabilities = {
  temperature: false,
  stop: true,
  tools: true,
  prefill: false,
  logprobs: false,
  thinking: "optional",
};

const BEFORE: Capabilities = { ...NOW, temperature: true };

const MODELS = "Anthropic model documentation, November 2026";

/** First match wins. Nothing but this table decides; correct it here when a provider changes its mind. */
const families: readonly ClaudeFamily[] = [
  {
    pattern: /^claude-(opus-5-5|fable-5-[1-9])/,
    capabilities: { ...NOW, thinking: "always" },
    effort: "low",
    source: `${MODELS}: thinking cannot be disabled; forced tool choice is a 400; no sampling parameters, no prefill`,
  },
  {
    pattern: /^claude-sonnet-5-5/,
    capabilities: NOW,
    thinking: "between_tools",
    source: `${MODELS}: between_tools replaces disabled; no sampling parameters, no prefill`,
  },
  {
    pattern: /^claude-(haiku-5-5|opus-5|opus-4-[78]|sonnet-5)/,
    capabilities: NOW,
    thinking: "disabled",
    source: `${MODELS}: thinking may be disabled; no sampling parameters, no prefill`,
  },
  {
    pattern: /^claude-(opus|sonnet)-4-6/,
    capabilities: { ...BEFORE, prefill: false },
    apiVersion: "2023-06-01",
    source: `${MODELS}: sampling parameters under version 2023-06-01; no prefill; thinking is off unless asked for`,
  },
  {
    pattern: /^claude-((opus|sonnet|haiku)-4|3|2|instant)/,
    capabilities: { ...BEFORE, prefill: true },
    apiVersion: "2023-06-01",
    source: `${MODELS}: Haiku 4.5 and earlier take sampling parameters under version 2023-06-01; thinking is off unless asked for`,
  },
];

/** The shortest prefix that is cached, tokens; first match wins (pricing page, November 2026). */
const leastPrefixes: readonly (readonly [RegExp, number])[] = [
  [/^claude-(fable-5|mythos-5|opus-5|sonnet-5-5|haiku-5-5)/, 512],
  [/^claude-(opus-4-8|sonnet-5|sonnet-4)/, 1024],
  [/^claude-opus-4-7/, 2048],
];
/** Of older models, and of ids that this version does not know. */
const LONGEST_LEAST = 4096;

/** Anthropic's models overview, November 2026. */
const retirements: readonly (readonly [RegExp, string])[] = [[/^claude-sonnet-4-5/, "2026-11-30"]];

const cacheOf = (bare: string): NonNullable<Capabilities["cache"]> => ({
  minTokens: leastPrefixes.find(([pattern]) => pattern.test(bare))?.[1] ?? LONGEST_LEAST,
  bytesPerToken: familyBytesPerToken(bare),
});

const unknown: ClaudeFamily = {
  pattern: /^/,
  unknown: true,
  capabilities: { ...NOW, thinking: "always" },
  source: "an id this version does not know (also Fable 5 and Mythos): the strictest rules of today's families",
};
