import type { Capabilities, ModelRequest } from "../types.js";

/** Room added to the answer budget where hidden reasoning cannot be switched off: it counts towards the limit. */
const THINKING_TOKENS = 4096;

/** The most tokens a reply to this request may cost: the answer budget, and room to think where that is unavoidable. */
export function outputLimit(capabilities: Capabilities, request: ModelRequest): number {
  return request.maxTokens + (capabilities.thinking === "always" ? THINKING_TOKENS : 0);
}
