import { describe, expect, test } from "vitest";
import { gateRates, lossFor, marginFor } from "../../../scripts/bench/simulation/gate.js";

// A small part of `npm run bench -- gate`, seeded: the rates are the same at every run.
const SAMPLES = 400;
const plan = {
  population: { users: 60, questions: [1, 8] as const, chance: 0.7, likeness: 0.2 },
  repeated: 0.6,
  alpha: 0.05,
  tasks: 1,
};
const margin = marginFor(plan, 0.8, 1000);
const rates = (more: { loss: number; tasks?: number }) => gateRates({ ...plan, margin, ...more }, SAMPLES, "test", 300);
const errorOf = (share: number) => 3 * Math.sqrt((share * (1 - share)) / SAMPLES);

describe("over many simulated runs", () => {
  test("an unchanged candidate passes with the stated power and is not called a regression", () => {
    const { pass, regress } = rates({ loss: 0 });
    expect(Math.abs(pass - 0.8)).toBeLessThan(errorOf(0.8));
    expect(regress).toBeLessThanOrEqual(0.05);
  });

  test("a candidate that is worse by just the margin passes, and regresses, in about alpha of the cases", () => {
    const { pass, regress } = rates({ loss: margin });
    expect(pass).toBeLessThan(0.05 + errorOf(0.05));
    expect(regress).toBeLessThan(0.05 + errorOf(0.05));
    expect(pass).toBeGreaterThan(0.01);
  });

  test("a planted loss of known size is shown with the stated power, and never passes", () => {
    const { pass, regress } = rates({ loss: lossFor({ ...plan, margin }, 0.8, 1000) });
    expect(Math.abs(regress - 0.8)).toBeLessThan(errorOf(0.8));
    expect(pass).toBeLessThan(0.01);
  });

  test("a candidate that mostly repeats its answers and is worse by the margin passes in no more cases", () => {
    const still = { ...plan, population: { users: 100, questions: [1, 1] as const, chance: 0.6, likeness: 0.2 } };
    for (const repeated of [0.98, 1]) {
      const { pass } = gateRates({ ...still, repeated, margin: 0.02, loss: 0.02 }, SAMPLES, "still", 300);
      expect(pass).toBeLessThan(0.05 + errorOf(0.05));
    }
  });

  test("several tasks gated together raise no more false alarms than one", () => {
    const { regress } = rates({ loss: margin, tasks: 3 });
    expect(regress).toBeLessThan(0.05 + errorOf(0.05));
  });
});
