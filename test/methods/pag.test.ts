import { describe, expect, test } from "vitest";
import { fullHistory } from "../../src/methods/full-history.js";
import { pag } from "../../src/methods/pag.js";
import { latestWithinTokens } from "../../src/methods/pag-summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import type { Script } from "../helpers/scripted-model.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const history = [
  movie("1", "a heist goes wrong", "action"),
  movie("2", "two friends travel", "comedy"),
  movie("3", "a heist in space", "comedy"),
];
const SUMMARY = "most popular tag: comedy";
const byPhase: Script = ({ phase }) => (phase === "summary" ? ` ${SUMMARY}\n` : "action");

async function run(given: Record<string, string | number>, script: Script = byPhase, past: Event[] = history) {
  const armKit = fakeKit({ task: movies, script });
  const answer = await pag.personalize(user(...past), knobs(pag, given), armKit.kit);
  for (const text of ["heist", "travel"]) await answer(ask(text, text), armKit.question(text));
  const sent = (phase: string): string[] => armKit.calls.filter((call) => call.phase === phase).map(({ text }) => text);
  return { armKit, summaries: sent("summary"), answers: sent("answer") };
}

describe("pag", () => {
  test("summarizes once per user and puts the summary in front of every prompt", async () => {
    const { armKit, summaries, answers } = await run({ "pag.k": 1 });
    expect(summaries).toEqual([
      `${movies.summary.instruction} User History:\nmovie: a heist goes wrong | tag: action\nmovie: two friends travel | tag: comedy\nmovie: a heist in space | tag: comedy\nAnswer:`,
    ]);
    expect(answers[1]).toBe(
      `${SUMMARY}\nthe tag for the movie: "two friends travel" is "comedy" . Which tag? description: travel`,
    );
    expect(armKit.phases()).toEqual({ summary: 1, answer: 2 });
    expect(pag.plan(knobs(pag)).perUnit(history)).toEqual({ summary: { low: 1, high: 2 } });
    expect(armKit.notes[0]).toEqual({ kind: "summary", data: SUMMARY });
    expect(armKit.incidents.size).toBe(0);
  });

  test.each([
    ["exact", "most popular tag: comedy"],
    ["counts", "tag counts over 3 movies: comedy 2, action 1"],
  ])("pag.summary=%s computes the summary without a call", async (kind, summary) => {
    const { armKit, answers } = await run({ "pag.summary": kind, "pag.k": 0 });
    expect(answers[0]).toBe(`${summary}\nWhich tag? description: heist`);
    expect(armKit.phases()).toEqual({ answer: 2 });
    expect(pag.plan(knobs(pag, { "pag.summary": kind })).perUnit(history)).toEqual({});
  });

  test("computing a summary of free texts is refused in one line", async () => {
    const task = tasks.get("lamp4");
    const armKit = fakeKit({ task, script: [] });
    const past = user(task.event({ id: "1", text: "t", title: "h" }));
    await expect(pag.personalize(past, knobs(pag, { "pag.summary": "exact" }), armKit.kit)).rejects.toThrow(
      "pag.summary=exact: lamp4 has no labels worth counting; use --set pag.summary=llm",
    );
    const checked = (kind: string) => () => pag.check?.(knobs(pag, { "pag.summary": kind }), task);
    expect(checked("counts")).toThrow("pag.summary=counts: lamp4 has no labels");
    expect(checked("llm")).not.toThrow();
  });

  test("twice empty means no summary, counted", async () => {
    const { armKit, answers } = await run({ "pag.k": 0 }, ({ phase }) => (phase === "summary" ? " \n" : "action"));
    expect(answers[0]).toBe("Which tag? description: heist");
    expect(armKit.phases()).toEqual({ summary: 2, answer: 2 });
    expect(armKit.incidents.get("summary-empty")).toBe(1);
    const draws = armKit.calls.filter(({ phase }) => phase === "summary").map(({ request }) => request.draw);
    expect(draws).toEqual([0, 1]); // an equal request would be answered from the store
  });

  test("a history that one request cannot take loses its oldest events, and that is counted", async () => {
    const long = ["a", "b", "c"].map((id) => movie(id, `${id} ${"long ".repeat(9000)}`));
    const { armKit, summaries } = await run({ "events.maxWords": 0, "pag.k": 0 }, byPhase, long);
    expect(summaries[0]).not.toContain("movie: a");
    expect(summaries[0]).toContain("movie: b");
    expect(armKit.incidents.get("summary-without-oldest")).toBe(1);
  });

  test("a written summary that misses the computed one is counted", async () => {
    const { armKit } = await run({}, ({ phase }) => (phase === "summary" ? "most popular tag: action" : "action"));
    expect(armKit.incidents.get("summary-not-exact")).toBe(1);
  });

  test("an empty history is the plain prompt without a summary call", async () => {
    const { armKit, answers } = await run({}, byPhase, []);
    expect(answers).toEqual(["Which tag? description: heist", "Which tag? description: travel"]);
    expect(armKit.phases()).toEqual({ answer: 2 });
    expect(armKit.incidents.get("fallback=prompt")).toBe(2);
    expect(pag.plan(knobs(pag)).perUnit([])).toEqual({});
  });

  test("prompt.style=oppu asks for the profile in OPPU's words", async () => {
    const { summaries, answers } = await run({ "prompt.style": "oppu", "pag.items": "latest:1", "pag.k": 1 });
    expect(summaries[0]).toMatch(/User History: \['description: a heist in space tag: comedy'\] Answer:$/);
    expect(answers[1]).toMatch(
      /^most popular tag: comedy\ndescription: two friends travel tag: comedy\n\nWhich tag does/,
    );
  });
});

describe("newestWithin", () => {
  const show = ({ content }: Event): string => content;
  const past = [movie("1", "a".repeat(40)), movie("2", "b".repeat(40)), movie("3", "c".repeat(40))];
  test.each([
    [30, ["1", "2", "3"]],
    [29, ["2", "3"]],
    [5, ["3"]],
  ])("a limit of %d tokens keeps %j", (maxTokens, kept) => {
    expect(latestWithinTokens(past, show, maxTokens).map(({ id }) => id)).toEqual(kept);
  });
});

test("full-history shows the whole history oldest first, and what it learns behind it", async () => {
  const { kit, question, calls } = fakeKit({ task: movies, script: () => "action" });
  const answer = await fullHistory.personalize(user(...history), knobs(fullHistory), kit);
  await answer.learn?.(movie("4", "robots rebel", "action"), kit);
  await answer(ask("q", "x"), question("q"));
  const prompt = calls.at(-1)!.text;
  const places = [...history.map(({ content }) => content), "robots rebel"].map((text) => prompt.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThanOrEqual(0);
});
