import type { StopReason } from "../../types/index.js";
import type { Served } from "./reply.js";

/**
 * Words for the end of a reply, in lower case, from the API references of OpenAI (Chat, Responses), Anthropic (Messages), Bedrock
 * (Converse), Gemini, Mistral, DeepSeek, Zhipu, Together, TGI and vLLM. `interrupted`: the text is no answer.
 */
const WORDS: Readonly<Record<StopReason | "interrupted", string>> = {
  end: "stop completed end_turn eos eos_token",
  tool: "tool_calls function_call tool_use",
  length: "length max_output_tokens max_tokens model_context_window_exceeded model_length",
  "stop-sequence": "stop_sequence",
  refusal:
    "content_filter refusal guardrail_intervened content_filtered safety recitation blocklist prohibited_content spii sensitive",
  interrupted: [
    "failed cancelled queued in_progress", // Responses, status
    "pause_turn", // Messages, where the turn is not continued
    "malformed_model_output malformed_tool_use", // Converse
    "malformed_function_call unexpected_tool_call function_call_filter", // Gemini; the last in its OpenAI compatibility
    "error abort insufficient_system_resource network_error", // Mistral and OpenRouter, vLLM and SGLang, DeepSeek, Zhipu
  ].join(" "),
};

const ENDS = new Map(
  Object.entries(WORDS).flatMap(([end, words]) =>
    words.split(" ").map((word) => [word, end as keyof typeof WORDS] as const),
  ),
);

/**
 * Returns how a reply ended; servers that say nothing are believed. Throws Misfit where the server broke it off, names no reason (null),
 * or says a word that is not known: then another try would bring the same.
 */
export function stopOf(word: Served): StopReason {
  if (word.value === undefined) return "end";
  const text = word.textOrNone() ?? "";
  const end = text === "" ? "interrupted" : ENDS.get(text.toLowerCase().replace(/:.*/s, ""));
  if (end === "interrupted") return word.refuse(`${JSON.stringify(word.value)}: the server broke the reply off`);
  return end ?? word.refuse(`${JSON.stringify(text)} is not known as the end of a reply`, false);
}
