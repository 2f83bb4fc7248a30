import { expect, test } from "vitest";
import { coverageOf } from "../../../scripts/bench/simulation/coverage.js";

const shorter = { resamples: 300, truthUsers: 8000 };

// A small part of `npm run bench -- coverage`, seeded: the rates are the same at every run.
test.each([
  { users: 30, questions: [5, 5] as const, likeness: 0.2, chance: 0.5 },
  { users: 30, questions: [1, 30] as const, likeness: 0.2, chance: 0.8 },
  { users: 100, questions: [1, 30] as const, likeness: 0.5, chance: 0.5 },
])(
  "95 % intervals hold the truth in 93 to 97 of 100 samples: $users users, $questions questions, likeness $likeness",
  (population) => {
    const samples = 400;
    const error = 2 * Math.sqrt((0.95 * 0.05) / samples);
    for (const { metric, covered } of coverageOf(population, samples, "test", shorter)) {
      expect(covered, metric).toBeGreaterThanOrEqual(0.93 - error);
      expect(covered, metric).toBeLessThanOrEqual(0.97 + error);
    }
  },
);

test("the simulation can fail: answers of one user that are nearly all right leave few users to learn from", () => {
  const [accuracy] = coverageOf({ users: 12, questions: [1, 30], likeness: 0.5, chance: 0.95 }, 100, "test", shorter);
  expect(accuracy!.covered).toBeLessThan(0.9);
});
