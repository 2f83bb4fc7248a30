import { describe, expect, test } from "vitest";
import { judges } from "../../src/judges/index.js";

const shown = {
  question: "What did I want to see in it?",
  persona: ["My name is {Mira}."],
  history: ["User: I want a crane.", "Assistant: Fine."],
  predictions: ["A `crane`."] as const,
};
const textOf = (
  name: string,
  predictions: readonly [string] | readonly [string, string] = shown.predictions,
): string => {
  const { system = "", messages } = judges.get(name).request({ ...shown, predictions });
  return [system, ...messages.map((message) => (message.role === "user" ? message.content : ""))].join("\n");
};

describe("dialogue-score", () => {
  const { read } = judges.get("dialogue-score");

  test("is shown persona, history, question and reply as they are", () => {
    for (const part of [
      "- My name is {Mira}.",
      "User: I want a crane.\nAssistant: Fine.",
      shown.question,
      "A `crane`.",
    ])
      expect(textOf("dialogue-score")).toContain(part);
  });

  test.each([
    ['{"score": 7, "reason": "fits"}', { value: 7, why: "fits" }],
    ['Here: ```json\n{"score": 1}\n```', { value: 1, why: "" }],
    ['{"score": 10, "reason": "a"} {"score": 2}', { value: 10, why: "a" }],
  ])("reads %s", (reply, verdict) => expect(read(reply)).toEqual(verdict));

  test.each([
    "",
    "8",
    "8/10",
    '{"score": "8"}',
    '{"score": 0}',
    '{"score": 11}',
    '{"score": 7.5}',
    '{"score": null}',
    '{"score": true}',
    '{"value": 7}',
    '{"score": 7',
    "{score: 7}",
  ])("takes %j for no verdict", (reply) => expect(read(reply)).toBeUndefined());
});

describe("better-reply", () => {
  const { read } = judges.get("better-reply");

  test("shows the replies in the order given", () => {
    const text = textOf("better-reply", ["first one", "second one"]);
    expect(text.indexOf("Reply 1:\nfirst one")).toBeGreaterThan(0);
    expect(text.indexOf("Reply 2:\nsecond one")).toBeGreaterThan(text.indexOf("first one"));
  });

  test("reads which place is better, or neither", () => {
    expect(read('{"better": 1, "reason": "x"}')).toEqual({ value: 1, why: "x" });
    expect(read('{"better": 2}')?.value).toBe(-1);
    expect(read('{"better": 0}')?.value).toBe(0);
    for (const reply of ['{"better": 3}', '{"better": "1"}', "Reply 1", ""]) expect(read(reply)).toBeUndefined();
  });
});
