import { describe, expect, it } from "vitest";
import { metrics } from "../../src/metrics/index.js";
import { match } from "../../src/metrics/match.js";
import { mention } from "../../src/metrics/mention.js";
import { scoreAll } from "../../src/metrics/score-all.js";
import type { Metric } from "../../src/types/index.js";

const of = (metric: Metric, prediction: string, gold: string): number => scoreAll(metric, [{ prediction, gold }]);

describe("an exact match", () => {
  it.each([
    ["Blue", "blue", 1],
    [" blue\n", "BLUE  ", 1],
    ["light blue", "blue", 0],
    ["light  blue", "light blue", 0],
  ])("of %j for %j counts %d: case and outer blanks apart, letter by letter", (prediction, gold, expected) => {
    expect(of(match, prediction, gold)).toBe(expected);
  });
});

describe("a mention", () => {
  it.each([
    ["I would say: light blue!", "Light  blue", 1],
    ["blue", "blue", 1],
    ["blue, I think", "blue", 1],
    ["bluebell", "blue", 0],
    ["a skyblue", "blue", 0],
    ["blue and light", "light blue", 0],
    ["übel 7b", "Übel", 1],
    ["anything", "?!", 0],
    ["...", "?!", 0],
    ["strasse", "straße", 0],
  ])("in %j of %j counts %d: the whole words of the gold, in their order", (prediction, gold, expected) => {
    expect(of(mention, prediction, gold)).toBe(expected);
  });
});

it("a run can add the metrics that need no list of labels", () => {
  expect(metrics.names).toEqual(["mae", "rmse", "rouge-1", "rouge-2", "rouge-l"]);
});
