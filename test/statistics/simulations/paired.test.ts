import { describe, expect, it } from "vitest";
import { pairedDifference } from "../../../src/statistics/paired-bootstrap.js";
import { rightOrWrong as metric, moodyUsers } from "./moody-users.js";

describe("the paired difference over users", () => {
  it("covers the true difference in 93 to 97 of 100 samples of users with unequal, dependent answers", () => {
    const samples = 500;
    let covered = 0;
    for (let sample = 0; sample < samples; sample++) {
      const clusters = moodyUsers(`sample ${sample}`, 80, 0.1);
      const { interval } = pairedDifference({ metric, clusters, seed: sample, resamples: 600 })!;
      if (interval.low <= 0.1 && 0.1 <= interval.high) covered += 1;
    }
    expect(covered / samples).toBeGreaterThanOrEqual(0.93);
    expect(covered / samples).toBeLessThanOrEqual(0.97);
  });

  it("raises a false alarm in about 5 of 100 samples without a difference", () => {
    const samples = 500;
    let alarms = 0;
    for (let sample = 0; sample < samples; sample++) {
      const clusters = moodyUsers(`null ${sample}`, 80, 0);
      if (pairedDifference({ metric, clusters, seed: sample, resamples: 600 })!.p < 0.05) alarms += 1;
    }
    expect(alarms / samples).toBeGreaterThan(0.025);
    expect(alarms / samples).toBeLessThan(0.075);
  });
});
