import { describe, expect, test } from "vitest";
import { rag } from "../../src/methods/rag.js";
import { retrieverSelector } from "../../src/selectors/of-retriever.js";
import type { Retriever } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { ask, knobs, movie, movies, user } from "./workflow-fixtures.js";

const history = [
  movie("1", "a heist goes wrong", "action"),
  movie("2", "two friends travel", "comedy"),
  movie("5", "a dog finds home", "classic"),
  movie("3", "a heist in space", "sci-fi"),
  movie("4", "love in spring", "romance"),
];

async function prompts(given: Record<string, string | number>, questions: string[], past = history) {
  const armKit = fakeKit({ task: movies, script: () => "action" });
  const answer = await rag.personalize(user(...past), knobs(rag, given), armKit.kit);
  for (const text of questions) await answer(ask(text, text), armKit.question(text));
  return { armKit, sent: armKit.calls.map(({ text }) => text) };
}

describe("rag", () => {
  test("shows the best k events in the official strings, best first, and notes which", async () => {
    const { armKit, sent } = await prompts({ "rag.k": 2 }, ["heist space"]);
    expect(sent).toEqual([
      'the tag for the movie: "a heist in space" is "sci-fi" , and the tag for the movie: "a heist goes wrong" is "action" . Which tag? description: heist space',
    ]);
    expect(armKit.notes).toEqual([{ kind: "retrieved", data: ["3", "1"], question: "heist space" }]);
  });

  test("takes 4 events by BM25 unless told otherwise, and all where there are fewer", async () => {
    const { armKit } = await prompts({}, ["heist"], history.slice(0, 3));
    expect(armKit.notes[0]?.data).toHaveLength(3);
    const { sent } = await prompts({}, ["heist"]);
    expect(sent[0]?.match(/the tag for the movie/g)).toHaveLength(4);
  });

  test("prompt.style=oppu shows OPPU's strings", async () => {
    const { sent } = await prompts({ "rag.k": 1, "prompt.style": "oppu", select: "recency" }, ["x"]);
    expect(sent[0]).toMatch(/^description: love in spring tag: romance\n\nWhich tag does .*\n description: x tag:$/s);
  });

  test("an empty history is the plain prompt, counted once per question", async () => {
    const { armKit, sent } = await prompts({}, ["x", "y"], []);
    expect(sent).toEqual(["Which tag? description: x", "Which tag? description: y"]);
    expect(armKit.incidents).toEqual(new Map([["fallback=prompt", 2]]));
  });

  test.each([
    [{ select: "bm52" }, /select: unknown selector "bm52"; did you mean "bm25"\?/],
    [{ "prompt.style": "fid" }, /prompt\.style=fid: expected one of lamp, oppu/],
    [{ "rag.k": -1 }, /rag\.k=-1: expected a whole number of 0 or more/],
  ])("refuses %j in one line", (given, message) => {
    expect(() => knobs(rag, given as Record<string, string>)).toThrow(message);
  });
});

describe("retrieval", () => {
  test("builds one index per unit and searches it with the style's query", async () => {
    const built: string[][] = [];
    const searched: string[] = [];
    const spy: Retriever = {
      name: "spy",
      summary: "",
      source: "",
      index: async (documents) => {
        built.push(documents.map(({ text }) => text));
        return async (query) => {
          searched.push(query);
          return [{ index: 1, score: 1 }];
        };
      },
    };
    const armKit = fakeKit({ task: movies, script: () => "action" });
    const options = { ...knobs(rag, {}), select: { selector: retrieverSelector(spy) } };
    const answerer = await rag.personalize({ id: "u", history: history.slice(0, 2) }, options, armKit.kit);
    for (const [id, text] of [
      ["a", "x"],
      ["b", "y"],
    ] as const)
      await answerer(ask(id, text), armKit.question(id));
    const shown = armKit.notes.filter(({ kind }) => kind === "retrieved");
    expect(shown.map(({ data }) => data)).toEqual([["2"], ["2"]]);
    expect(built).toEqual([["a heist goes wrong", "two friends travel"]]);
    expect(searched).toEqual(["x", "y"]);
  });
});
