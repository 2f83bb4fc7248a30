import { isJsonObject, isObject } from "../../text/json.js";
import type { Json, Message } from "../../types/index.js";

/** Characters of broken arguments that are quoted to the model. */
const LONGEST_QUOTE = 200;

/**
 * Returns the messages with objects as tool arguments. On anything else (text that is no JSON, a list, a number) llama.cpp answers 500
 * and old vLLM 400. The tool result then says what was wrong.
 */
export function sendable(messages: readonly Message[]): readonly Message[] {
  const broken = new Map<string, Json>();
  return messages.map((message) => {
    if (message.role === "assistant") broken.clear(); // ids may come again in a later turn
    if (message.role === "assistant" && message.toolCalls?.some((call) => !isObject(call.arguments)) === true) {
      for (const { id, arguments: given } of message.toolCalls) if (!isObject(given)) broken.set(id, given);
      const toolCalls = message.toolCalls.map((call) => (isObject(call.arguments) ? call : { ...call, arguments: {} }));
      return { ...message, toolCalls };
    }
    if (message.role !== "tool") return message;
    const results = message.results.map((result) => {
      const given = broken.get(result.id);
      if (given === undefined) return result;
      return { ...result, content: `${aboutArguments(given)}\n${result.content}`, isError: true };
    });
    return { role: "tool" as const, results };
  });
}

/** Returns whether a value is the text of a JSON object. */
export const isObjectText = (value: Json | undefined): boolean => typeof value === "string" && isJsonObject(value);

function aboutArguments(given: Json): string {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return `The arguments of this call were no JSON object: ${text.slice(0, LONGEST_QUOTE)}`;
}
