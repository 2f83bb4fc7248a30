/** How bodies of a provider's protocol look. */
export type WireName = "messages" | "converse" | "chat" | "responses";

/** What a served model says, in no protocol. */
export interface Said {
  readonly model?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  /** Cut at its limit of tokens. */
  readonly isCut?: boolean;
  /** `in` counts all tokens of the prompt; 10 and 3 tokens unless told otherwise. */
  readonly usage?: { readonly in: number; readonly out: number; readonly read?: number; readonly written?: number };
  /** Fields that replace the protocol's own, such as a usage with more in it. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The body of a 200 that says it. */
export function replyBody(wire: WireName, { usage = { in: 10, out: 3 }, ...said }: Said): Record<string, unknown> {
  return { ...bodies[wire]({ text: "", calls: [], ...said, usage }), ...said.more };
}

type Whole = Said & Required<Pick<Said, "text" | "calls" | "usage">>;

const bodies: Readonly<Record<WireName, (said: Whole) => Record<string, unknown>>> = {
  messages: ({ model, text, calls, isCut, usage: { in: all, out, read = 0, written = 0 } }) => ({
    ...{ id: "msg_1", type: "message", role: "assistant", model },
    content: [
      ...(text === "" ? [] : [{ type: "text", text, citations: null }]),
      ...calls.map((call) => ({ type: "tool_use", ...call })),
    ],
    stop_reason: calls.length > 0 ? "tool_use" : isCut ? "max_tokens" : "end_turn",
    stop_sequence: null,
    usage: {
      ...{ input_tokens: all - read - written, output_tokens: out },
      ...{ cache_read_input_tokens: read, cache_creation_input_tokens: written },
    },
  }),
  converse: ({ text, calls, isCut, usage: { in: all, out, read, written } }) => ({
    output: {
      message: {
        role: "assistant",
        content: [
          ...(text === "" ? [] : [{ text }]),
          ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
        ],
      },
    },
    stopReason: calls.length > 0 ? "tool_use" : isCut ? "max_tokens" : "end_turn",
    usage: {
      ...{ inputTokens: all, outputTokens: out, totalTokens: all + out },
      ...(read === undefined ? {} : { cacheReadInputTokens: read }),
      ...(written === undefined ? {} : { cacheWriteInputTokens: written }),
    },
    metrics: { latencyMs: 1 },
  }),
  chat: ({ model, text, calls, isCut, usage: { in: all, out } }) => ({
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model },
    choices: [
      {
        index: 0,
        finish_reason: calls.length > 0 ? "tool_calls" : isCut ? "length" : "stop",
        logprobs: null,
        message:
          calls.length === 0
            ? { role: "assistant", content: text, refusal: null }
            : { role: "assistant", content: null, refusal: null, tool_calls: calls.map(functionCall) },
      },
    ],
    usage: { prompt_tokens: all, completion_tokens: out, total_tokens: all + out },
  }),
  responses: ({ model, text, calls, isCut, usage: { in: all, out, read, written } }) => ({
    ...{ id: "resp_1", object: "response", model, status: isCut ? "incomplete" : "completed", error: null },
    incomplete_details: isCut ? { reason: "max_output_tokens" } : null,
    output:
      calls.length > 0
        ? calls.map(({ id, name, input }) => ({
            ...{ type: "function_call", id: `fc_${id}`, call_id: id, name, status: "completed" },
            arguments: JSON.stringify(input),
          }))
        : [
            {
              ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
              content: [{ type: "output_text", text, annotations: [] }],
            },
          ],
    usage: {
      input_tokens: all,
      ...(read === undefined
        ? {}
        : {
            input_tokens_details: {
              cached_tokens: read,
              ...(written === undefined ? {} : { cache_write_tokens: written }),
            },
            output_tokens_details: { reasoning_tokens: 0 },
          }),
      output_tokens: out,
      total_tokens: all + out,
    },
  }),
};

/** A call as Chat Completions write it. */
export const functionCall = ({ id, name, input }: NonNullable<Said["calls"]>[number]) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(input) },
});
