import { expect, test } from "vitest";
import { pairedAnswers, processes, sampleOf, size } from "../../../scripts/bench/simulation/losses.js";
import { claimPs } from "../../../src/report/gate/claims.js";
import { pairedLoss } from "../../../src/report/gate/paired-loss.js";
import { gateOf, yesNo } from "../../helpers/gated-arm.js";

// A small part of `npm run bench -- claims users`, seeded: the rates are the same at every run.
const SAMPLES = 150;

test.each([processes[0]!, processes[1]!, processes[8]!])(
  "a loss of the margin that sits in a few users passes for users like these in 5 % of samples at most: $name",
  (process) => {
    let passed = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const questions = pairedAnswers(process, size(30, 3), 0.1, sampleOf(process.name, sample));
      if (claimPs(pairedLoss(yesNo, questions, [])!, 0.1, 0.05).users <= 0.05) passed += 1;
    }
    expect(passed / SAMPLES).toBeLessThanOrEqual(0.05 + 3 * Math.sqrt((0.05 * 0.95) / SAMPLES));
  },
);

test("the verdict of a line is what its p's say", () => {
  for (let sample = 0; sample < 20; sample++) {
    const questions = pairedAnswers(processes[2]!, size(40, 3), 0.05, sampleOf("verdict", sample));
    for (const claim of ["set", "users"] as const) {
      const { p, verdict, gain } = gateOf(questions, { claim, margin: () => 0.12 });
      const passes = p.set! <= 0.05 && gain! >= -0.12 && (claim === "set" || p.users! <= 0.05);
      expect(verdict === "pass").toBe(passes);
    }
  }
});
