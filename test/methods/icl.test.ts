import { describe, expect, test } from "vitest";
import { icl } from "../../src/methods/icl.js";
import { notesOf } from "../../src/notes/note.js";
import type { OptionValue, Question } from "../../src/types/index.js";
import { fakeKit, wordEmbedder } from "../helpers/kit.js";
import { ask, knobs, movie, movies } from "./workflow-fixtures.js";

const others = ["anna", "ben", "cora"].flatMap((owner) =>
  ["a heist goes wrong", "two friends travel", "love in spring", "robots rebel"].map((text, index) => ({
    owner,
    event: movie(`${owner}-${index}`, `${text} for ${owner}`, "action", `201${index}-01-01`),
  })),
);

function specOf(seed = 0) {
  return fakeKit({ task: movies, script: () => "action", others, seed });
}

/** Asks as that user and returns the ids of the demonstrations, in the order shown, and the prompt. */
async function asked(
  question: Question,
  owner = "zoe",
  given: Record<string, OptionValue> = {},
  armKit = specOf(),
): Promise<{ ids: string[]; prompt: string; incidents: ReadonlyMap<string, number> }> {
  const own = armKit.user(owner);
  const answer = await icl.personalize({ id: owner, history: [] }, knobs(icl, given), own.kit);
  await answer(question, own.question(question.id));
  const note = notesOf(armKit.notes, "demos").at(-1) ?? [];
  return { ids: note.map(({ id }) => id), prompt: armKit.calls.at(-1)!.text, incidents: armKit.incidents };
}

describe("icl", () => {
  test("puts posed questions and answers of other users in front, blank lines between, in the question's wording", async () => {
    const { prompt, ids } = await asked(ask("q", "x"), "zoe", { "icl.k": 2 });
    const shown = ids.map((id) => others.find(({ event }) => event.id === id)!.event);
    expect(prompt).toBe(
      [...shown.map((event) => `Which tag? description: ${event.content}\naction`), "Which tag? description: x"].join(
        "\n\n",
      ),
    );
  });

  test("random demonstrations are the same for all users and questions, in any order", async () => {
    const armKit = specOf();
    const first = await asked(ask("q1", "x"), "zoe", {}, armKit);
    const second = await asked(ask("q2", "y"), "yan", {}, armKit);
    const alone = await asked(ask("q2", "y"), "yan");
    expect(first.ids).toHaveLength(4);
    expect(second.ids).toEqual(first.ids);
    expect(alone.ids).toEqual(first.ids);
    expect((await asked(ask("q1", "x"), "zoe", {}, specOf(1))).ids).not.toEqual(first.ids);
  });

  test("a user never sees own events; the other demonstrations stay", async () => {
    const anyone = await asked(ask("q", "x"));
    const owner = anyone.ids[0]!.split("-")[0]!;
    const { ids } = await asked(ask("q", "x"), owner);
    expect(ids.some((id) => id.startsWith(owner))).toBe(false);
    expect(ids).toEqual(expect.arrayContaining(anyone.ids.filter((id) => !id.startsWith(owner))));
  });

  test("events after the question are out of reach", async () => {
    const { ids } = await asked(ask("q", "x", "2010-06-01"));
    expect(ids.toSorted()).toEqual(["anna-0", "ben-0", "cora-0"]);
  });

  test("kate shows the nearest, nearest first", async () => {
    const kate = { "icl.select": "kate", "icl.k": 3 };
    const first = await asked(ask("q", "robots rebel for ben"), "zoe", kate);
    expect(first.ids[0]).toBe("ben-3");
    expect(first.ids.toSorted()).toEqual(["anna-3", "ben-3", "cora-3"]);
  });

  test("kate shows equally near ones in the pool's order", async () => {
    const alike = ["d", "a", "c", "b"].map((id) => ({ owner: id, event: movie(id, "one text", "action") }));
    const pool = fakeKit({ task: movies, script: () => "action", others: alike });
    const { ids } = await asked(ask("q", "one text"), "zoe", { "icl.select": "kate", "icl.k": 3 }, pool);
    expect(ids.toSorted()).toEqual(["a", "c", "d"]);
  });

  test("kate embeds each event once per armSpec, and again after a failure", async () => {
    const embedded: string[] = [];
    let broken = true;
    const embedder = {
      ...wordEmbedder,
      embed: async (texts: readonly string[]) => {
        if (broken) throw new Error("no connection");
        embedded.push(...texts);
        return wordEmbedder.embed(texts);
      },
    };
    const armKit = fakeKit({ task: movies, script: () => "action", others, embedder });
    const kate = { "icl.select": "kate" };
    await expect(asked(ask("q1", "x"), "anna", kate, armKit)).rejects.toThrow("no connection");
    broken = false;
    await asked(ask("q1", "x"), "anna", kate, armKit);
    await asked(ask("q2", "y"), "ben", kate, armKit);
    expect(embedded.toSorted()).toEqual([...others.map(({ event }) => event.content), "x", "y"].toSorted());
  });

  test("nobody to learn from is the plain prompt, counted; the method says that it needs others", async () => {
    const { prompt, incidents } = await asked(ask("q", "x", "2001-01-01"));
    expect(prompt).toBe("Which tag? description: x");
    expect(incidents.get("fallback=prompt")).toBe(1);
    expect(icl.usesOthers?.(knobs(icl))).toBe("labelled");
  });
});
