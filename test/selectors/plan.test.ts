import { describe, expect, test } from "vitest";
import { rums } from "../../src/methods/rums.js";
import { selectors } from "../../src/selectors/index.js";
import type { RumsOptions } from "../../src/selectors/rums/options.js";
import { probeCalls, rumsCalls } from "../../src/selectors/rums/rums.js";
import { knobs } from "../methods/workflow-fixtures.js";

const calls = (given: Record<string, string | number>) => rumsCalls(knobs(rums, given) as RumsOptions);
/** One call an estimate. */
const single = { "rums.entropy": "token", "rums.samples": 1 };

describe("calls of a selection (METHODS 0.4)", () => {
  test.each([
    ["greedy over 10, at most 4: 10 + 9 + 8 + 7", {}, 35],
    ["no more rounds than candidates", { "rums.filterItems": 2 }, 4],
    ["singletons", { "rums.search": "singletons" }, 11],
    [
      "all subsets of at most 3 of 5: 5 + 10 + 10",
      { "rums.search": "exhaustive", "rums.filterItems": 5, "rums.maxItems": 3 },
      26,
    ],
    ["subsets that a model names", { "rums.search": "llm" }, 11],
  ])("%s, and the plain prompt", (_name, given, estimates) => {
    expect(calls({ ...single, ...given })["select@reference"]).toEqual({ low: 0, high: estimates });
  });

  test("an estimate costs a call and its expansions, N continuations, or N answers; auto the dearest of them", () => {
    const one = { "rums.search": "singletons", "rums.filterItems": 1 };
    const high = (given: Record<string, string | number>) => calls({ ...one, ...given })["select@reference"]!.high / 2;
    expect(high({ "rums.entropy": "label" })).toBe(5);
    expect(high({ "rums.entropy": "token", "rums.samples": 7 })).toBe(7);
    expect(high({ "rums.entropy": "sample" })).toBe(20);
    expect(high({ "rums.samples": 7 })).toBe(20);
    expect(high({ "rums.samples": 30 })).toBe(30);
  });

  test("a model that filters or names subsets is asked once or twice each; else there is no such call", () => {
    expect(calls(single).select).toBeUndefined();
    expect(calls({ ...single, "rums.filter": "llm" }).select).toEqual({ low: 0, high: 2 });
    expect(calls({ ...single, "rums.search": "llm" }).select).toEqual({ low: 0, high: 2 });
    expect(calls({ ...single, "rums.filter": "llm", "rums.search": "llm" }).select).toEqual({ low: 0, high: 4 });
  });

  test("the probe is one call of an arm, none where answers are counted", () => {
    expect(probeCalls(knobs(rums, {}) as RumsOptions)).toEqual({ "select@reference": { low: 0, high: 1 } });
    expect(probeCalls(knobs(rums, { "rums.entropy": "sample" }) as RumsOptions)).toEqual({});
  });
});

test("the summary of each selector stands by itself: lists are in the order of names", () => {
  expect(selectors.all.filter(({ summary }) => /^the same\b/.test(summary)).map(({ name }) => name)).toEqual([]);
});
