import { describe, expect, test } from "vitest";
import { rag } from "../../src/methods/rag.js";
import { notesOf } from "../../src/notes/note.js";
import { questionHash, readMulti } from "../../src/selectors/rums/classifier-file.js";
import { rumsMulti } from "../../src/selectors/rums/classifiers.js";
import { trainMulti } from "../../src/selectors/rums/training.js";
import { tasks } from "../../src/tasks/index.js";
import type { Embedder, Event, Json, Unit } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { knobs, user } from "../methods/workflow-fixtures.js";

const profiles = tasks.get("profile-questions");

/** Vectors by the first letter of a text: food, else anything. */
const embedder: Embedder = {
  id: "by-letter",
  dimensions: 2,
  embed: async (texts) => texts.map((text) => Float32Array.from(text.startsWith("f") ? [1, 0] : [0, 1])),
};

const attributes = ["food", "town", "pets"];
const history = (profile: string): Event[] =>
  attributes.map((attribute) => profiles.event({ id: `${profile}-${attribute}`, attribute, value: "x" }));

/** Ten questions for two profiles; those about food gain from the food of the second profile alone. */
function trained() {
  const units = ["p1", "p2"].map((profile) => ({
    id: profile,
    user: { id: profile, history: history(profile) },
    examples: Array.from({ length: 10 }, (_, n) => {
      const query = `${n % 2 === 0 ? "food" : "other"} ${n}`;
      return { question: { id: `q${n}@${profile}`, text: query, query } };
    }),
  })) as unknown as Unit[];
  const measured = new Map(
    units.flatMap(({ user: { id }, examples }) =>
      examples.map(({ question }) => {
        const gains = question.query.startsWith("food") && id === "p2";
        const scored = [{ events: ["p2-food"], utility: gains ? 0.5 : -0.1 }];
        const utilities = {
          entropy: "token",
          plain: 1,
          rest: 0,
          threshold: 0,
          candidates: [],
          scored,
          best: gains ? 0.5 : -0.1,
        };
        return [question.id, utilities] as const;
      }),
    ),
  );
  return trainMulti({ task: profiles.name, labels: [], units, utilities: measured, embedder });
}

async function chosen(
  file: unknown,
  text: string,
  { select = "rums-multi", past = history("p3") } = {},
): Promise<readonly string[]> {
  const armKit = fakeKit({ task: profiles, script: () => "ok", embedder, files: { "m.json": JSON.stringify(file) } });
  const answer = await rag.personalize(user(...past), knobs(rag, { select: `${select}:m.json` }), armKit.kit);
  const question = profiles.question({ id: "q", input: text });
  await answer(question, armKit.question("q"));
  return (
    notesOf(
      armKit.notes.map(({ kind, data }) => ({ kind, data: data as Json })),
      "retrieved",
    )[0] ?? []
  );
}

describe("rums-multi", () => {
  test("learns which attributes a question needs, merged over profiles, and chooses them for another profile", async () => {
    const file = (await trained())!;
    const { f1, questions } = file.trainedOn;
    expect([file.attributes, f1, questions.length]).toEqual([["food", "pets", "town"], 1, 10]);
    expect(await chosen(file, "food for tonight")).toEqual(["p3-food"]);
    expect(await chosen(file, "the capital of France")).toEqual([]);
  });

  test("is refused on questions of its training, and on another task", async () => {
    const file = (await trained())!;
    const { questions } = file.trainedOn;
    const text = JSON.stringify(file);
    const units = (query: string) => [{ examples: [{ question: { id: "q7", query } }] }] as unknown as Unit[];
    expect(questions).toContain(questionHash("food 0"));
    expect(() => rumsMulti.checkFile?.(text, "m.json", units("food 0"), profiles.name)).toThrow(
      "question q7 was in its training",
    );
    expect(rumsMulti.checkFile?.(text, "m.json", units("new"), profiles.name)).toBeUndefined();
    expect(() => rumsMulti.checkFile?.(text, "m.json", [], "lamp3")).toThrow(
      "trained on profile-questions, the run is of lamp3",
    );
    expect(() => readMulti("{}", "m.json")).toThrow("m.json: not a file of lamp-eval rums train --multi: kind");
  });
});
