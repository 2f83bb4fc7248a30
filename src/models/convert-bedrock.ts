import type {
  ContentBlock,
  ConverseCommandInput,
  ConverseCommandOutput,
  Message as ServedMessage,
  Tool,
} from "@aws-sdk/client-bedrock-runtime";
import type { Capabilities, Json, Message, ModelReply, ModelRequest, StopReason, ToolCall, Usage } from "../types.js";
import { outputLimit } from "./thinking.js";

export interface BedrockWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  /** Fields of the model's own, beside Converse's. */
  readonly extra?: { readonly [name: string]: Json };
}

/** The Converse input of a request. */
export function toConverse(request: ModelRequest, wire: BedrockWire): ConverseCommandInput {
  const tools = toolConfig(request);
  return {
    modelId: wire.modelId,
    ...(request.system === undefined ? {} : { system: [{ text: request.system }] }),
    messages: alternating(request.messages),
    inferenceConfig: {
      maxTokens: outputLimit(wire.capabilities, request),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.stop === undefined ? {} : { stopSequences: [...request.stop] }),
    },
    ...(tools === undefined ? {} : { toolConfig: tools }),
    ...(wire.extra === undefined ? {} : { additionalModelRequestFields: asDocument(wire.extra) }),
  };
}

/** The reply in our terms, or what is wrong with it. Reasoning blocks stay out of the text and go back unmodified. */
export function fromConverse(output: ConverseCommandOutput, modelId: string): ModelReply | string {
  const content = output.output?.message?.content;
  if (content === undefined || output.usage === undefined) return "no message in the body";
  const toolCalls = content.flatMap(({ toolUse }): ToolCall[] =>
    toolUse === undefined
      ? []
      : [{ id: toolUse.toolUseId ?? "", name: toolUse.name ?? "", arguments: (toolUse.input ?? {}) as Json }],
  );
  const plain = content.every((block) => block.text !== undefined);
  return {
    text: content.map((block) => block.text ?? "").join(""),
    toolCalls,
    stop: STOPS[output.stopReason ?? ""] ?? "other",
    usage: toUsage(output.usage),
    model: modelId,
    ...(plain ? {} : { opaque: content.map(toOpaque) }),
  };
}

// --- internal ---

/** Converse refuses two turns of one role in a row and blank texts. */
function alternating(messages: readonly Message[]): ServedMessage[] {
  const turns: { role: "user" | "assistant"; content: ContentBlock[] }[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = blocksOf(message);
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content });
  }
  return turns;
}

function blocksOf(message: Message): ContentBlock[] {
  if (message.role === "tool")
    return message.results.map((result) => ({
      toolResult: {
        toolUseId: result.id,
        content: [{ text: result.content.trim() === "" ? "(empty)" : result.content }],
        ...(result.isError ? { status: "error" as const } : {}),
      },
    }));
  if (message.role === "assistant" && Array.isArray(message.opaque)) return message.opaque.map(fromOpaque);
  const text = message.content.trim() === "" ? [] : [{ text: message.content }];
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  return [
    ...text,
    ...calls.map((call) => ({
      toolUse: { toolUseId: call.id, name: call.name, input: asDocument(call.arguments) },
    })),
  ];
}

/** Converse has no tool choice `none`: tools stay declared only where the conversation already holds tool calls. */
function toolConfig(request: ModelRequest): ConverseCommandInput["toolConfig"] {
  if (request.tools === undefined || request.tools.length === 0) return undefined;
  const used = request.messages.some((message) => message.role === "tool");
  if (request.toolChoice === "none" && !used) return undefined;
  const tools = request.tools.map(
    (tool): Tool => ({
      toolSpec: {
        name: tool.name,
        description: tool.description,
        inputSchema: { json: asDocument(tool.parameters) },
      },
    }),
  );
  return { tools, ...(request.toolChoice === "auto" ? { toolChoice: { auto: {} } } : {}) };
}

const REDACTED = "redactedContentBase64";

/** A block as JSON: bytes of redacted reasoning become base64. */
function toOpaque(block: ContentBlock): Json {
  const bytes = block.reasoningContent?.redactedContent;
  if (bytes !== undefined) return { [REDACTED]: Buffer.from(bytes).toString("base64") };
  return JSON.parse(JSON.stringify(block)) as Json;
}

function fromOpaque(block: Json): ContentBlock {
  if (block !== null && typeof block === "object" && REDACTED in block)
    return { reasoningContent: { redactedContent: Buffer.from(String(block[REDACTED]), "base64") } };
  return JSON.parse(JSON.stringify(block)) as ContentBlock; // written by toOpaque
}

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  tool_use: "tool",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  stop_sequence: "stop-sequence",
  guardrail_intervened: "refusal",
  content_filtered: "refusal",
  refusal: "refusal",
};

/** `inputTokens` leaves cache reads and writes out; our `in` counts them. */
function toUsage(usage: NonNullable<ConverseCommandOutput["usage"]>): Usage {
  const cacheRead = usage.cacheReadInputTokens ?? 0;
  const cacheWrite = usage.cacheWriteInputTokens ?? 0;
  return {
    in: (usage.inputTokens ?? 0) + cacheRead + cacheWrite,
    out: usage.outputTokens ?? 0,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
  };
}

type Document = ConverseCommandInput["additionalModelRequestFields"] & object;

function asDocument(value: Json): Document {
  return value as Document; // AWS documents are JSON, typed mutable
}
