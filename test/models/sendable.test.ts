import { expect, it } from "vitest";
import { messagesWire } from "../../src/models/providers/anthropic/messages.js";
import { toConverse } from "../../src/models/providers/bedrock/converse.js";
import { sendable } from "../../src/models/wire/sendable.js";
import type { Json, Message } from "../../src/types/index.js";
import { ask } from "../helpers/model-request.js";

const ID = "claude-haiku-5-5";

it.each(["{broken", ["a"], 3])(
  "arguments %j go back to Claude as an empty object, and their result says why",
  (given) => {
    const turns = [
      ...ask("Who?").messages,
      { role: "assistant", content: "", toolCalls: [{ id: "a", name: "search", arguments: given }] },
      { role: "tool", results: [{ id: "a", name: "search", content: "nothing" }] },
    ] as const;
    const request = { ...ask("Who?"), messages: turns };
    const why = `The arguments of this call were no JSON object: ${typeof given === "string" ? given : JSON.stringify(given)}\nnothing`;
    expect(messagesWire(ID, { cache: "off" }).body(request)).toMatchObject({
      messages: [
        {},
        { content: [{ type: "tool_use", input: {} }] },
        { content: [{ type: "tool_result", content: why, is_error: true }] },
      ],
    });
    expect(toConverse(request, `anthropic.${ID}`, "off").messages?.slice(1)).toMatchObject([
      { content: [{ toolUse: { input: {} } }] },
      { content: [{ toolResult: { content: [{ text: why }], status: "error" } }] },
    ]);
  },
);

it("an id that comes again in a later turn is another call: its result is not called broken", () => {
  const turn = (given: Json, content: string): Message[] => [
    { role: "assistant", content: "", toolCalls: [{ id: "call_0", name: "search", arguments: given }] },
    { role: "tool", results: [{ id: "call_0", name: "search", content }] },
  ];
  const [, first, , second] = sendable([...turn("{broken", "nothing"), ...turn({ query: "x" }, "found")]);
  expect(first).toMatchObject({ results: [{ isError: true }] });
  expect(second).toEqual(turn({}, "found")[1]);
});
