import { describe, expect, test } from "vitest";
import { entropy, ofTail, sampledEntropy, sequenceEntropy, tokenEntropy } from "../../src/selectors/rums/entropy.js";
import type { TokenLogprob } from "../../src/types/index.js";

const told = (shares: readonly number[]): TokenLogprob => {
  const top = shares.map((share, at) => ({ token: `t${at}`, logprob: Math.log(share) }));
  return { token: "t0", logprob: top[0]!.logprob, top };
};
const exact = { tail: "one", vocabulary: 100, temperature: 1 } as const;

describe("entropy against closed forms", () => {
  test("uniform over n is ln n; certainty is 0; a share of 0 adds nothing", () => {
    expect(entropy([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(Math.log(4), 12);
    expect(entropy([1, 0, 0])).toBe(0);
  });

  test("of the likeliest 20 of a uniform 100 the bracket holds ln 100, its upper end exactly", () => {
    const { lower, upper, rest } = tokenEntropy(new Array<number>(20).fill(Math.log(0.01)), 100);
    expect(rest).toBeCloseTo(0.8, 12);
    expect(lower).toBeLessThan(Math.log(100));
    expect(upper).toBeCloseTo(Math.log(100), 12);
    expect(lower).toBeCloseTo(-20 * 0.01 * Math.log(0.01) - 0.8 * Math.log(0.8), 12);
  });

  test("told in full, both ends are the entropy itself", () => {
    const { lower, upper, told: alone } = tokenEntropy([0.5, 0.3, 0.2].map(Math.log), 3);
    for (const value of [lower, upper, alone]) expect(value).toBeCloseTo(entropy([0.5, 0.3, 0.2]), 9);
  });

  test("rounded logprobs that pass one are made to sum to one, and -infinity adds nothing", () => {
    expect(tokenEntropy([Math.log(0.7), Math.log(0.4), Number.NEGATIVE_INFINITY], 10)).toMatchObject({ rest: 0 });
  });

  test("a tail rule takes its end of the bracket", () => {
    const bracket = tokenEntropy([Math.log(0.5)], 11);
    expect(ofTail(bracket, "one")).toBeCloseTo(Math.log(2), 12);
    expect(ofTail(bracket, "uniform")).toBeCloseTo(0.5 * Math.log(2) + 0.5 * Math.log(20), 12);
    expect(ofTail(bracket, "drop")).toBe(0);
  });

  test("tempering makes a distribution sharper below 1 and leaves a uniform one as it is", () => {
    const plain = tokenEntropy([0.6, 0.4].map(Math.log), 2).lower;
    expect(tokenEntropy([0.6, 0.4].map(Math.log), 2, 0.5).lower).toBeLessThan(plain);
    expect(tokenEntropy([0.5, 0.5].map(Math.log), 2, 0.5).lower).toBeCloseTo(Math.log(2), 12);
  });
});

describe("entropy of sampled continuations", () => {
  test("is the mean over samples of the mean over their tokens, whatever their lengths", () => {
    const [sure, open] = [told([1]), told([0.5, 0.5])];
    const found = sequenceEntropy(
      [
        [sure, open],
        [open, open, open, open],
      ],
      exact,
    );
    expect(found.entropy).toBeCloseTo((Math.log(2) / 2 + Math.log(2)) / 2, 12);
  });

  test("leaves samples without a token out, and is 0 where all are", () => {
    expect(sequenceEntropy([[], [told([0.5, 0.5])]], exact).entropy).toBeCloseTo(Math.log(2), 12);
    expect(sequenceEntropy([[], []], exact)).toEqual({ entropy: 0, rest: 0 });
  });

  test("by counts has the correction of Miller and Madow; one answer alone has 0", () => {
    expect(sampledEntropy(["a", "a", "b", "b"])).toBeCloseTo(Math.log(2) + 1 / 8, 12);
    expect(sampledEntropy(["a", "a"])).toBe(0);
    expect(sampledEntropy([])).toBe(0);
  });

  test("a told share may be summed to one without being changed by much: .7 and .4 are .7 and .4 of 1.1", () => {
    const { lower, upper } = tokenEntropy([0.7, 0.4].map(Math.log), 10);
    const wanted = entropy([0.7 / 1.1, 0.4 / 1.1]);
    expect([lower, upper]).toEqual([expect.closeTo(wanted, 12), expect.closeTo(wanted, 12)]);
  });

  test("a model that tells no alternative at all has told nothing: 0, and all of it left", () => {
    expect(tokenEntropy([], 10)).toEqual({ lower: 0, upper: expect.closeTo(Math.log(10), 12), told: 0, rest: 1 });
    expect(tokenEntropy([Number.NEGATIVE_INFINITY], 10, 0.5)).toMatchObject({ told: 0 });
  });

  test("tempering takes the untold rest along as one token", () => {
    const half = tokenEntropy([Math.log(0.6)], 2, 0.5);
    const [told, rest] = [0.36 / 0.52, 0.16 / 0.52];
    expect(half.rest).toBeCloseTo(rest, 12);
    expect(half.lower).toBeCloseTo(entropy([told, rest]), 12);
  });

  test("the mean share that was not told is over tokens, then over samples", () => {
    const [half, full] = [told([0.5]), told([1])];
    expect(sequenceEntropy([[half, full], [half]], exact)).toEqual({
      entropy: expect.closeTo((-0.5 * Math.log(0.5) * 2 * 1.5) / 2, 12),
      rest: expect.closeTo(0.375, 12),
    });
  });
});
