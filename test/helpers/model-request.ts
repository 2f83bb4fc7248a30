import { Once } from "../../src/outside/once.js";
import type { Model, ModelReply, ModelRequest } from "../../src/types/index.js";

/** A one-question request. */
export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: "user", content: text }], maxTokens: 64, sample: 0, ...more };
}

export function replyOf(text: string, more: Partial<ModelReply> = {}): ModelReply {
  return { text, toolCalls: [], stop: "end", usage: { in: 10, out: 3 }, model: "scripted", ...more };
}

/** A model whose every call is scripted. */
export function scripted(
  complete: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply> | ModelReply,
  capabilities: Partial<Model["capabilities"]> = {},
): Model {
  return {
    id: "test/scripted",
    simulated: false,
    capabilities: {
      temperature: true,
      stop: true,
      tools: true,
      prefill: true,
      logprobs: true,
      thinking: "none",
      ...capabilities,
    },
    complete: async (request, signal) => complete(request, signal),
  };
}

/** A signal that never fires. */
export function noAbort(): AbortSignal {
  return new AbortController().signal;
}

/** Replies are bought, and forgotten. */
export const forgetting = () => ({ once: new Once({ find: () => undefined, end: (entry) => entry }) });
