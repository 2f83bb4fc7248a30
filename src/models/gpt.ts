import type { Capabilities } from "../types/index.js";
import { familyBytesPerToken } from "./bytes-per-token.js";

/** What an OpenAI family can do on the Responses API, and what its requests need beside the question. */
export interface GptFamily {
  readonly pattern: RegExp;
  readonly capabilities: Capabilities;
  /** The least effort that it takes, sent where nobody asks for another. Absent: none is sent. */
  readonly effort?: "none" | "minimal" | "low";
  /** Whether replies may hold reasoning items, which the next turn must bring back encrypted. */
  readonly reasons: boolean;
  /** Cache writes are billed: a prompt that nobody repeats is sent with caching off. */
  readonly billsCacheWrites: boolean;
  readonly source: string;
}

/** Rules for the family of an OpenAI id; ids of no family, such as Azure's deployments, follow those of plain models. */
export function gptFamily(modelId: string): GptFamily {
  return families.find((family) => family.pattern.test(modelId))!; // the last matches all
}

/** Prompt caching guide: prompts from 1,024 tokens on. */
const CACHE = { minTokens: 1024, bytesPerToken: familyBytesPerToken("gpt-") } as const;

const REASONING: Capabilities = {
  temperature: false,
  stop: false,
  tools: true,
  prefill: false,
  logprobs: false,
  thinking: "always",
  cache: CACHE,
};

const PLAIN: Capabilities = { ...REASONING, temperature: true, logprobs: true, thinking: "none" };

const GUIDE = "OpenAI model pages and deployment checklist, October 2026";

/** First match wins. The wire has no `stop` for anybody. */
const families: readonly GptFamily[] = [
  {
    pattern: /(-pro|codex|deep-research)/,
    capabilities: REASONING,
    reasons: true,
    billsCacheWrites: false,
    source: `${GUIDE}: on the Responses API only; their own effort`,
  },
  {
    pattern: /^gpt-(6-astra|6\.1-sol)/,
    capabilities: REASONING,
    effort: "low",
    reasons: true,
    billsCacheWrites: true,
    source: `${GUIDE}: efforts low to max; no sampling parameters`,
  },
  {
    pattern: /^gpt-(5\.[6-9]|[6-9])(?!.*chat)/,
    capabilities: REASONING,
    effort: "none",
    reasons: true,
    billsCacheWrites: true,
    source: `${GUIDE}: efforts none to max; sources differ on temperature at none, so none is sent`,
  },
  {
    pattern: /^gpt-5\.\d(?!.*chat)/,
    capabilities: REASONING,
    effort: "none",
    reasons: true,
    billsCacheWrites: false,
    source: `${GUIDE}: efforts none to high`,
  },
  {
    pattern: /^gpt-5(?!.*chat)/,
    capabilities: REASONING,
    effort: "minimal",
    reasons: true,
    billsCacheWrites: false,
    source: `${GUIDE}: efforts minimal to high, never off`,
  },
  {
    pattern: /^o\d/,
    capabilities: REASONING,
    effort: "low",
    reasons: true,
    billsCacheWrites: false,
    source: `${GUIDE}: efforts low to high, never off`,
  },
  {
    pattern: /(^|:)(gpt-[34]|chatgpt|gpt-5.*chat)/,
    capabilities: PLAIN,
    reasons: false,
    billsCacheWrites: false,
    source: `${GUIDE}: GPT-4.1 and 4o take sampling parameters and up to 20 log probabilities, and no effort`,
  },
  {
    pattern: /^/,
    capabilities: PLAIN,
    reasons: true,
    billsCacheWrites: false,
    source: "deployments, and models of other hosts, may reason: one that does not refuses to encrypt, once",
  },
];
