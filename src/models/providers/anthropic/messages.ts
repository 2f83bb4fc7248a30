import type { Message, ModelRequest, ProviderSettings, ToolSpec } from "../../../types/index.js";
import { type CacheSetting, cacheMarks } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import { stopOf } from "../../wire/ends.js";
import { type Block, contentsOf, readUsage, type Served, type UsageFields } from "../../wire/reply.js";
import { type Body, type ServedReply, type Wire, withoutFields } from "../../wire/sdk.js";
import { sendable } from "../../wire/sendable.js";
import { claudeFamily } from "./models.js";

/** Returns the Messages wire of a model. Not messages.create: it types no temperature and prints a warning per call of an ageing model. */
export const messagesWire = (
  modelId: string,
  { cache = "auto", omit }: Pick<ProviderSettings, "cache" | "omit">,
): Wire => ({
  path: "/v1/messages",
  body: (request) => withoutFields(bodyOf(request, modelId, cache), omit),
  read: readMessage,
});

function bodyOf(request: ModelRequest, modelId: string, cache: CacheSetting): Body {
  const { capabilities, thinking, effort: defaultEffort } = claudeFamily(modelId);
  const { system, tools, toolChoice } = request;
  const effort = request.effort ?? defaultEffort;
  const marks = cacheMarks(request, capabilities, cache);
  const messages = sendable(request.messages).flatMap(toTurns);
  const [first] = messages;
  if (marks.first !== undefined && typeof first?.content === "string") {
    const before = first.content.slice(0, marks.first);
    const after = first.content.slice(marks.first);
    first.content = [{ ...textBlock(before), ...MARK }, textBlock(after)];
  }
  const last = messages.at(-1);
  if (marks.last && last?.role === "user") last.content = markedLast(last.content); // blocks of thinking take no mark
  return {
    model: modelId,
    max_tokens: outputLimit(capabilities, request),
    system: system !== undefined && marks.system ? [{ ...textBlock(system), ...MARK }] : system,
    messages,
    temperature: request.temperature,
    stop_sequences: request.stop,
    thinking: thinking && { type: thinking },
    output_config: effort && { effort },
    tools: tools?.map(toTool),
    tool_choice: tools && toolChoice && { type: toolChoice },
  };
}

interface Turn {
  readonly role: "user" | "assistant";
  content: unknown;
}

const textBlock = (text: string) => ({ type: "text", text });

/** Up to here the provider is to cache the prompt, for five minutes. */
const MARK = { cache_control: { type: "ephemeral" } };

function markedLast(content: unknown): unknown {
  const blocks: readonly object[] = Array.isArray(content) ? content : [textBlock(String(content))];
  return [...blocks.slice(0, -1), { ...blocks.at(-1), ...MARK }];
}

function toTurns(message: Message): Turn[] {
  if (message.role === "user") return [{ role: "user", content: message.content }];
  if (message.role === "tool") {
    const content = message.results.map(({ id, content, isError }) => ({
      ...{ type: "tool_result", tool_use_id: id, content },
      ...(isError ? { is_error: true } : {}),
    }));
    return [{ role: "user", content }];
  }
  const text = message.content === "" ? [] : [textBlock(message.content)];
  const calls = (message.toolCalls ?? []).map(({ id, name, arguments: input }) => ({
    ...{ type: "tool_use", id, name, input },
  }));
  const content = Array.isArray(message.opaque) ? message.opaque : [...text, ...calls];
  return content.length === 0 ? [] : [{ role: "assistant", content }]; // the API refuses empty turns
}

const toTool = ({ name, description, parameters }: ToolSpec) => ({ name, description, input_schema: parameters });

/** Blocks are told by type: thinking comes first where there is any. A paused turn goes back as it came. */
function readMessage(body: Served, request: ModelRequest): ServedReply {
  const content = body.field("content");
  const { opaque, ...contents } = contentsOf(content.list().map(blockOf), content);
  const reason = body.field("stop_reason");
  const isPaused = reason.value === "pause_turn";
  return {
    ...contents,
    stop: isPaused ? "end" : stopOf(reason),
    usage: readUsage(body.field("usage").value, USAGE, [request, contents]),
    model: body.field("model").textOrNone() ?? "",
    ...(opaque === undefined ? {} : { opaque }),
    ...(isPaused ? { isPaused, opaque: content.json() } : {}),
  };
}

function blockOf(block: Served): Block {
  const type = block.field("type").text();
  if (type === "text") return { text: block.field("text").text() };
  if (type !== "tool_use") return {};
  const id = block.field("id").name();
  const name = block.field("name").name();
  const input = block.field("input");
  return { call: { id, name, arguments: input.isNothing ? {} : input.object() } };
}

const USAGE: UsageFields = {
  in: "input_tokens",
  out: "output_tokens",
  cacheRead: "cache_read_input_tokens",
  cacheWrite: "cache_creation_input_tokens",
  cacheWrite1h: "cache_creation.ephemeral_1h_input_tokens",
  thinking: "output_tokens_details.thinking_tokens",
  promptIncludesCache: false,
};
