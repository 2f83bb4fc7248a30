import { describe, expect, test } from "vitest";
import { react } from "../../src/methods/react.js";
import type { ModelReply, OptionValue, Tool } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { Script } from "../helpers/scripted-model.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const wikipedia: Tool = {
  name: "wikipedia",
  description: "Search.",
  parameters: { type: "object", properties: { query: { type: "string" } } },
  run: async () => "Page: Comedy\nSummary: fun",
};
const call = (name: string, query: string): Partial<ModelReply> => ({
  stop: "tool",
  toolCalls: [{ id: "1", name, arguments: { query } }],
});

async function answerOne(given: Record<string, OptionValue>, script: Script, tools: readonly Tool[] = [wikipedia]) {
  const armKit = fakeKit({ task: movies, script, tools });
  const past = [movie("1", "robots in love", "romance"), movie("2", "a heist", "action")];
  const answer = await react.personalize(user(...past), knobs(react, given), armKit.kit);
  return { answer: await answer(ask("q", "robots"), armKit.question("q")), armKit };
}

describe("react", () => {
  test("makes one call per turn, all for the answer, with Wikipedia as its only tool", async () => {
    const { answer, armKit } = await answerOne({}, [call("wikipedia", "comedy"), call("wikipedia", "film"), "comedy"]);
    expect(answer).toBe("comedy");
    expect(armKit.phases()).toEqual({ answer: 3 });
    expect(armKit.calls[0]?.request.tools?.map(({ name }) => name)).toEqual(["wikipedia"]);
    expect(armKit.calls[0]?.request.messages).toEqual([{ role: "user", content: "Which tag? description: robots" }]);
    expect(armKit.calls.every(({ text }) => !text.includes("romance"))).toBe(true);
  });

  test("has no tool with wiki.mode=off, and a run that forgot to set the tool up is a fault", async () => {
    const { armKit } = await answerOne({ "wiki.mode": "off" }, ["comedy"], []);
    expect(armKit.calls[0]?.request).not.toHaveProperty("tools");
    await expect(answerOne({}, ["comedy"], [])).rejects.toThrow(/no wikipedia tool/);
  });
});
