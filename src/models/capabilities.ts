import type { Capabilities, ModelRequest } from "../types.js";
import { claudeFamily } from "./claude.js";

/** Who serves a model; `openai-compatible` is any server behind --base-url. */
type Server = "anthropic" | "bedrock" | "openai" | "openai-compatible";

/** What a model can do. Unknown Claude ids follow today's Claude rules; other unknown ids are assumed able. */
export function capabilitiesOf(server: Server, modelId: string): Capabilities {
  if (server === "anthropic" || (server === "bedrock" && modelId.includes("anthropic.claude-")))
    return claudeFamily(modelId).capabilities;
  return families.find((family) => family.server === server && family.pattern.test(modelId))!.capabilities; // each server ends in a catch-all
}

interface Family {
  readonly server: Server;
  readonly pattern: RegExp;
  readonly capabilities: Capabilities;
  readonly source: string;
}

const ABLE: Capabilities = {
  temperature: true,
  stop: true,
  tools: true,
  prefill: true,
  logprobs: true,
  thinking: "none",
};

/** First match wins. */
const families: readonly Family[] = [
  {
    server: "openai",
    pattern: /^gpt-(5\.6|[6-9])(?!.*chat)/,
    capabilities: {
      ...ABLE,
      temperature: false,
      stop: false,
      tools: false,
      prefill: false,
      logprobs: false,
      thinking: "always",
    },
    source:
      "OpenAI deployment checklist: as below, and Chat Completions refuses tools of these (agents run as text-react)",
  },
  {
    server: "openai",
    pattern: /^(o\d|gpt-5(?!.*chat))/,
    capabilities: {
      ...ABLE,
      temperature: false,
      stop: false,
      prefill: false,
      logprobs: false,
      thinking: "always",
    },
    source: "OpenAI reasoning guide: sampling parameters, logprobs and stop are not taken; reasoning counts as output",
  },
  {
    server: "openai",
    pattern: /^/,
    capabilities: { ...ABLE, prefill: false },
    source: "OpenAI chat-completions reference",
  },
  {
    server: "openai-compatible",
    pattern: /^/,
    capabilities: ABLE,
    source: "vLLM and llama.cpp servers take all of them; others answer with their own error",
  },
  {
    server: "bedrock",
    pattern: /^/,
    capabilities: { ...ABLE, prefill: false, logprobs: false },
    source: "Converse API reference: inferenceConfig has temperature and stopSequences, no log probabilities",
  },
];

/** Room added to the answer budget where hidden reasoning cannot be switched off: it counts towards the limit. */
const THINKING_TOKENS = 4096;
/** The same where more than a little effort is asked for. */
const HARD_THINKING_TOKENS = 16_384;

/** The most tokens a reply to this request may cost: the answer budget, and room to think where that is unavoidable. */
export function outputLimit(capabilities: Capabilities, request: ModelRequest): number {
  const { effort, maxTokens } = request;
  if (effort === undefined) return maxTokens + (capabilities.thinking === "always" ? THINKING_TOKENS : 0);
  if (effort === "none") return maxTokens;
  return maxTokens + (effort === "minimal" || effort === "low" ? THINKING_TOKENS : HARD_THINKING_TOKENS);
}
