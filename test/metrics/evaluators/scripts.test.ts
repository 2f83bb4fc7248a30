import { describe, expect, it } from "vitest";
import { ScoreError } from "../../../src/errors.js";
import { officialRouge, rougeL } from "../../../src/metrics/rouge.js";
import { scoreAll } from "../../../src/metrics/score-all.js";
import { file, score } from "./scored-files.js";

describe.each(["lamp", "oppu"])("the %s script", (evaluator) => {
  it("takes the last of duplicates and scores it once", () => {
    const predictions = file("LaMP_1", [
      ["1", "[2]"],
      ["1", "[1]"],
    ]);
    expect(score(evaluator, "LaMP_1", predictions, file("LaMP_1", [["1", "[1]"]]))).toMatchObject({
      scores: { accuracy: 1, f1: 0.5 },
      count: 1,
    });
  });

  it("compares ids with their type, but not numbers with each other's spelling", () => {
    const golds = (id: unknown) => file("LaMP_3", [[id, "5"]]);
    expect(() => score(evaluator, "LaMP_3", golds(10), golds("10"))).toThrow(ScoreError);
    expect(score(evaluator, "LaMP_3", golds(10), golds(10)).scores).toEqual({ MAE: 0, RMSE: 0 });
  });

  it("takes no alias", () => {
    const answers = file("LaMP-1", [["1", "[1]"]]);
    expect(() => score(evaluator, "LaMP_1", answers, file("LaMP_1", [["1", "[1]"]]))).toThrow("LaMP-1");
    expect(score(evaluator, "LaMP-1", answers, answers).scores).toHaveProperty("rouge-1");
  });

  it("scores names it does not know as ROUGE, names of object members too", () => {
    const answers = file("constructor", [["1", "a b"]]);
    expect(score(evaluator, "constructor", answers, answers).scores).toEqual({ "rouge-1": 1, "rouge-L": 1 });
  });

  it("stops on null texts, empty files, missing fields and golds of another task", () => {
    const text = file("LaMP_4", [["1", "a"]]);
    expect(() => score(evaluator, "LaMP_4", file("LaMP_4", [["1", null]]), text)).toThrow(ScoreError);
    expect(() => score(evaluator, "LaMP_4", file("LaMP_4", []), file("LaMP_4", []))).toThrow(ScoreError);
    expect(() => score(evaluator, "LaMP_4", { golds: [] }, text)).toThrow(ScoreError);
    expect(() => score(evaluator, "LaMP_4", { task: "LaMP_4", golds: [{ id: "1" }] }, text)).toThrow('lacks "id" or');
    expect(() => score(evaluator, "LaMP_4", text, file("LaMP_5", [["1", "a"]]))).toThrow(ScoreError);
  });

  it("knows ids as Python's dictionaries do: 1 and true are one, null is an id, a list is none", () => {
    const golds = (id: unknown) => file("LaMP_3", [[id, "5"]]);
    expect(score(evaluator, "LaMP_3", golds(true), golds(1)).count).toBe(1);
    expect(score(evaluator, "LaMP_3", golds(null), golds(null)).count).toBe(1);
    for (const other of [0, "null", false, "true"])
      expect(() => score(evaluator, "LaMP_3", golds(null), golds(other)), `${other}`).toThrow("1 id of g.json");
    expect(() => score(evaluator, "LaMP_3", golds(["1"]), golds(["1"]))).toThrow('golds[0] lacks "id" or "output"');
  });

  it("reads labels and ratings of any JSON type as Python's str()", () => {
    const labels = (output: unknown) => file("LaMP_1", [["1", output]]);
    expect(score(evaluator, "LaMP_1", labels([1]), labels("[1]")).scores).toMatchObject({ accuracy: 1 });
    const ratings = (output: unknown) => file("LaMP_3", [["1", output]]);
    expect(score(evaluator, "LaMP_3", ratings(4), ratings("5")).scores).toMatchObject({ MAE: 1 });
  });

  it("stops on what is no file of answers, naming it", () => {
    const golds = file("LaMP_1", [["1", "[1]"]]);
    for (const other of [null, "LaMP_1", [golds], { golds: golds.golds }, { task: "LaMP_1", golds: { id: "1" } }])
      expect(() => score(evaluator, "LaMP_1", other, golds)).toThrow('p.json: expected {"task", "golds": [...]}');
  });

  it("counts labels and texts it could not read", () => {
    const unparsed = (task: string, ...outputs: readonly string[]) => {
      const answers = file(
        task,
        outputs.map((output, i) => [String(i), output] as const),
      );
      return score(evaluator, task, answers, answers).unparsed;
    };
    expect(unparsed("LaMP_1", "[1]", " [2]\n", "1")).toBe(1);
    expect(unparsed("LaMP_4", "a", "b", " ")).toBe(0);
  });

  it("gives the mean of ROUGE, and with a seed the official median", () => {
    const outputs = ["a b c d", "a b x", "y", "a", "d c b a"];
    const answers = file(
      "LaMP_4",
      outputs.map((output, i) => [String(i), output] as const),
    );
    const golds = file(
      "LaMP_4",
      outputs.map((_, i) => [String(i), "a b c d"] as const),
    );
    const pairs = outputs.map((prediction) => ({ prediction, gold: "a b c d" }));
    const [mean, median] = [scoreAll(rougeL, pairs), officialRouge(pairs, 9)];
    expect(score(evaluator, "LaMP_4", answers, golds).scores["rouge-L"]).toBe(mean);
    expect(score(evaluator, "LaMP_4", answers, golds, 9).scores).toEqual(median);
    expect(median["rouge-L"]).not.toBe(mean);
  });
});

it("lamp knows LaMP_2 as movies, oppu knows LaMP_2M and LaMP_2N; the other name is ROUGE there", () => {
  const keys = (evaluator: string, task: string) => {
    const answers = file(task, [["1", "comedy"]]);
    return Object.keys(score(evaluator, task, answers, answers).scores);
  };
  expect(keys("lamp", "LaMP_2")).toEqual(["accuracy", "f1"]);
  expect(keys("oppu", "LaMP_2")).toEqual(["rouge-1", "rouge-L"]);
  expect(keys("lamp", "LaMP_2M")).toEqual(["rouge-1", "rouge-L"]);
  expect(keys("oppu", "LaMP_2M")).toEqual(["accuracy", "f1"]);
});
