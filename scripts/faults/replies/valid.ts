import type { Json } from "../../../src/types/index.js";

export type Wire = "anthropic" | "bedrock" | "openai" | "responses";
export const wires: readonly Wire[] = ["anthropic", "bedrock", "openai", "responses"];

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
    completion({ content: "A" }, "stop", {
      tokens: ["A"],
      token_logprobs: [-0.1],
      top_logprobs: [{ A: -0.1, B: -2.4 }],
    }),
  ],
  responses: [
    response([said([{ type: "output_text", text: "comedy", annotations: [] }], "final_answer")]),
    response([
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "Y2lwaGVy" },
      said([{ type: "output_text", text: "I shall look.", annotations: [] }], "commentary"),
      { type: "function_call", id: "fc_1", call_id: "a", name: "wikipedia", arguments: '{"query":"Marie Curie"}' },
      { type: "function_call", id: "fc_2", call_id: "b", name: "memory", arguments: "{broken" },
    ]),
    response([{ type: "reasoning", id: "rs_2", summary: [], encrypted_content: "Y2lwaGVy" }], "max_output_tokens"),
    response([said([{ type: "refusal", refusal: "I cannot." }])]),
    response([
      said([
        {
          type: "output_text",
          text: "A",
          annotations: [],
          logprobs: [
            {
              token: "A",
              logprob: -0.1,
              bytes: [65],
              top_logprobs: [
                { token: "A", logprob: -0.1, bytes: [65] },
                { token: "B", logprob: -2.4, bytes: [66] },
              ],
            },
          ],
        },
      ]),
    ]),
  ],
};

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

function said(content: Json, phase?: string): Json {
  return {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    ...(phase === undefined ? {} : { phase }),
    content,
  };
}

function response(output: Json, cut?: string): Json {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: cut === undefined ? "completed" : "incomplete",
    error: null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    model: "gpt-6-luna",
    output,
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      output_tokens: 3,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 13,
    },
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
