import type {
  ContentBlock,
  ConverseCommandInput,
  Message as ServedMessage,
  Tool,
} from "@aws-sdk/client-bedrock-runtime";
import type { Capabilities, Json, Message, ModelRequest } from "../types/index.js";
import { type CacheSetting, cacheMarks } from "./cache-marks.js";
import { outputLimit } from "./capabilities.js";
import { REDACTED } from "./read-bedrock.js";
import { sendable } from "./sendable.js";

export interface BedrockWire {
  readonly modelId: string;
  readonly capabilities: Capabilities;
  readonly cache: CacheSetting;
  /** Fields of the model's own, beside Converse's. */
  readonly extra?: { readonly [name: string]: Json };
}

export function toConverse(request: ModelRequest, wire: BedrockWire): ConverseCommandInput {
  const tools = toolConfig(request);
  const marks = cacheMarks(request, wire.capabilities, wire.cache);
  const turns = alternating(sendable(request.messages));
  const [first] = turns;
  if (marks.first !== undefined && first !== undefined) first.content = withPointAt(first.content ?? [], marks.first);
  const last = turns.at(-1);
  if (marks.last && last?.role === "user") last.content?.push(CACHE_POINT);
  return {
    modelId: wire.modelId,
    ...(request.system === undefined
      ? {}
      : { system: [{ text: request.system }, ...(marks.system ? [CACHE_POINT] : [])] }),
    messages: turns,
    inferenceConfig: {
      maxTokens: outputLimit(wire.capabilities, request),
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.stop === undefined ? {} : { stopSequences: [...request.stop] }),
    },
    ...(tools === undefined ? {} : { toolConfig: tools }),
    ...extraOf(request, wire),
  };
}

/** Up to here the prompt is to be cached, for five minutes. */
const CACHE_POINT = { cachePoint: { type: "default" as const } };

/** A turn's text up to the cache point and behind it. */
function withPointAt([block, ...later]: readonly ContentBlock[], end: number): ContentBlock[] {
  if (block?.text === undefined) return block === undefined ? [] : [block, ...later];
  return [{ text: block.text.slice(0, end) }, CACHE_POINT, { text: block.text.slice(end) }, ...later];
}

/** Claude and OpenAI's models are told their effort in fields of their own. */
function extraOf({ effort }: ModelRequest, { modelId, extra }: BedrockWire) {
  const claude = modelId.includes("anthropic.claude-");
  const told = effort === undefined ? {} : claude ? { output_config: { effort } } : { reasoning: { effort } };
  const fields: Json = { ...extra, ...told };
  return Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: asDocument(fields) };
}

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

function fromOpaque(block: Json): ContentBlock {
  if (block !== null && typeof block === "object" && REDACTED in block)
    return { reasoningContent: { redactedContent: Buffer.from(String(block[REDACTED]), "base64") } };
  return JSON.parse(JSON.stringify(block)) as ContentBlock; // written by read-bedrock.ts
}

type Document = ConverseCommandInput["additionalModelRequestFields"] & object;

function asDocument(value: Json): Document {
  return value as Document; // AWS documents are JSON, typed mutable
}
