import { expect, test } from "vitest";
import { optionsOf } from "../../src/commands/judge.js";
import { personaSideOf, surroundingsOf } from "../../src/judges/cases.js";
import { tasks } from "../../src/tasks/index.js";
import type { ArmSpec, Event } from "../../src/types/index.js";

const SIDE = "assistant.personaSide";
const armSpec = (method: string, options: ArmSpec["options"] = {}): ArmSpec => ({
  id: method,
  task: "personachat",
  dataset: "d",
  method,
  model: "m/1",
  options,
  seed: 1,
  repeat: 0,
});
const fact = (id: string, fields: Readonly<Record<string, string>>): Event => ({
  id,
  content: id,
  document: id,
  fields: { id, ...fields },
});
const example = { question: { id: "q", text: "hi", content: "hi", query: "hi" }, gold: "the gold reply" };
const user = { id: "u", history: [fact("the one who answers", { speaker: "answers" }), fact("the one who asks", {})] };
const shown = (name: string, side: string) =>
  surroundingsOf(
    tasks.get(name),
    { id: "u", user, examples: [example] },
    { side, replies: () => undefined, isUserOnly: false },
  ).get("q");

test("whose persona a judge is shown is one for all arms: those without the knob go by those with it", () => {
  const [plain, left, kept] = [
    armSpec("buffer"),
    armSpec("assistant", { [SIDE]: "querySpeaker" }),
    armSpec("assistant", { [SIDE]: "asPublished" }),
  ];
  expect(personaSideOf(plain, [plain, left])).toBe("querySpeaker");
  expect(personaSideOf(plain, [plain, kept])).toBe("asPublished");
  expect([plain, left, kept].map((one) => personaSideOf(one, [plain, left, kept]))).toEqual([
    "asPublished",
    "querySpeaker",
    "asPublished",
  ]);
  expect(personaSideOf(plain, [plain, { ...left, task: "alex-like" }])).toBe("asPublished");
});

test("a judge of a dialogue is shown persona and lines, and no gold; of another task the gold", () => {
  expect(shown("personachat", "querySpeaker")).toEqual({ question: "hi", persona: ["the one who asks"], history: [] });
  expect(shown("personachat", "asPublished")?.persona).toHaveLength(2);
  expect(shown("lamp5", "asPublished")).toEqual({ question: "hi", reference: "the gold reply" });
});

test("a judge is told the tags of the question", () => {
  const tagged = { ...example, facts: { tags: { personal: "no" } } };
  const settings = { side: "asPublished", replies: () => undefined, isUserOnly: false };
  const around = surroundingsOf(tasks.get("lamp5"), { id: "u", user, examples: [tagged] }, settings);
  expect(around.get("q")?.tags).toEqual({ personal: "no" });
});

test("one judge has one set of rules: arms that differ in a judge.* option are refused unless --set names it", () => {
  const arms = [armSpec("stateless"), armSpec("buffer", { "judge.history": "user-only" })];
  const of = (set?: Readonly<Record<string, string>>) => optionsOf(arms, "talk", set);
  expect(() => of()).toThrow(
    "judge talk: its arms differ in judge.history (own-dialogue, user-only); name one for all with --set judge.history=own-dialogue",
  );
  expect(of({ "judge.history": "user-only" })).toMatchObject({ "judge.history": "user-only" });
});
