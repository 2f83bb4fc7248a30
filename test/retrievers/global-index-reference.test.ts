import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type PoolIndex,
  poolIndex,
  type TfIdfSettings,
  tfIdfIndex,
  tfIdfIndexWithIdf,
} from "../../src/retrievers/tf-idf-index.js";
import { englishStopWords } from "../../src/text/tokens.js";

interface ReferenceCase {
  readonly name: string;
  readonly maxFeatures: number | null;
  readonly stopWords: "english" | null;
  readonly documents: readonly string[];
  readonly queries: readonly string[];
  readonly terms: number;
  readonly idf?: Readonly<Record<string, number>>;
  readonly vocabulary?: readonly string[];
  readonly similarities?: readonly (readonly number[])[];
  readonly best?: readonly (readonly (readonly [index: number, score: number])[])[];
  readonly added?: readonly string[];
  readonly addedSimilarities?: readonly (readonly number[])[];
}

const path = new URL("../fixtures/reference/tf-idf.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: readonly ReferenceCase[] };

const settingsOf = ({ maxFeatures, stopWords }: ReferenceCase): TfIdfSettings => ({
  ...(maxFeatures === null ? {} : { maxFeatures }),
  ...(stopWords === null ? {} : { stopWords: englishStopWords }),
});

const documentsOf = (texts: readonly string[]) => texts.map((text) => ({ owner: "someone", text }));

/** Expected values: scripts/reference/make_reference.py. */
describe("TF-IDF as scikit-learn computes it", () => {
  it.each(cases)("keeps the same terms, $name", (reference) => {
    const vocabulary = reference.vocabulary ?? Object.keys(reference.idf ?? {}).sort();
    expect(vocabulary).toHaveLength(reference.terms);
    expect(vocabulary.filter((term) => !indexOf(reference).idfOf(term))).toEqual([]);
  });

  it.each(cases.filter(({ idf }) => idf))("weighs every term alike, $name", (reference) => {
    const { idfOf } = indexOf(reference);
    const expected = Object.values(reference.idf!);
    const names = Object.keys(reference.idf!);
    close(
      names.map((term) => idfOf(term)!),
      expected,
    );
  });

  it.each(cases.filter(({ similarities }) => similarities))(
    "gives every document its similarity, $name",
    (reference) => {
      const [index, own] = [indexOf(reference), perUser(reference)];
      for (const [i, query] of reference.queries.entries()) {
        close(similarities(index, query), reference.similarities![i]!);
        close([...own.similarities(query)], reference.similarities![i]!);
      }
    },
  );

  it.each(cases.filter(({ best }) => best))("finds the best documents in the same order, $name", (reference) => {
    const index = indexOf(reference);
    for (const [i, query] of reference.queries.entries()) {
      const expected = reference.best![i]!;
      const hits = index.top(query, expected.length);
      expect(hits.map((hit) => hit.index)).toEqual(expected.map(([number]) => number));
      close(
        hits.map(({ score }) => score),
        expected.map(([, score]) => score),
      );
    }
  });

  // Without a limit, growingIndexBy counts unmet words as df = 0, which `transform` drops.
  it.each(cases.filter(({ added, maxFeatures }) => added && maxFeatures !== null))(
    "weighs added documents as `transform` does, $name",
    (reference) => {
      const added = tfIdfIndexWithIdf(indexOf(reference));
      for (const text of reference.added!) added.add(text);
      for (const [i, query] of reference.queries.entries()) {
        const byDocument = reference.added!.map(() => 0);
        for (const { index, score } of added.top(query, byDocument.length, 0)) byDocument[index] = score;
        close(byDocument, reference.addedSimilarities![i]!);
      }
    },
  );
});

function perUser(reference: ReferenceCase) {
  const index = tfIdfIndex(settingsOf(reference));
  for (const text of reference.documents) index.add(text);
  return index;
}

const indexOf = (reference: ReferenceCase) => poolIndex(documentsOf(reference.documents), settingsOf(reference));

function similarities(index: PoolIndex, query: string): number[] {
  const byDocument = new Array<number>(index.size).fill(0);
  for (const hit of index.top(query, index.size)) byDocument[hit.index] = hit.score;
  return byDocument;
}

function close(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length);
  for (const [i, value] of expected.entries()) expect(Math.abs(actual[i]! - value)).toBeLessThan(1e-12);
}
