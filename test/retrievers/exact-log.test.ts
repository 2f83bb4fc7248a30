import { expect, it } from "vitest";
import { exactLog } from "../../src/retrievers/bm25.js";

it("rounds ln correctly where V8's Math.log is off in the last place", () => {
  // Expected: 60-digit decimal logarithms rounded to double.
  const expected: [number, number][] = [
    [23.5, 3.1570004211501135],
    [41.5, 3.7256934272366524],
    [107.5, 4.677490847567717],
    [0.5, -Math.LN2],
    [1498.5, 7.312219886756718],
    [86420.5, 11.366980195166942],
    [1e300, 690.7755278982137],
    [1e-300, -690.7755278982137],
    [1, 0],
  ];
  for (const [x, ln] of expected) expect(exactLog(x)).toBe(ln);
});
