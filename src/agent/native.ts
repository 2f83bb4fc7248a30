import { pyStrip } from "../text/python.js";
import type { AskRequest, Message, Tool, ToolSpec } from "../types.js";
import { ANSWER_NOW, type Conversation } from "./conversation.js";

/** Providers refuse an assistant turn without text. */
const NO_TEXT = "(no answer)";

/** Native tool calls: the loop ends with the first reply that calls no tool (langgraph `create_react_agent`). */
export function nativeConversation(system: string, question: string, tools: readonly Tool[]): Conversation {
  const messages: Message[] = [{ role: "user", content: question }];
  const specs = tools.map(({ name, description, parameters }): ToolSpec => ({ name, description, parameters }));
  const request = (): AskRequest => ({
    system,
    messages: [...messages],
    ...(specs.length === 0 ? {} : { tools: specs, toolChoice: "auto" }),
  });
  return {
    request,
    read(reply) {
      const text = pyStrip(reply.text);
      return reply.toolCalls.length > 0
        ? { kind: "calls", reply, text, calls: reply.toolCalls }
        : { kind: "answer", reply, text };
    },
    observe({ reply, text, calls }, observations) {
      messages.push({
        role: "assistant",
        content: text,
        toolCalls: calls,
        ...(reply.opaque === undefined ? {} : { opaque: reply.opaque }),
      });
      const results = calls.map(({ id, name }, index) => {
        const { content, isError } = observations[index]!; // one observation per call
        return { id, name, content, ...(isError ? { isError } : {}) };
      });
      messages.push({ role: "tool", results });
    },
    reject({ text }, feedback) {
      messages.push({ role: "assistant", content: text === "" ? NO_TEXT : text });
      messages.push({ role: "user", content: feedback });
    },
    lastRequest() {
      const last = request();
      return {
        ...last,
        messages: [...last.messages, { role: "user", content: ANSWER_NOW }],
        ...(last.tools === undefined ? {} : { toolChoice: "none" }),
      };
    },
    readLast: (reply) => pyStrip(reply.text),
  };
}
