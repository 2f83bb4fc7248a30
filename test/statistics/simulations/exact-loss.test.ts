import { describe, expect, it } from "vitest";
import { seeded } from "../../../src/random/seeded.js";
import { netLossP } from "../../../src/statistics/exact-loss.js";

describe("the exact test of a net loss", () => {
  it.each([
    { count: 100, gains: 0 },
    { count: 200, gains: 0.01 },
    { count: 300, gains: 0.05 },
  ])("errs in about alpha of samples at most: $count questions, gains on a share of $gains", ({ count, gains }) => {
    const random = seeded(`exact ${count}`);
    const samples = 2000;
    let passed = 0;
    for (let sample = 0; sample < samples; sample++) {
      let [worse, better] = [0, 0];
      for (let question = 0; question < count; question++) {
        const place = random.next();
        if (place < gains) better += 1;
        else if (place < 2 * gains + 0.02) worse += 1;
      }
      if (netLossP({ worse, better, count }, 0.02) <= 0.05) passed += 1;
    }
    expect(passed / samples).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / samples));
  });
});
