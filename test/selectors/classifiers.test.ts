import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importTransformers } from "../../src/embedders/onnx.js";
import { rag } from "../../src/methods/rag.js";
import { notesOf } from "../../src/notes/note.js";
import { questionHash, readMulti, readOnnx } from "../../src/selectors/rums/classifier-file.js";
import { rumsMulti } from "../../src/selectors/rums/classifiers.js";
import { openClassifier } from "../../src/selectors/rums/onnx-classifier.js";
import { trainMulti } from "../../src/selectors/rums/training.js";
import { tasks } from "../../src/tasks/index.js";
import type { Embedder, Event, Json, Unit } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { tempDir } from "../helpers/temp-dir.js";
import { tinyVector, tinyWidth, tinyWords, writeTinyModel } from "../helpers/tiny-onnx.js";
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
  const cell = fakeKit({ task: profiles, script: () => "ok", embedder, files: { "m.json": JSON.stringify(file) } });
  const answer = await rag.personalize(user(...past), knobs(rag, { select: `${select}:m.json` }), cell.kit);
  const question = profiles.question({ id: "q", input: text });
  await answer(question, cell.question("q"));
  return (
    notesOf(
      cell.notes.map(({ kind, data }) => ({ kind, data: data as Json })),
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

describe("a model of the user's own (kind onnx)", () => {
  test("is asked for a text or a pair of texts, and gives its outputs", async () => {
    const seen: unknown[] = [];
    const transformers = {
      AutoTokenizer: {
        from_pretrained: async (name: string) => (text: string, options: object) => {
          seen.push([name, text, options]);
          return {};
        },
      },
      AutoModelForSequenceClassification: {
        from_pretrained: async () => async () => ({ logits: { data: Float32Array.from([0, 2]) } }),
      },
    };
    const classify = await openClassifier("/models/own", async () => transformers);
    expect(await classify("question", "pets: a cat")).toEqual([0, 2]);
    expect(seen).toEqual([
      ["/models/own", "question", { text_pair: "pets: a cat", truncation: true, max_length: 512 }],
    ]);
  });

  test("is named by a small file, and one that cannot be loaded is refused by name", async () => {
    expect(readOnnx('{"kind": "onnx", "model": "/m", "cutoff": 0.81}', "m.json")).toEqual({
      kind: "onnx",
      model: "/m",
      cutoff: 0.81,
    });
    expect(readOnnx('{"kind": "rums-binary"}', "m.json")).toBeUndefined();
    const broken = { AutoTokenizer: { from_pretrained: () => Promise.reject(new Error("no such file")) } };
    await expect(openClassifier("/models/gone", async () => broken)).rejects.toThrow(
      "/models/gone: cannot be loaded: no such file; give a hub name or a folder in full",
    );
  });
});

/** The optional peer: CI installs it. */
const installed = await importTransformers().then(
  () => true,
  () => false,
);

describe.runIf(installed)(
  "a model of the user's own in the real runtime (skipped without @huggingface/transformers)",
  () => {
    /** The tiny classifier's logits of texts, apart from the runtime: the mean of their token vectors. */
    const logitsOf = (...texts: readonly string[]): number[] => {
      const words = [
        "[CLS]",
        ...texts.flatMap((text) => [...(text.toLowerCase().match(/\w+|[^\w\s]+/g) ?? []), "[SEP]"]),
      ];
      const vectors = words.map((word) => tinyVector(tinyWords.find((known) => known === word) ?? "[UNK]"));
      return Array.from(
        { length: tinyWidth },
        (_, i) => vectors.reduce((sum, one) => sum + one[i]!, 0) / vectors.length,
      );
    };
    const share = (odds: number): number => 1 / (1 + Math.exp(-odds));
    const own = (): string => {
      const folder = join(tempDir(), "tiny");
      writeTinyModel(folder, { classifier: true });
      return folder;
    };
    const ranked = (shares: readonly (readonly [string, number])[], cutoff: number): string[] =>
      [...shares].sort((a, b) => b[1] - a[1]).flatMap(([id, value]) => (value >= cutoff ? [id] : []));
    const question = "red green garden";

    test("rums-multi: an attribute a logit", async () => {
      const shares = logitsOf(question).map((odds, at) => [`p3-${[...attributes, "job"][at]}`, share(odds)] as const);
      const [, second] = shares.map(([, value]) => value).sort((a, b) => b - a);
      const cutoff = second! - 1e-6;
      const file = { kind: "onnx", model: own(), attributes: [...attributes, "job"], cutoff };
      const expected = ranked(shares, cutoff).filter((id) => id !== "p3-job"); // nobody has one
      expect(expected.length).toBeGreaterThan(0);
      expect(await chosen(file, question)).toEqual(expected);
    });

    test("rums-binary: each event with the question, of two logits the second's share", async () => {
      const past = ["blue gate", "red", "green garden"].map((value, at) =>
        profiles.event({ id: `p3-${attributes[at]}`, attribute: attributes[at]!, value }),
      );
      const shares = past.map((event) => {
        const [first, second] = logitsOf(question, profiles.show(event));
        return [event.id, share(second! - first!)] as const;
      });
      const [, second] = shares.map(([, value]) => value).sort((a, b) => b - a);
      const cutoff = second! - 1e-6;
      expect(ranked(shares, cutoff)).toHaveLength(2);
      const file = { kind: "onnx", model: own(), cutoff };
      expect(await chosen(file, question, { select: "rums-binary", past })).toEqual(ranked(shares, cutoff));
    });
  },
);
