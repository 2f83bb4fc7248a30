import type { StopReason } from "../../types/index.js";
import type { Served } from "./reply.js";

/** The words of all wires for the end of a reply, in lower case. `interrupted`: what there is of the reply is no answer. */
const WORDS: Readonly<Record<StopReason | "interrupted", readonly string[]>> = {
  end: [
    "stop", // Chat Completions
    "completed", // Responses
    "end_turn", // Messages, Converse
    "eos", // Together
    "eos_token", // TGI
  ],
  tool: ["tool_calls", "function_call", "tool_use"],
  length: [
    "length",
    "max_output_tokens", // Responses
    "max_tokens", // Messages, Converse, Gemini
    "model_context_window_exceeded", // Messages, Converse
    "model_length", // Mistral: prompt and reply fill the context
  ],
  "stop-sequence": ["stop_sequence"],
  refusal: [
    "content_filter",
    "refusal", // Messages
    "guardrail_intervened", // Converse
    "content_filtered",
    "safety", // Gemini, FinishReason
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "sensitive", // Zhipu
  ],
  interrupted: [
    "error", // Mistral, OpenRouter
    "abort", // vLLM, SGLang: the request was cancelled
    "insufficient_system_resource", // DeepSeek
    "network_error", // Zhipu
    "failed", // Responses, status
    "cancelled",
    "queued",
    "in_progress",
    "malformed_function_call", // Gemini
    "unexpected_tool_call",
    "function_call_filter", // Gemini's OpenAI compatibility, before a colon and one of the two
    "malformed_model_output", // Converse
    "malformed_tool_use",
    "pause_turn", // Messages, where the turn is not continued
  ],
};

const ENDS = new Map(
  Object.entries(WORDS).flatMap(([end, words]) => words.map((word) => [word, end as keyof typeof WORDS] as const)),
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
