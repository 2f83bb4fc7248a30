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

describe("aspects", () => {
  const { read, split, request } = judges.get("aspects");
  const [one, two] = ["a", "b"].map((aspect) => ({ aspect, reason: `why ${aspect}`, evidence: `told ${aspect}` }));
  const rubric = { narrative: "I cannot swim.", aspects: [one!, two!] };

  test("asks for each aspect by itself; the calls about one reply begin alike", () => {
    const asked = split!({ ...shown, rubric }).map(
      (part) => JSON.parse(JSON.stringify(request(part))).messages[0].content as string,
    );
    expect(asked.map((text) => [text.includes("why a"), text.includes("told b")])).toEqual([
      [true, false],
      [false, true],
    ]);
    const opening = asked[0]!.slice(0, asked[0]!.indexOf("Aspect:"));
    for (const part of ["I cannot swim.", "A `crane`.", shown.question]) expect(opening).toContain(part);
    expect(asked[1]).toContain(opening);
    expect(split!(shown)).toEqual([]);
  });

  test.each([
    ['{"match_score": 0}', 0],
    ['```json\n{"match_score": 1}\n```', 0.5],
    ['{"why": "of {braces}", "match_score": 2}', 1],
  ])("reads %s", (reply, value) => expect(read(reply)?.value).toBe(value));

  test.each(['{"match_score": "2"}', '{"match_score": 5}', '{"match_score": -1}', '{"match_score": 1.5}', "2", "{}"])(
    "takes %j for no verdict",
    (reply) => expect(read(reply)).toBeUndefined(),
  );
});

describe("profile-pair", () => {
  const { read } = judges.get("profile-pair");
  const scored = (names: readonly string[], more: object = {}): string =>
    JSON.stringify({
      ...Object.fromEntries(
        names.flatMap((name) => [
          [name, "1"],
          [`${name}_explanation`, "so"],
          [`${name}_confidence`, 70],
        ]),
      ),
      ...more,
    });
  const personal = ["completeness", "personalization", "overpersonalization", "overall"];

  test("asks for twelve keys; of a question tagged as not personal for nine, without the profile; never shows a gold", () => {
    const text = textOf("profile-pair", ["one", "two"]);
    expect(text.match(/"\w+"(?=[,.])/g)?.length).toBeGreaterThanOrEqual(12);
    expect([text.includes("- My name is {Mira}."), text.includes('"overpersonalization_confidence"')]).toEqual([
      true,
      true,
    ]);
    const told = (personal: string) => {
      const asked = { ...shown, reference: "Oslo", tags: { personal }, predictions: ["one", "two"] as const };
      const sent = JSON.stringify(judges.get("profile-pair").request(asked));
      return ["is {Mira}", "Oslo", "neutrality"].map((part) => sent.includes(part));
    };
    expect([told("no"), told("yes")]).toEqual([
      [false, false, true],
      [true, false, false],
    ]);
  });

  test("the verdict is the overall one, with its confidence", () => {
    expect(read(scored(personal, { overall: "2", overall_confidence: "85", overall_explanation: "fits" }))).toEqual({
      value: -1,
      confidence: 85,
      why: "fits",
    });
    expect(read(scored(["completeness", "neutrality", "overall"], { overall: 0 }))).toMatchObject({
      value: 0,
      confidence: 70,
    });
  });

  test.each([
    scored(personal.slice(0, 3)),
    scored(personal.slice(1)),
    scored(personal, { overall: "3" }),
    scored(personal, { overall: [1] }),
    scored(personal, { personalization: "both" }),
    scored(personal, { overall_confidence: 0 }),
    scored(personal, { overall_confidence: "sure" }),
    scored(personal, { completeness_confidence: 101 }),
    '{"overall": "1"}',
    "1",
  ])("takes %j for no verdict", (reply) => expect(read(reply)).toBeUndefined());
});
