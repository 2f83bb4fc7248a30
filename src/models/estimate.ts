import type { ModelRequest } from "../types.js";

/** Prompt tokens guessed as characters / 4: for servers that report no usage, and for reserving a budget. */
export function estimatedPromptTokens(request: ModelRequest): number {
  let characters = request.system?.length ?? 0;
  for (const message of request.messages) {
    if (message.role === "tool") for (const result of message.results) characters += result.content.length;
    else characters += message.content.length;
    if (message.role === "assistant" && message.toolCalls) characters += JSON.stringify(message.toolCalls).length;
  }
  if (request.tools) characters += JSON.stringify(request.tools).length;
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

/** Reply tokens guessed the same way. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

// --- internal ---

const CHARACTERS_PER_TOKEN = 4;
