import { describe, expect, test } from "vitest";
import { entropy, sampledEntropy, sequenceEntropy, tokenEntropy } from "../../src/selectors/rums/entropy.js";
import type { TokenLogprob } from "../../src/types/index.js";

const told = (shares: readonly number[]): TokenLogprob => {
  const top = shares.map((share, at) => ({ token: `t${at}`, logprob: Math.log(share) }));
  return { token: "t0", logprob: top[0]!.logprob, top };
};

describe("entropy against closed forms", () => {
  test("uniform over n is ln n; certainty is 0; a share of 0 adds nothing", () => {
    expect(entropy([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(Math.log(4), 12);
    expect(entropy([1, 0, 0])).toBe(0);
  });

  test("of the likeliest 20 of a uniform 100 the unseen is one token", () => {
    const { entropy: lower, unseen } = tokenEntropy(new Array<number>(20).fill(Math.log(0.01)));
    expect(unseen).toBeCloseTo(0.8, 12);
    expect(lower).toBeCloseTo(-20 * 0.01 * Math.log(0.01) - 0.8 * Math.log(0.8), 12);
  });

  test("rounded logprobs that pass one are made to sum to one, and -infinity adds nothing", () => {
    expect(tokenEntropy([Math.log(0.7), Math.log(0.4), Number.NEGATIVE_INFINITY])).toMatchObject({ unseen: 0 });
  });
});

describe("entropy of sampled continuations", () => {
  test("is the mean over samples of the mean over their tokens, whatever their lengths", () => {
    const [sure, open] = [told([1]), told([0.5, 0.5])];
    const found = sequenceEntropy([
      [sure, open],
      [open, open, open, open],
    ]);
    expect(found.entropy).toBeCloseTo((Math.log(2) / 2 + Math.log(2)) / 2, 12);
  });

  test("by counts has the correction of Miller and Madow; one answer alone has 0", () => {
    expect(sampledEntropy(["a", "a", "b", "b"])).toBeCloseTo(Math.log(2) + 1 / 8, 12);
    expect(sampledEntropy(["a", "a"])).toBe(0);
    expect(sampledEntropy([])).toBe(0);
  });

  test("the mean share that was not told is over tokens, then over samples", () => {
    const [half, full] = [told([0.5]), told([1])];
    expect(sequenceEntropy([[half, full], [half]])).toEqual({
      entropy: expect.closeTo((-0.5 * Math.log(0.5) * 2 * 1.5) / 2, 12),
      unseen: expect.closeTo(0.375, 12),
    });
  });
});
