import type { Capabilities, ModelRequest } from "../types.js";

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
