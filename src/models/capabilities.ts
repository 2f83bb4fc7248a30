import type { Capabilities, ModelRequest } from "../types/index.js";
import { claudeFamily } from "./claude.js";
import { type GptFamily, gptFamily } from "./gpt.js";

/** Who serves a model; `openai-compatible` is any server behind --base-url. */
type Server = "anthropic" | "bedrock" | "openai" | "openai-compatible";

/** What a model can do. Unknown Claude ids follow today's Claude rules; other unknown ids are assumed able. */
export function capabilitiesOf(server: Server, modelId: string): Capabilities {
  if (server === "anthropic" || (server === "bedrock" && modelId.includes("anthropic.claude-")))
    return claudeFamily(modelId).capabilities;
  if (server === "openai") return onChatCompletions(gptFamily(modelId));
  return server === "bedrock" ? ON_CONVERSE : ABLE;
}

/** vLLM and llama.cpp servers take all of them; others answer with their own error. */
const ABLE: Capabilities = {
  temperature: true,
  stop: true,
  tools: true,
  prefill: true,
  logprobs: true,
  thinking: "none",
};

/** Converse API reference: inferenceConfig has temperature and stopSequences, no log probabilities. */
const ON_CONVERSE: Capabilities = { ...ABLE, prefill: false, logprobs: false };

/**
 * OpenAI reasoning guide: sampling parameters, logprobs and stop are not taken, and reasoning counts as output. OpenAI deployment
 * checklist: Chat Completions refuses tools of the youngest (agents run as text-react), which are those that bill cache writes.
 */
function onChatCompletions({ capabilities: { thinking }, billsCacheWrites }: GptFamily): Capabilities {
  const isPlain = thinking === "none";
  return {
    temperature: isPlain,
    stop: isPlain,
    tools: !billsCacheWrites,
    prefill: false,
    logprobs: isPlain,
    thinking,
  };
}

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
