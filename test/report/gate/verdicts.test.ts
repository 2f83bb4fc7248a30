import { describe, expect, test } from "vitest";
import { seeded } from "../../../src/random/seeded.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import { planOf } from "../../../src/report/gate/planner.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import { gatedArm, gateSettings, replies, yesNo } from "../../helpers/gated-arm.js";

type Random = ReturnType<typeof seeded>;

/** Users of so many questions, two thirds right; each answer of the run is drawn anew with chance `noise`, then lost with chance `loss`. */
const answered = (random: Random, users: number, each: number, noise: number, loss: number): PairedQuestion[] =>
  Array.from({ length: users * each }, (_, q) => {
    const right = random.next() < 2 / 3;
    const again = random.next() < noise ? random.next() < 2 / 3 : right;
    const kept = again && random.next() >= loss * 1.5;
    return { id: `q${q}`, user: `u${q % users}`, baseline: replies(right ? 1 : 0), candidate: replies(kept ? 1 : 0) };
  });

/** `margin`: planned where it is absent. */
const judged = (arms: readonly (readonly PairedQuestion[])[], margin?: number) =>
  gateLines(
    arms.map((questions) => ({ arm: gatedArm(questions), metrics: [yesNo] })),
    { ...gateSettings, claim: "users", margin: () => margin },
  );

describe("the verdict over samples", () => {
  test("of three methods that lost .14 on 24 users is FAIL, though the planned margin is wider", () => {
    // 22 of the users lose one of their seven answers, none gains one.
    const lost = Array.from({ length: 24 * 7 }, (_, q) => {
      const user = q % 24;
      const isLost = q < 24 && user < 22;
      const right = isLost || q % 3 > 0;
      return {
        id: `q${q}`,
        user: `u${user}`,
        baseline: replies(right ? 1 : 0),
        candidate: replies(right && !isLost ? 1 : 0),
      };
    });
    for (const line of judged([lost, lost, lost])) {
      expect(line).toMatchObject({ verdict: "fail", shown: "loss", usersChanged: { worse: 22, better: 0, same: 2 } });
      expect(line.gain).toBeCloseTo(-0.13, 2);
      expect(line.margin).toBeGreaterThan(0.13);
      expect(line.p.worseHolm).toBeLessThan(0.001);
    }
  });

  test("of unchanged runs with other sampling is FAIL in at most alpha, of a loss of .14 mostly", () => {
    const failing = (loss: number) => {
      let fails = 0;
      for (let sample = 0; sample < 200; sample++) {
        const random = seeded(`gate ${loss} ${sample}`);
        const arms = [0, 1, 2].map(() => answered(random, 24, 3, 0.2, loss));
        if (judged(arms, 0.155).some(({ verdict }) => verdict === "fail")) fails += 1;
      }
      return fails / 200;
    };
    expect(failing(0)).toBeLessThanOrEqual(0.05);
    expect(failing(0.14)).toBeGreaterThan(0.8);
  });

  test("is FAIL in about 80 of 100 runs that lose what the baseline is said to detect", () => {
    for (const noise of [0.1, 0.2]) {
      const [plan, samples] = [planOf(yesNo, answered(seeded("plan"), 24, 3, 0, 0), { alpha: 0.05, noise })!, 100];
      let shown = 0;
      for (let sample = 0; sample < samples; sample++) {
        const random = seeded(`detects ${noise} ${sample}`);
        const [line] = judged([answered(random, 24, 3, noise, plan.detects!)], 0.155);
        if (line!.shown !== "none") shown += 1;
      }
      expect(Math.abs(shown / samples - 0.8)).toBeLessThan(0.15);
    }
  });
});
