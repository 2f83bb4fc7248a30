import { describe, expect, it } from "vitest";
import { tfIdf } from "../../src/retrievers/tf-idf.js";
import { type TfIdfSettings, tfIdfIndex } from "../../src/retrievers/tf-idf-index.js";
import { englishStopWords } from "../../src/text/tokens.js";
import { ranked } from "./retriever-kit.js";

const documents = ["The keeper's café, the KEEPER", "a b c", "garden gate garden", "naïve gate_2 the", "日本語 garden"];
const query = "the garden gate keeper the";

/** Expected values were computed with scikit-learn 1.6.1 (`TfidfVectorizer`, `cosine_similarity`) and numpy 1.24.4. */
describe("similarities", () => {
  it("equals scikit-learn's defaults", () => {
    const index = indexOf(documents);
    close(
      index.similarities(query),
      [0.728321550369657, 0, 0.5289717364646589, 0.3488092436508655, 0.22100061424614506],
    );
  });

  it("equals scikit-learn with English stop words left out", () => {
    const index = indexOf(documents, { stopWords: englishStopWords });
    close(index.similarities(query), [0.5493473119090039, 0, 0.744737973781668, 0, 0.3111462074669359]);
  });

  it("equals scikit-learn with only the three most frequent terms", () => {
    const index = indexOf(documents, { maxFeatures: 3 });
    close(
      index.similarities(query),
      [0.8685259265223124, 0, 0.39114171229945355, 0.7822834245989071, 0.39114171229945355],
    );
  });

  it("gives 0, never NaN, where a query or the whole corpus has no known term", () => {
    expect([...indexOf(documents).similarities("? x")]).toEqual([0, 0, 0, 0, 0]);
    expect([...indexOf(["", "a"]).similarities(query)]).toEqual([0, 0]);
  });
});

it("ranks by similarity, case-insensitively", async () => {
  expect(await ranked(tfIdf, documents, "GARDEN gate", 2)).toEqual([2, 4]);
});

function close(actual: Float64Array, expected: readonly number[]): void {
  expect(actual.length).toBe(expected.length);
  for (const [i, value] of expected.entries()) expect(actual[i]).toBeCloseTo(value, 12);
}

function indexOf(texts: readonly string[], settings: TfIdfSettings = {}) {
  const index = tfIdfIndex(settings);
  for (const text of texts) index.add(text);
  return index;
}
