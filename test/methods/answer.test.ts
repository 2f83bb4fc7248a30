import { expect, test } from "vitest";
import { answer } from "../../src/methods/calls.js";
import type { Kit, ModelReply, StopReason } from "../../src/types/index.js";

function kitThatSays(text: string, stop: StopReason): { kit: Kit; counted: string[] } {
  const counted: string[] = [];
  const reply: ModelReply = { text, stop, toolCalls: [], usage: { in: 1, out: 1 }, model: "m" };
  const kit: Pick<Kit, "ask" | "count"> = { ask: async () => reply, count: (incident) => counted.push(incident) };
  return { kit: kit as Kit, counted };
}

test.each<[string, StopReason, string, string[]]>([
  ["5", "end", "5", []],
  ["", "length", "", ["answer-cut", "answer-empty"]],
  ["I cannot", "refusal", "I cannot", ["answer-refused"]],
])("the reply %j that stopped by %s", async (text, stop, said, incidents) => {
  const { kit, counted } = kitThatSays(text, stop);
  expect(await answer(kit, "question")).toBe(said);
  expect(counted).toEqual(incidents);
});
