import { describe, expect, test } from "vitest";
import { assistant } from "../../src/methods/assistant.js";
import { buffer } from "../../src/methods/buffer.js";
import { tasks } from "../../src/tasks/index.js";
import type { Method, OptionValue, Question } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { LoggedCall } from "../helpers/scripted-model.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const chat = tasks.get("alex-like");
const persona = ["I live in Arden.", "I like plums."].map((text, index) => chat.event({ id: `p${index}`, text }));
const theirs = chat.event({ id: "p9", text: "I keep bees.", speaker: "answers" });
const line = (id: string, input: string): Question => chat.question({ id, input });

/** Answers `reply to ...`, and finds a fact in lines that begin with "I ". */
const talk = (call: LoggedCall): string => {
  if (call.phase !== "update") return `reply to ${call.text.split("\n").at(-1)}`;
  const said = /The user said: "(.*)"/.exec(call.text)?.[1] ?? "";
  return said.startsWith("I ") ? `"${said}"` : "NO_FACT";
};

async function dialogue(
  method: Method,
  lines: readonly string[],
  given: Record<string, OptionValue> = {},
  history = persona,
) {
  const armKit = fakeKit({ task: chat, script: talk });
  const answerer = await method.personalize(user(...history), knobs(method, given), armKit.kit);
  for (const [index, said] of lines.entries()) {
    const kit = armKit.question(`t${index}`);
    const reply = await answerer(line(`t${index}`, said), kit);
    await answerer.observe?.({ id: `t${index}`, said, reply }, true, kit);
  }
  const answers = armKit.calls.filter(({ phase }) => phase === "answer");
  return { armKit, answerer, last: answers.at(-1)?.request.system ?? "" };
}

describe("assistant in a dialogue", () => {
  test("answers, then reads the user's line alone for a fact: two calls a turn", async () => {
    const { armKit } = await dialogue(assistant, ["I have a dog.", "What is the time?"]);
    expect(armKit.calls.map(({ phase }) => phase)).toEqual(["answer", "update", "answer", "update"]);
    expect(armKit.calls[1]?.text).toContain('The user said: "I have a dog."');
    expect(armKit.calls[1]?.text).not.toContain("reply to");
    const facts = armKit.notes.filter(({ kind }) => kind === "fact").map(({ data }) => data);
    expect(facts).toEqual([
      { said: "I have a dog.", fact: "I have a dog.", isNew: true, known: 3 },
      { said: "What is the time?", fact: null, isNew: false, known: 3 },
    ]);
    const plan = assistant.plan(knobs(assistant));
    expect([plan.perQuestion(), plan.perObserved?.(true)]).toEqual([
      { answer: { low: 1, high: 1 } },
      { update: { low: 1, high: 1 } },
    ]);
  });

  test("shows the facts that it recalls and the whole dialogue, its own replies included", async () => {
    const { last } = await dialogue(assistant, ["I have a dog.", "Tell me of my dog."], { "assistant.k": 2 });
    expect(last).toContain("- I have a dog.");
    expect(last).toContain("User: I have a dog.\nAssistant: reply to I have a dog.");
    expect(last.match(/^- /gm)).toHaveLength(2);
  });

  test("a fact is kept once", async () => {
    const { armKit } = await dialogue(assistant, ["I like plums.", "I like plums."]);
    expect(armKit.notes.at(-1)?.data).toMatchObject({ isNew: false, known: 2 });
  });

  test("the persona is in memory from the start, unless that is off or it belongs to the other speaker", async () => {
    const known = async (given: Record<string, OptionValue>) =>
      (await dialogue(assistant, ["Hm?"], given, [...persona, theirs])).armKit.notes[0]?.data;
    expect(await known({})).toMatchObject({ known: 3 });
    expect(await known({ "assistant.personaSide": "querySpeaker" })).toMatchObject({ known: 2 });
    expect(await known({ "assistant.seedPersona": false })).toMatchObject({ known: 0 });
  });

  test("remembers a turn that nobody asked about; with assistant.remember=asked it hears it and looks for no fact", async () => {
    for (const [remember, calls] of [
      ["all", 1],
      ["asked", 0],
    ] as const) {
      const given = { "assistant.remember": remember };
      const { armKit, answerer } = await dialogue(assistant, [], given);
      await answerer.observe?.({ id: "h1", said: "I have a boat.", reply: "Nice." }, false, armKit.question("q"));
      expect(armKit.calls).toHaveLength(calls);
      await answerer(line("q", "My boat?"), armKit.question("q"));
      expect(armKit.calls.at(-1)?.request.system).toContain("User: I have a boat.\nAssistant: Nice.");
      expect(armKit.calls.at(-1)?.request.system?.includes("- I have a boat.")).toBe(remember === "all");
    }
  });
});

test("a past choice between two references is told with both", async () => {
  const task = tasks.get("lamp1");
  const past = task.event({ id: "p", title: "T", abstract: "A", option1: "One", option2: "Two", label: "[2]" });
  const armKit = fakeKit({ task, script: () => "[1]" });
  const answer = await assistant.personalize(user(past), knobs(assistant), armKit.kit);
  await answer(task.question({ id: "q", input: "which?" }), armKit.question("q"));
  const told = 'For the paper "T" and the references [1] "One" and [2] "Two", my reference is [2]';
  expect(armKit.calls.at(-1)?.request.system).toContain(told);
});

describe("its baselines", () => {
  const lines = ["one", "two", "three", "four", "five", "six"];

  test("buffer shows the user's last four lines; both speakers' with assistant.baselineHistory=both", async () => {
    const { last, armKit } = await dialogue(buffer, lines);
    expect(last).toContain("What was said before:\nUser: two\nUser: three\nUser: four\nUser: five");
    expect(last).not.toContain("User: one\n");
    expect(armKit.phases()).toEqual({ answer: 6 });
    const both = await dialogue(buffer, lines, { "assistant.baselineHistory": "both" });
    expect(both.last).toContain("User: four\nAssistant: reply to four\nUser: five\nAssistant: reply to five");
    expect(both.last).not.toContain("three");
  });
});

describe("assistant on LaMP", () => {
  const past = [movie("1", "robots in {love}", "romance", "2020-01-01"), movie("2", "a heist goes wrong", "action")];

  test("past events are facts in the first person; the best matching ones stand above the question", async () => {
    const armKit = fakeKit({ task: movies, script: () => "comedy" });
    const answerer = await assistant.personalize(user(...past), knobs(assistant, { "assistant.k": 1 }), armKit.kit);
    await answerer(ask("q", "robots in love"), armKit.question("q"));
    expect(armKit.phases()).toEqual({ answer: 1 });
    expect(armKit.calls[0]?.request.system).toContain(
      '- On 2020-01-01: For the movie "robots in {love}", my tag is romance\n',
    );
    expect(armKit.calls[0]?.request.system).not.toContain("heist");
    await answerer.learn?.(movie("3", "robots at sea", "classic"), armKit.question("q"));
    await answerer(ask("q2", "robots at sea"), armKit.question("q2"));
    expect(armKit.calls.at(-1)?.request.system).toContain('For the movie "robots at sea", my tag is classic');
  });

  test("assistant.extract=llm asks for each event once", async () => {
    const armKit = fakeKit({ task: movies, script: (call) => (call.phase === "update" ? "I like robots." : "comedy") });
    const given = { "assistant.extract": "llm" };
    await assistant.personalize(user(...past), knobs(assistant, given), armKit.kit);
    expect(armKit.phases()).toEqual({ update: 2 });
    expect(assistant.plan(knobs(assistant, given)).perUnit(past)).toEqual({ update: { low: 2, high: 2 } });
  });
});
