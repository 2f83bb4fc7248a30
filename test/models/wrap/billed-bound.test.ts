import { describe, expect, it } from "vitest";
import { BilledBound } from "../../../src/models/wrap/billed-bound.js";

describe("the most that a call may cost where only bills are known", () => {
  it("is unknown before the first bill", () => {
    const bound = new BilledBound();
    bound.hear({ in: 10, out: 10 });
    expect(bound.most(1, 1)).toBeUndefined();
  });

  it("is the cheapest bill so far, taken once as if for the prompt alone and once for the reply alone", () => {
    const bound = new BilledBound();
    bound.hear({ in: 10, out: 4, billedUsd: 2 });
    expect(bound.most(100, 8)).toBe(100 * 0.2 + 8 * 0.5);
    bound.hear({ in: 100, out: 1, billedUsd: 3 });
    expect(bound.most(100, 8)).toBe(100 * 0.03 + 8 * 0.5);
    bound.hear({ in: 1, out: 30, billedUsd: 3 });
    expect(bound.most(100, 8)).toBeCloseTo(100 * 0.03 + 8 * 0.1, 12);
  });

  it("stays where a reply tells no bill, or costs nothing and counts nothing", () => {
    const bound = new BilledBound();
    bound.hear({ in: 10, out: 4, billedUsd: 2 });
    bound.hear({ in: 10, out: 4 });
    bound.hear({ in: 0, out: 4, billedUsd: 2 });
    bound.hear({ in: 10, out: 0, billedUsd: 2 });
    bound.hear({ in: 0, out: 0, billedUsd: 0 });
    expect(bound.most(100, 8)).toBe(24);
  });
});
