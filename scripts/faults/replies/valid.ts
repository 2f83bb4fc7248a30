import type { Json } from "../../../src/types.js";

export type Wire = "anthropic" | "bedrock" | "openai";
export const wires: readonly Wire[] = ["anthropic", "bedrock", "openai"];

/** Replies as each wire's servers really send them: text, tool calls, thinking, log probabilities, refusals. */
export const validReplies: Readonly<Record<Wire, readonly Json[]>> = {
  anthropic: [
    message([{ type: "text", text: "comedy", citations: null }], "end_turn"),
    message(
      [
        { type: "thinking", thinking: "let me see", signature: "c2ln" },
        { type: "text", text: "I shall look." },
        { type: "tool_use", id: "toolu_1", name: "wikipedia", input: { query: "Marie Curie" } },
        { type: "tool_use", id: "toolu_2", name: "memory", input: {} },
      ],
      "tool_use",
    ),
    message([{ type: "redacted_thinking", data: "AAAA" }], "refusal"),
  ],
  bedrock: [
    converse([{ text: "comedy" }], "end_turn"),
    converse(
      [
        { reasoningContent: { reasoningText: { text: "hm", signature: "c2ln" } } },
        { text: "I shall look." },
        { toolUse: { toolUseId: "t1", name: "wikipedia", input: { query: "Marie Curie", deep: { k: [1, 2] } } } },
      ],
      "tool_use",
    ),
    converse([{ reasoningContent: { redactedContent: "AAAA" } }, { text: "no" }], "content_filtered"),
  ],
  openai: [
    completion({ role: "assistant", content: "comedy", refusal: null }, "stop"),
    completion(
      {
        content: null,
        tool_calls: [
          { id: "a", type: "function", function: { name: "wikipedia", arguments: '{"query":"Marie Curie"}' } },
          { id: "b", type: "function", function: { name: "memory", arguments: "{broken" } },
        ],
      },
      "tool_calls",
    ),
    completion({ content: [{ type: "text", text: "in parts" }], reasoning_content: "hm" }, "length"),
    completion({ content: null, refusal: "I cannot." }, "stop"),
    completion({ content: "A" }, "stop", {
      content: [
        {
          token: "A",
          logprob: -0.1,
          bytes: [65],
          top_logprobs: [
            { token: "A", logprob: -0.1, bytes: [65] },
            { token: "B", logprob: -2.4, bytes: null },
          ],
        },
      ],
    }),
  ],
};

// --- internal ---

function message(content: Json, stopReason: string): Json {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-haiku-5-5",
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 3,
      cache_read_input_tokens: 4,
      cache_creation_input_tokens: 0,
      output_tokens_details: { thinking_tokens: 2 },
    },
  };
}

function converse(content: Json, stopReason: string): Json {
  return {
    output: { message: { role: "assistant", content } },
    stopReason,
    usage: { inputTokens: 10, outputTokens: 3, totalTokens: 13, cacheReadInputTokens: 4 },
    metrics: { latencyMs: 1 },
  };
}

function completion(message: Json, finishReason: string, logprobs: Json = null): Json {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "org/some-model",
    choices: [{ index: 0, finish_reason: finishReason, logprobs, message }],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 3,
      total_tokens: 13,
      prompt_tokens_details: { cached_tokens: 4 },
      completion_tokens_details: { reasoning_tokens: 1 },
    },
  };
}
