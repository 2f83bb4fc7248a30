import { describe, expect, it } from "vitest";
import { hashed1 } from "../../src/embedders/hashed-1.js";
import { similarities } from "../../src/memory/graph/similarity.js";
import { seeded } from "../../src/random/seeded.js";
import { appendableSearch } from "../../src/retrievers/appendable-search.js";
import { retrievers } from "../../src/retrievers/index.js";
import {
  type PoolIndex,
  poolIndex,
  smoothIdf,
  termTokens,
  tfIdfIndexWithIdf,
} from "../../src/retrievers/tf-idf-index.js";
import { englishStopWords } from "../../src/text/tokens.js";
import type { Event, Random, Retriever, RetrieverDocument, Search } from "../../src/types/index.js";
import { retrieverKit } from "./retriever-kit.js";

/** Words drawn so that some are in nearly every text, with empty and repeated texts among them. */
function texts(random: Random, count: number): string[] {
  const word = (): string => ["the", "gate", "Gate", "w0"][random.below(9)] ?? `w${random.below(1 + random.below(80))}`;
  const made: string[] = [];
  for (let i = 0; i < count; i++) {
    const again = random.below(12) === 0 ? made[random.below(i)] : undefined;
    made.push(again ?? Array.from({ length: random.below(25) }, word).join(" "));
  }
  return made;
}

const once = <T>(_key: string, build: () => Promise<T>): Promise<T> => build();

const kitOf = (seed: string) => ({ ...retrieverKit(), random: seeded(seed) });

const growingRetrievers: readonly Retriever[] = retrievers.all.filter(({ name }) => name !== "bm25-wink");

describe.each(growingRetrievers)("documents added to $name", (retriever) => {
  it.each(["dated", "undated", "partly dated"])(
    "rank, to the last bit, as if all had been indexed at once (%s)",
    async (dates) => {
      for (const first of [0, 7, 19]) {
        const random = seeded(`growing ${retriever.name} ${dates} ${first}`);
        const documents: RetrieverDocument[] = texts(random, 26).map((text, i) => {
          const isDated = dates === "dated" || (dates === "partly dated" && i !== 17);
          return isDated ? { text, date: `20${10 + random.below(9)}-0${1 + random.below(9)}` } : { text };
        });
        const grown = await retriever.index(documents.slice(0, first), kitOf("first"));
        for (let size = first; size < documents.length; size++) {
          const kit = kitOf(`step ${size}`);
          await grown.add?.(documents[size]!, kit);
          const rebuilt = await retriever.index(documents.slice(0, size + 1), kit);
          for (const query of ["the w0", texts(random, 1)[0]!])
            for (const k of [3, size + 1]) expect(await grown(query, k)).toEqual(await rebuilt(query, k));
        }
      }
    },
  );

  it("are read once each", async () => {
    const reads = new Array<number>(30).fill(0);
    const documents = texts(seeded("reads"), reads.length).map((text, i) => ({
      date: "2020-01-01",
      get text() {
        reads[i]!++;
        return text;
      },
    }));
    const embedded: string[] = [];
    const embed = (asked: readonly string[]) => {
      embedded.push(...asked);
      return hashed1.embed(asked);
    };
    const kit = { ...kitOf("reads"), embedder: { ...hashed1, embed } };
    const grown = await appendableSearch(retriever, documents.slice(0, 10), (document) => document, kit);
    for (const document of documents.slice(10)) {
      await grown("w1", 3);
      await grown.add(document, kit);
    }
    expect(Math.max(...reads)).toBeLessThanOrEqual(1);
    expect(embedded.filter((text) => text !== "w1").length).toBeLessThanOrEqual(documents.length);
  });
});

describe.each([
  ["tfidf", 30],
  ["tfidf", 0],
  ["dense", 30],
] as const)("a user's own events in the graph (%s, %i events of others)", (weighting, count) => {
  it.each([1, 2, 3])("learned one by one, rank to the last bit as if opened over all of them (%i)", async (seed) => {
    const random = seeded(`own events ${weighting} ${count} ${seed}`);
    const event = (text: string, place: number): Event => ({
      id: `${place}`,
      fields: { id: `${place}` },
      content: text,
      document: text,
    });
    const others = texts(random, count).map((text, place) => ({ owner: "o", event: event(text, place) }));
    const events = texts(random, 24).map((text, place) => event(`${text} mine${place % 5}`, place));
    const opening = { embedder: hashed1, tfIdf: { stopWords: englishStopWords }, shared: once };
    const { own } = await similarities[weighting](others, opening);
    const grown = await own(events.slice(0, 3 * seed));
    for (let size = 3 * seed; size < events.length; size++) {
      await grown.add(events[size]!);
      const rebuilt = await own(events.slice(0, size + 1));
      for (const query of [events[size]!.content, "the w0 w3"])
        for (const above of [-1, 0.1]) expect(await grown(query, 6, above)).toEqual(await rebuilt(query, 6, above));
    }
  });
});

describe("a search that grows", () => {
  const letters = (name: string, index: Retriever["index"]): Retriever => ({ name, summary: "", source: "", index });
  const open = (retriever: Retriever, items: readonly string[]) =>
    appendableSearch(retriever, items, (text) => ({ text }), retrieverKit());

  it("builds the index again where the retriever cannot add, and asks it nothing about nothing", async () => {
    const built: string[] = [];
    const rebuilding = letters("rebuilding", async (documents) => {
      built.push(documents.map(({ text }) => text).join(""));
      return async () => [{ index: documents.length - 1, score: documents.length }];
    });
    const search = await open(rebuilding, []);
    expect(await search("x", 3)).toEqual([]);
    for (const item of ["a", "b"]) await search.add(item, retrieverKit());
    expect(built).toEqual(["a", "ab"]);
    expect(await search("x", 3)).toEqual([{ item: "b", score: 2 }]);
  });

  it("finds what could not be added once something later was", async () => {
    const held: string[] = [];
    let broken = true;
    const failing = letters("failing", async (documents) => {
      held.push(...documents.map(({ text }) => text));
      const search: Search = async () => held.map((_, index) => ({ index, score: 1 }));
      search.add = async ({ text }) => {
        if (broken) throw new Error("no embedder");
        held.push(text);
      };
      return search;
    });
    const search = await open(failing, ["a"]);
    await expect(search.add("b", retrieverKit())).rejects.toThrow("no embedder");
    expect((await search("x", 9)).map(({ item }) => item)).toEqual(["a"]);
    broken = false;
    await search.add("c", retrieverKit());
    expect((await search("x", 9)).map(({ item }) => item)).toEqual(["a", "b", "c"]);
  });
});

describe("one user's TF-IDF index", () => {
  const settings = [{}, { stopWords: englishStopWords }, { stopWords: englishStopWords, maxFeatures: 9 }];

  it.each(settings)("weighing words as others' documents do, ranks as those weights say", (setting) => {
    const random = seeded("others' words");
    const pool = poolIndex(
      texts(random, 30).map((text) => ({ owner: "o", text })),
      setting,
    );
    const all = texts(random, 40).map((text, i) => `${text} mine${i % 7}`);
    const grown = tfIdfIndexWithIdf(pool);
    for (const [place, text] of all.entries()) {
      grown.add(text);
      const scores = weighedBy(pool, all.slice(0, place + 1));
      for (const query of [text, `${texts(random, 1)[0]!} mine3 nobody's`])
        for (const above of [0, 0.2]) {
          const hits = grown.top(query, 5, above);
          const expected = scores(query);
          const best = expected.filter((score) => score > above + 1e-12).sort((a, b) => b - a);
          expect(hits).toHaveLength(Math.min(5, best.length));
          for (const [rank, { index, score }] of hits.entries()) {
            expect(score).toBeCloseTo(best[rank]!, 12);
            expect(score).toBeCloseTo(expected[index]!, 12);
          }
        }
    }
  });
});

/** Brute force over `documents` with another's idf; unmet words count as df = 0 unless the vocabulary is limited. */
function weighedBy({ settings, size, idfOf }: PoolIndex, documents: readonly string[]) {
  const unmet = settings.maxFeatures === undefined ? smoothIdf(size, 0) : 0;
  const known = new Set(documents.flatMap(termTokens(settings.stopWords)));
  const vectorOf = (text: string, isQuery: boolean): Map<string, number> => {
    const vector = new Map<string, number>();
    for (const token of termTokens(settings.stopWords)(text)) {
      const idf = idfOf(token) ?? (isQuery && !known.has(token) ? 0 : unmet);
      vector.set(token, (vector.get(token) ?? 0) + idf);
    }
    const length = Math.hypot(...vector.values());
    return new Map([...vector].map(([token, weight]) => [token, length === 0 ? 0 : weight / length]));
  };
  const vectors = documents.map((text) => vectorOf(text, false));
  return (query: string): readonly number[] => {
    const asked = [...vectorOf(query, true)];
    return vectors.map((vector) => asked.reduce((sum, [token, weight]) => sum + weight * (vector.get(token) ?? 0), 0));
  };
}
