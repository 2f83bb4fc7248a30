import { describe, expect, test } from "vitest";
import { greedy, scoreSubsets, subsetsOf, type Utility } from "../../src/selectors/rums/search.js";

/** Each item adds its own value: a modular utility. */
const modular =
  (values: readonly number[]): Utility =>
  async (subset) =>
    subset.reduce((sum, at) => sum + values[at]!, 0);

describe("searches", () => {
  test("greedy finds what trying all subsets finds where the utility is modular", async () => {
    for (const values of [
      [0.1, -0.2, 0.5, 0.3],
      [-1, -0.5],
      [0.4, 0.4, 0.4],
      [0.2, 0, 0.1],
    ]) {
      const [one, all] = [
        await greedy(values.length, modular(values), 3),
        await scoreSubsets(subsetsOf(values.length, 3), modular(values)),
      ];
      expect(one.best?.utility).toBeCloseTo(all.best!.utility, 12);
    }
  });

  test("greedy keeps what it has where one more adds nothing or takes away, and tells its items in their order", async () => {
    expect((await greedy(2, modular([0.5, 0]), 2)).best).toEqual({ items: [0], utility: 0.5 });
    expect((await greedy(2, modular([1, -0.5]), 2)).best).toEqual({ items: [0], utility: 1 });
    const values = [0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.3];
    expect((await greedy(11, modular(values), 3)).best?.items).toEqual([0, 10]);
  });

  test("subsets that could not be measured are left out; of equals the earlier and smaller stays", async () => {
    const utility: Utility = async (subset) => (subset.includes(0) ? undefined : 1);
    const found = await scoreSubsets(subsetsOf(3, 1), utility);
    expect(found).toEqual({
      scored: [
        { items: [1], utility: 1 },
        { items: [2], utility: 1 },
      ],
      best: { items: [1], utility: 1 },
    });
    expect(await scoreSubsets([[0]], utility)).toEqual({ scored: [], best: undefined });
    expect(await greedy(0, utility, 3)).toEqual({ scored: [], best: undefined });
  });
});
