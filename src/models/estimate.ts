import type { ModelRequest } from "../types.js";

/** Prompt tokens guessed as characters / 4: for servers that report no usage. */
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

/** The most tokens a prompt can count: no tokenizer makes more tokens than bytes, and the provider adds words of its own. */
export function mostPromptTokens(request: ModelRequest): number {
  const { system = "", messages, tools } = request;
  const bytes = Buffer.byteLength(`${system}${JSON.stringify(messages)}`);
  return bytes + PROVIDER_TOKENS + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)) + TOOL_TOKENS);
}

/** Reply tokens guessed the same way. */
export function estimatedTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

const CHARACTERS_PER_TOKEN = 4;
/** Marks between messages. */
const PROVIDER_TOKENS = 64;
/** What providers tell the model about the use of tools: at most 804 tokens in Anthropic's list of November 2026. */
const TOOL_TOKENS = 1024;
