import { describe, expect, test } from "vitest";
import { rag } from "../../src/methods/rag.js";
import { notesOf } from "../../src/notes/note.js";
import { selectors } from "../../src/selectors/index.js";
import type { Json } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { ask, knobs, movie, movies, user } from "../methods/workflow-fixtures.js";

/** What `rag` shows for a question about a heist. */
async function shown(given: Record<string, string | number>, texts: readonly string[]): Promise<readonly string[]> {
  const armKit = fakeKit({ task: movies, script: () => "action" });
  const past = texts.map((text, at) => movie(`e${at}`, text, "action"));
  const answer = await rag.personalize(user(...past), knobs(rag, given), armKit.kit);
  await answer(ask("q", "a heist"), armKit.question("q"));
  return (
    notesOf(
      armKit.notes.map(({ kind, data }) => ({ kind, data: data as Json })),
      "retrieved",
    )[0] ?? []
  );
}

describe("the similarity baselines of RUMS", () => {
  const past = ["the heist of the year", "garden birds", "tea and cake", "quiet lake", "rain"];

  test("bm25 ranks as rag's own retrieval does, whatever the scores", async () => {
    const own = await shown({ "rag.k": 4 }, past);
    expect(own).toHaveLength(4);
    expect(await shown({ select: "bm25", "rag.k": 4 }, past)).toEqual(own);
    expect(await shown({ "select.above": 0, "rag.k": 4 }, past)).toEqual(own); // it filters named retrievers alone
  });

  test("select.above shows only what scores above it", async () => {
    expect(await shown({ select: "bm25", "select.above": 0, "rag.k": 4 }, past)).toEqual(["e0"]);
    expect(await shown({ select: "bm25", "select.above": -1, "rag.k": 4 }, past)).toHaveLength(4);
    expect(await shown({ select: "bm25", "select.above": 0, "rag.k": 4 }, past.slice(1))).toEqual([]);
    expect(await shown({ select: "dense", "select.above": 1, "rag.k": 4 }, past)).toEqual([]);
  });

  test("select.above is no option of a selector whose order says nothing of the question", async () => {
    const having = selectors.all.filter(({ options }) => "select.above" in options).map(({ name }) => name);
    expect(having).toEqual(["bm25", "bm25-wink", "dense", "tf-idf"]);
    expect(await shown({ select: "random", "select.above": 1, "rag.k": 4 }, past)).toHaveLength(4);
  });
});

test.each(["decide-zero", "decide-few"])(
  "%s shows the newest events where the model says that the question gains",
  async (select) => {
    const shownWith = async (reply: string) => {
      const armKit = fakeKit({ task: movies, script: ({ text }) => (text.includes('{"personal"') ? reply : "action") });
      const answer = await rag.personalize(
        user(movie("e1", "old", "action"), movie("e2", "new", "action")),
        knobs(rag, { select, "rag.k": 1 }),
        armKit.kit,
      );
      await answer(ask("q", "a heist"), armKit.question("q"));
      const notes = armKit.notes.map(({ kind, data }) => ({ kind, data: data as Json }));
      return [notesOf(notes, "retrieved")[0], armKit.incidents.get("select-unread")];
    };
    expect(await shownWith('{"personal": true}')).toEqual([["e2"], undefined]);
    expect(await shownWith('{"personal": "False"}')).toEqual([[], undefined]);
    expect(await shownWith("no idea")).toEqual([[], 1]);
  },
);
