import type { Message, ModelRequest, ToolSpec } from "../../../types/index.js";
import { type CacheSetting, cacheMarks } from "../../cache-marks.js";
import { outputLimit } from "../../tokens.js";
import type { Body } from "../../wire/sdk.js";
import { sendable } from "../../wire/sendable.js";
import { claudeFamily } from "./models.js";

/** Returns the Messages body of a request. The SDK's types lack `temperature`, which older models still take. */
export function toMessagesBody(request: ModelRequest, modelId: string, cache: CacheSetting): Body {
  const { capabilities, thinking, effort: least } = claudeFamily(modelId);
  const { system, tools, toolChoice } = request;
  const effort = request.effort ?? least;
  const marks = cacheMarks(request, capabilities, cache);
  const messages = sendable(request.messages).flatMap(toTurns);
  const [first] = messages;
  if (marks.first !== undefined && typeof first?.content === "string") {
    const [before, after] = [first.content.slice(0, marks.first), first.content.slice(marks.first)];
    first.content = [{ type: "text", text: before, ...MARK }, textBlock(after)];
  }
  const last = messages.at(-1);
  if (marks.last && last?.role === "user") last.content = markedLast(last.content); // blocks of thinking take no mark
  return {
    model: modelId,
    max_tokens: outputLimit(capabilities, request),
    system: system !== undefined && marks.system ? [{ type: "text", text: system, ...MARK }] : system,
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
    type: "tool_use",
    id,
    name,
    input,
  }));
  const content = Array.isArray(message.opaque) ? message.opaque : [...text, ...calls];
  return content.length === 0 ? [] : [{ role: "assistant", content }]; // the API refuses empty turns
}

const toTool = ({ name, description, parameters }: ToolSpec) => ({ name, description, input_schema: parameters });
