import { describe, expect, test } from "vitest";
import { readBinary, userHash } from "../../src/selectors/rums/classifier-file.js";
import { rumsBinary } from "../../src/selectors/rums/classifiers.js";

const seven = [1, 2, 3, 4, 5, 6, 7];
const file = {
  kind: "rums-binary",
  features: ["cosine", "bm25", "recency", "length", "label-share", "label-prior", "same-words", "product-1"],
  priors: { x: 0.5 },
  projection: { mean: [0, 0], components: [[1, 0]] },
  means: [...seven, 8],
  deviations: [...seven, 8],
  bias: 0,
  weights: [...seven, 8],
  cutoff: 0.5,
  trainedOn: { task: "lamp2m", embedder: "e", pairs: 1, chosen: 1, f1: 1, users: [] },
};

describe("a trained classifier's file", () => {
  test("is read as it was written", () => {
    expect(readBinary(JSON.stringify(file), "f.json")).toEqual(file);
  });

  test.each<[string, object, string]>([
    ["with features that this version does not know", { features: ["cosine"] }, "features: expected cosine, bm25"],
    [
      "with as many components as it has no features",
      { projection: { mean: [0], components: [[1], [1]] } },
      "product-2",
    ],
    ["with too few weights", { weights: seven }, "weights: not one for each feature"],
    ["with a deviation of nothing", { deviations: [...seven, 0] }, "deviations.7"],
    [
      "with a component of another length",
      { projection: { mean: [0, 0], components: [[1]] } },
      "projection: components",
    ],
  ])("is refused by name %s", (_what, change, message) => {
    const read = () => readBinary(JSON.stringify({ ...file, ...change }), "f.json");
    expect(read).toThrow("f.json: not a file of lamp-eval rums train: ");
    expect(read).toThrow(message);
  });

  test("of another task than the run's is refused by name", () => {
    const check = (task: string) => rumsBinary.checkFile?.(JSON.stringify(file), "f.json", [], task);
    expect(() => check("lamp3")).toThrow(
      "select=rums-binary:f.json: trained on lamp2m, the run is of lamp3; train one on lamp3",
    );
    expect(check("lamp2m")).toBeUndefined();
  });

  test("that is no JSON is refused; users are known by a hash that differs from user to user", () => {
    expect(() => readBinary("{", "f.json")).toThrow(/^f\.json: .*not JSON/);
    expect([userHash("a").length, userHash("a") === userHash("b")]).toEqual([16, false]);
  });
});
