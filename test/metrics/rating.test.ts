import { describe, expect, it } from "vitest";
import { ScoreError } from "../../src/errors.js";
import { mae } from "../../src/metrics/mae.js";
import { mapRating } from "../../src/metrics/rating.js";
import { rmse } from "../../src/metrics/rmse.js";
import { scoreAll } from "../../src/metrics/score-all.js";

const pair = (prediction: string, gold: string) => ({ prediction, gold });

describe("rating metrics", () => {
  it("send an unreadable answer to the end farther from its gold, 5 where both are equally far", () => {
    expect(["1", "2", "3", "4", "5"].map((gold) => mapRating("great", gold))).toEqual([5, 5, 5, 1, 1]);
  });

  it("average errors and squared errors", () => {
    const pairs = [pair("4", "5"), pair("2", "5")];
    expect(scoreAll(mae, pairs)).toBe(2);
    expect(scoreAll(rmse, pairs)).toBe(Math.sqrt((1 + 9) / 2));
  });

  it("see values as float32", () => {
    expect(scoreAll(mae, [pair("3.3", "3")])).toBe(Math.fround(3.3) - 3);
    expect(scoreAll(mae, [pair("3", "3.3")])).toBe(Math.fround(3.3) - 3);
    expect(scoreAll(mae, [pair("3.3", "3.3")])).toBe(0);
  });

  it.each(["nan", "-inf", "Infinity", "1e39", "1e400"])(
    "stop on %s, where the official scorer crashes",
    (prediction) => {
      expect(() => scoreAll(mae, [pair(prediction, "3")])).toThrow(ScoreError);
      expect(() => scoreAll(rmse, [pair(prediction, "3")])).toThrow(ScoreError);
    },
  );

  it("stop on a gold that is no number", () => {
    expect(() => scoreAll(mae, [pair("3", "good")])).toThrow('gold "good" is not a number');
    expect(() => scoreAll(mae, [pair("bad", "good")])).toThrow(ScoreError);
    for (const gold of ["nan", "inf"]) expect(() => scoreAll(mae, [pair("3", gold)])).toThrow("not a finite number");
  });
});
