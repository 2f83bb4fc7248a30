import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { membank } from "../../src/methods/membank.js";
import { sage } from "../../src/methods/sage.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, Method, OptionValue, Task, Tool } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { LoggedCall, Script } from "../helpers/scripted-model.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const wikipedia: Tool = { name: "wikipedia", description: "Search.", parameters: {}, run: async () => "found" };
const history = [
  movie("1", "robots in {love}", "romance", "2020-01-01"),
  movie("2", "a heist goes wrong", "action", "2020-01-01"),
  movie("3", "a quiet village", "classic", "2020-02-01"),
];

/** Names each summary after what it was asked for. */
function summarizer(call: LoggedCall): string {
  if (call.phase === "answer") return "comedy";
  if (call.text.includes("into one")) return call.text.includes("one overview") ? "OVERVIEW" : "PROFILE";
  const date = /\((\d [^)]*2020)\)/.exec(call.text)?.[1] ?? "";
  return call.text.includes("Summarize these events") ? `events of ${date}` : `habits at ${date}`;
}

async function answerOne(given: Record<string, OptionValue>, past: Event[] = history, script: Script = summarizer) {
  const armKit = fakeKit({ task: movies, script, tools: [wikipedia] });
  const answer = await membank.personalize(user(...past), knobs(membank, given), armKit.kit);
  const said = await answer(ask("q", "robots in love", "2020-03-01"), armKit.question("q"));
  const system = armKit.calls.at(-1)?.request.system ?? "";
  return { said, armKit, system };
}

const summaries = (armSpec: { calls: readonly LoggedCall[] }) =>
  armSpec.calls.filter(({ phase }) => phase === "summary");

describe("membank", () => {
  test("makes two summaries per date, two global ones, then answers: 2 D + 2 + 1 calls", async () => {
    const { armKit, said } = await answerOne({ "membank.mode": "direct" });
    expect(said).toBe("comedy");
    expect(armKit.phases()).toEqual({ summary: 6, answer: 1 });
    const planned = membank.plan(knobs(membank, { "membank.mode": "direct" }));
    expect(planned.perUnit(history)).toEqual({ summary: { low: 6, high: 6 } });
    expect(planned.perQuestion()).toEqual({ answer: { low: 1, high: 1 } });
  });

  test("summarizes each date from the lines of that date, and the global ones from the dated summaries", async () => {
    const { armKit } = await answerOne({});
    const [first] = summaries(armKit);
    expect(first?.text).toContain("2020-01-01 | movie: robots in {love} | tag: romance\n2020-01-01 | movie: a heist");
    expect(first?.text).not.toContain("village");
    const global = summaries(armKit)
      .slice(-2)
      .map(({ text }) => text);
    expect(global[0]).toContain("1 January 2020: events of 1 January 2020\n\n1 February 2020: events of");
    expect(global[1]).toContain("1 February 2020: habits at 1 February 2020");
  });

  test("answers with overview, profile and recalled memories in the system prompt and the question alone beside it", async () => {
    const { armKit, system } = await answerOne({ "memory.k": 1 });
    for (const part of [
      "OVERVIEW",
      "PROFILE",
      "Memories of 1 January 2020:\n2020-01-01 | movie: robots in {love} | tag: romance",
    ])
      expect(system).toContain(part);
    expect(system).not.toContain("village");
    const last = armKit.calls.at(-1)?.request;
    expect(last?.messages).toEqual([{ role: "user", content: "Which tag? description: robots in love" }]);
    expect(last?.tools?.map(({ name }) => name)).toEqual(["wikipedia"]);
    const direct = await answerOne({ "membank.mode": "direct" });
    expect(direct.armKit.calls.at(-1)?.request).not.toHaveProperty("tools");
    expect(direct.armKit.notes.find(({ kind }) => kind === "memory")?.data).toContain("1");
  });

  test("a user without a past is answered without a memory, and counted", async () => {
    const { armKit, system } = await answerOne({}, []);
    expect(armKit.phases()).toEqual({ answer: 1 });
    expect(system).not.toContain("remember of the user");
    expect(armKit.incidents.get("fallback=no-memory")).toBe(1);
    expect(membank.plan(knobs(membank)).perUnit([])).toEqual({});
  });

  test("a summary that fails, is refused or empty becomes the cut raw text; a stop stays a stop", async () => {
    const failing =
      (scope: "call" | "stop"): Script =>
      (call, index) => {
        if (index === 0) throw new ModelError("overloaded", { retryable: true, scope });
        if (index === 1) return { text: "I will not", stop: "refusal" };
        if (index === 2) return "<think>hm</think>";
        return summarizer(call);
      };
    const { armKit, system } = await answerOne({ "memory.k": 6 }, history, failing("call"));
    expect(armKit.incidents.get("membank-summary-fallback")).toBe(3);
    expect(system).toContain("Summary: 2020-01-01 | movie: robots in {love}");
    await expect(answerOne({}, history, failing("stop"))).rejects.toThrow("overloaded");
  });

  test.each([
    ["membank", membank],
    ["sage", sage],
  ] as const)("%s asks for answers only where the listed events show them", async (_, method) => {
    const summariesOf = async (task: Task, past: Event) => {
      const armKit = fakeKit({ task, script: () => "words", tools: [wikipedia] });
      await (method as Method).personalize(user(past), knobs(method as Method), armKit.kit);
      return armKit.calls.map(({ text }) => text).join("\n");
    };
    const papers = tasks.get("lamp1");
    const unlabelled = await summariesOf(papers, papers.event({ id: "1", title: "On Graphs", abstract: "x" }));
    expect(unlabelled).toContain("paper title: On Graphs");
    expect(unlabelled).not.toMatch(/\breference/);
    expect(await summariesOf(movies, history[0]!)).toContain("which tag goes with which kind of movie");
  });

  test("forgets towards the date of the question, and says when a question has none", async () => {
    const forget = { "membank.forget": "paper", "membank.forgetRule": "threshold:0.3", "memory.k": 6 };
    const { system } = await answerOne(forget);
    expect(system).toContain("a quiet village");
    expect(system).not.toContain("robots in {love}");
    const armKit = fakeKit({ task: movies, script: summarizer, tools: [wikipedia] });
    const answer = await membank.personalize(user(...history), knobs(membank, forget), armKit.kit);
    await answer(ask("q", "robots"), armKit.question("q"));
    expect(armKit.incidents.get("forget-undated-question")).toBe(1);
    expect(armKit.calls.at(-1)?.request.system).toContain("robots in {love}");
  });

  test("what is learned stands behind the past, also where buckets are counted", async () => {
    const given = { "membank.mode": "direct", "membank.bucket": "chunk:1", "memory.k": 20 };
    const armKit = fakeKit({ task: movies, script: summarizer });
    const answer = await membank.personalize(user(...history), knobs(membank, given), armKit.kit);
    for (const id of ["4", "5"]) await answer.learn?.(movie(id, `wolves ${id}`, "classic"), armKit.question("q"));
    await answer(ask("q2", "wolves"), armKit.question("q2"));
    const system = armKit.calls.at(-1)?.request.system ?? "";
    expect(
      system
        .split("Memories of ")
        .slice(-3)
        .map((part) => part.match(/event \d.*|wolves \d|village/g)),
    ).toEqual([
      ["event 3:", "village"],
      ["event 4:", "wolves 4"],
      ["event 5:", "wolves 5"],
    ]);
  });
});
