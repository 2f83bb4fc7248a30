import { describe, expect, test } from "vitest";
import { rag } from "../../src/methods/rag.js";
import { notesOf } from "../../src/notes/note.js";
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
  test("similar shows five events at most, however many are alike and asked for", async () => {
    const alike = Array.from({ length: 8 }, (_, at) => `a heist number ${at}`);
    expect(await shown({ select: "similar", "rag.k": 8 }, alike)).toHaveLength(5);
  });

  test("bm25 shows only what shares a word with the question; in rag's own retrieval it fills up to rag.k", async () => {
    const past = ["the heist of the year", "garden birds", "tea and cake", "quiet lake", "rain"];
    expect(await shown({ select: "bm25", "rag.k": 4 }, past)).toEqual(["e0"]);
    expect(await shown({ "rag.retriever": "bm25", "rag.k": 4 }, past)).toHaveLength(4);
    expect(await shown({ select: "bm25", "rag.k": 4 }, ["garden birds", "tea and cake"])).toEqual([]);
  });

  test("select.above moves the least score of both", async () => {
    const past = ["the heist of the year", "garden birds", "tea and cake"];
    expect(await shown({ select: "bm25", "select.above": -1, "rag.k": 4 }, past)).toHaveLength(3);
    expect(await shown({ select: "similar", "select.above": 1, "rag.k": 4 }, past)).toEqual([]);
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
