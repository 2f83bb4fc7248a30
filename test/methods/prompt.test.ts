import { expect, test } from "vitest";
import { prompt } from "../../src/methods/prompt.js";
import { fakeKit } from "../helpers/kit.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

test("prompt sends the raw input as one user message, whatever the history, and returns the reply as it is", async () => {
  const cell = fakeKit({ task: movies, script: () => " comedy \n" });
  const answer = await prompt.personalize(user(movie("1", "a heist")), knobs(prompt), cell.kit);
  expect(await answer(ask("q", "a trip"), cell.question("q"))).toBe(" comedy \n");
  expect(cell.calls.map(({ request }) => request)).toEqual([
    { messages: [{ role: "user", content: "Which tag? description: a trip" }] },
  ]);
  expect(cell.phases()).toEqual({ answer: 1 });
});
