import type { ContentBlock, ConverseCommandInput, Message as ServedMessage } from "@aws-sdk/client-bedrock-runtime";
import { defined } from "../../../text/json.js";
import type { Capabilities, Json, Message, ModelReply, ModelRequest } from "../../../types/index.js";
import { type CacheSetting, cacheMarks } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import { stopOf } from "../../wire/ends.js";
import { type Block, contentsOf, fieldsOf, readUsage, type Served, type UsageFields } from "../../wire/reply.js";
import { sendable } from "../../wire/sendable.js";
import { claudeFamily } from "../anthropic/models.js";

/** Converse API reference: inferenceConfig has temperature and stopSequences, no log probabilities. */
const ON_CONVERSE: Capabilities = {
  temperature: true,
  stop: true,
  tools: true,
  prefill: false,
  logprobs: false,
  thinking: "none",
};

const isClaude = (modelId: string): boolean => modelId.includes("anthropic.claude-");

/** Returns the abilities of a model on Converse. Unknown models are assumed to take every parameter. */
export const onConverse = (modelId: string): Capabilities =>
  isClaude(modelId) ? claudeFamily(modelId).capabilities : ON_CONVERSE;

/** Returns the Converse input of a request. */
export function toConverse(request: ModelRequest, modelId: string, cache: CacheSetting): ConverseCommandInput {
  const { system, temperature, stop } = request;
  const capabilities = onConverse(modelId);
  const marks = cacheMarks(request, capabilities, cache);
  const turns = alternating(sendable(request.messages));
  const [first] = turns;
  if (marks.first !== undefined && first !== undefined) first.content = withPointAt(first.content ?? [], marks.first);
  const last = turns.at(-1);
  if (marks.last && last?.role === "user") last.content?.push(CACHE_POINT);
  const fields = modelFields(request, modelId);
  return {
    modelId,
    system: system === undefined ? undefined : [{ text: system }, ...(marks.system ? [CACHE_POINT] : [])],
    messages: turns,
    inferenceConfig: { maxTokens: outputLimit(capabilities, request), temperature, stopSequences: stop && [...stop] },
    toolConfig: toolConfig(request),
    ...(Object.keys(fields).length === 0 ? {} : { additionalModelRequestFields: asDocument(fields) }),
  };
}

/** Mark up to which the prompt is cached, for five minutes. */
const CACHE_POINT = { cachePoint: { type: "default" as const } };

/** Returns a turn's text up to the cache point and behind it. */
function withPointAt([block, ...later]: readonly ContentBlock[], end: number): ContentBlock[] {
  if (block?.text === undefined) return block === undefined ? [] : [block, ...later];
  return [{ text: block.text.slice(0, end) }, CACHE_POINT, { text: block.text.slice(end) }, ...later];
}

/** Returns fields of the model's own: Claude and OpenAI's models are told their effort there. */
function modelFields({ effort: asked }: ModelRequest, modelId: string): { readonly [name: string]: Json } {
  if (!isClaude(modelId)) return asked === undefined ? {} : { reasoning: { effort: asked } };
  const { thinking, effort: familyEffort } = claudeFamily(modelId);
  const effort = asked ?? familyEffort;
  return defined({ thinking: thinking && { type: thinking }, output_config: effort && { effort } });
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
    return message.results.map(({ id, content, isError }) => ({
      toolResult: {
        toolUseId: id,
        content: [{ text: content.trim() === "" ? "(empty)" : content }],
        ...(isError ? { status: "error" as const } : {}),
      },
    }));
  if (message.role === "assistant" && Array.isArray(message.opaque)) return message.opaque.map(fromOpaque);
  const text = message.content.trim() === "" ? [] : [{ text: message.content }];
  const calls = message.role === "assistant" ? (message.toolCalls ?? []) : [];
  const uses = calls.map(({ id, name, arguments: input }) => ({
    toolUse: { toolUseId: id, name, input: asDocument(input) },
  }));
  return [...text, ...uses];
}

/** Converse has no tool choice `none`: tools stay declared only where the conversation already holds tool calls. */
function toolConfig({ tools = [], toolChoice, messages }: ModelRequest): ConverseCommandInput["toolConfig"] {
  const isUsed = messages.some(({ role }) => role === "tool");
  if (tools.length === 0 || (toolChoice === "none" && !isUsed)) return undefined;
  return {
    tools: tools.map(({ name, description, parameters }) => ({
      toolSpec: { name, description, inputSchema: { json: asDocument(parameters) } },
    })),
    ...(toolChoice === "auto" ? { toolChoice: { auto: {} } } : {}),
  };
}

/** Returns a block as it was served: the bytes of redacted reasoning are kept in base64. */
function fromOpaque(block: Json): ContentBlock {
  const { redactedContent } = fieldsOf(fieldsOf(block).reasoningContent);
  if (typeof redactedContent !== "string") return structuredClone<ContentBlock>(Object(block));
  return { reasoningContent: { redactedContent: Buffer.from(redactedContent, "base64") } };
}

type Document = ConverseCommandInput["additionalModelRequestFields"] & object;

const asDocument = (value: Json): Document => value as Document; // AWS documents are JSON, typed mutable

/** Returns what was served as a file keeps it: bytes in base64, and objects without what they inherit from the SDK's. */
export const jsonOf = (served: unknown): unknown =>
  JSON.parse(
    JSON.stringify(served, (_, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  );

/** Returns the reply in our terms. Reasoning blocks stay out of the text and go back unmodified. */
export function readConverse(body: Served, request: ModelRequest, modelId: string): ModelReply {
  const content = body.field("output").field("message").field("content");
  const { opaque, ...contents } = contentsOf(content.list().map(blockOf), content);
  const usage = fieldsOf(body.field("usage").value);
  const { cacheDetails } = usage;
  const hour = Array.isArray(cacheDetails) ? cacheDetails.find((one) => fieldsOf(one).ttl === "1h") : undefined;
  return {
    ...contents,
    stop: stopOf(body.field("stopReason")),
    usage: readUsage({ ...usage, hour }, USAGE, [request, contents]),
    model: modelId,
    ...(opaque === undefined ? {} : { opaque }),
  };
}

function blockOf(block: Served): Block {
  const text = block.field("text").textOrNone();
  const use = block.field("toolUse");
  if (use.isNothing) return text === undefined ? {} : { text };
  const id = use.field("toolUseId").name();
  const name = use.field("name").name();
  const input = use.field("input");
  return { call: { id, name, arguments: input.isNothing ? {} : input.object() } };
}

const USAGE: UsageFields = {
  in: "inputTokens",
  out: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheWriteInputTokens",
  cacheWrite1h: "hour.inputTokens",
  promptIncludesCache: false,
};
