import { expect, test } from "vitest";
import { macroF1 } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { claimPs } from "../../../src/report/gate/claims.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import { pairedLoss } from "../../../src/report/gate/paired-loss.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import { jackknifeVariance } from "../../../src/statistics/loss.js";
import { studentUpperTail } from "../../../src/statistics/student.js";
import type { Metric } from "../../../src/types/index.js";
import { gatedArm, gatedSide, replies, yesNo } from "../../helpers/gated-arm.js";

// The two limits of "one more right answer never worsens a verdict" (docs/STATISTICS.md, "No jumps"): it is promised of means where the
// run has one repeat, or where the answer becomes right in every repeat. These are the smallest cases outside it; the p's come from the
// functions that gate-reference.test.ts holds to the reference values.
const [ALPHA, WORSE, BETTER] = [0.05, 0, 1];

test("of means one more right answer worsens no verdict, with one repeat or where it becomes right in every repeat", () => {
  const random = seeded("promise");
  const order = ["fail", "unsure", "pass"];
  const hit = () => (random.next() < 0.7 ? 1 : 0);
  let better = 0;
  for (let draw = 0; draw < 300; draw++) {
    const repeats = draw % 2 === 0 ? 1 : 3;
    const questions = Array.from({ length: 12 }, (_, q) => ({
      id: `q${q}`,
      user: `u${q % 6}`,
      baseline: replies(...Array.from({ length: repeats }, hit)),
      candidate: replies(...Array.from({ length: repeats }, () => (q === 0 ? 0 : hit()))),
    }));
    const [first, ...rest] = questions;
    const gained = [{ ...first!, candidate: replies(...new Array<number>(repeats).fill(1)) }, ...rest];
    const margin = 0.1 + 0.6 * random.next();
    const [before, after] = [questions, gained].map((some) => order.indexOf(verdictOf(some, yesNo, margin)));
    expect(after).toBeGreaterThanOrEqual(before!);
    if (after! > before!) better += 1;
  }
  expect(better).toBeGreaterThan(0); // the draws stand near the bounds
});

test("limit: of macro-F1 one more right answer can turn a pass for users into inconclusive", () => {
  // Five users of three questions, two labels of nine and six golds; gold, baseline, run. The fourth user's first answer becomes right.
  const labels = macroF1(["a", "b"]);
  const both = ["bxx", "bxb"].map((first) =>
    letters(["axx aaa aaa", "aaa aaa aaa", "axx axx aaa", `${first} baa bxx`, "bbb bxa bba"]),
  );
  expect(both.map((questions) => verdictOf(questions, labels, 0.515))).toEqual(["pass", "unsure"]);
  const losses = both.map((questions) => pairedLoss(labels, questions, [])!);
  expect(losses[BETTER]!.gain - losses[WORSE]!.gain).toBeCloseTo(0.107, 3);
  const [before, after] = losses.map((loss) => claimPs(loss, 0.515, ALPHA));
  expect([before!.users, after!.users]).toEqual([expect.closeTo(0.048815926, 9), expect.closeTo(0.05289618, 8)]);
  // Student's own p over users, without caps, worsens alike.
  const plain = losses.map(({ gain, overUsers }) =>
    studentUpperTail((gain + 0.515) / Math.sqrt(jackknifeVariance(0, overUsers!.changes)), 4),
  );
  expect([before!.questions < ALPHA, plain[WORSE]! < ALPHA, plain[BETTER]! > ALPHA]).toEqual([true, true, true]);
});

test("documented exception, repeats: one answer in one of three turns a pass into inconclusive, as repeats that differ show shared noise", () => {
  // Five users of one question; the baseline has four right in each repeat. In the run's second repeat, the best one, one more is right.
  const both = ["11101", "11111"].map((second) =>
    [..."11101"].map((hit, u) => ({
      id: `q${u}`,
      user: `u${u}`,
      baseline: replies(Number(hit), Number(hit), Number(hit)),
      candidate: replies(...["00101", second, "01010"].map((repeat) => Number(repeat[u]))),
    })),
  );
  expect(both.map((questions) => verdictOf(questions, yesNo, 0.85))).toEqual(["pass", "unsure"]);
  const [before, after] = both.map((questions) => pairedLoss(yesNo, questions, [])!);
  expect([before!.shock!.sd, after!.shock!.sd]).toEqual([expect.closeTo(2 / 15, 12), expect.closeTo(1 / 5, 12)]);
  expect(claimPs(before!, 0.85, ALPHA).users).toBeCloseTo(0.018128668, 9);
  expect(claimPs(after!, 0.85, ALPHA).users).toBeCloseTo(0.207357122, 9);
});

function verdictOf(questions: readonly PairedQuestion[], metric: Metric, margin: number): string {
  const repeats = questions[0]!.baseline.length;
  const side = { ...gatedSide, repeats };
  const arm = gatedArm(questions, { baseline: side, candidate: side });
  const settings = { claim: "users", alpha: ALPHA, noise: 0.1, margin: () => margin } as const;
  return gateLines([{ arm, metrics: [metric] }], settings)[0]!.verdict;
}

const letters = (users: readonly string[]): PairedQuestion[] =>
  users.flatMap((questions, u) =>
    questions.split(" ").map((text, q) => {
      const [gold = "", before = "", now = ""] = [...text];
      const reply = (prediction: string) => [{ prediction, gold }];
      return { id: `${u}/${q}`, user: `u${u}`, baseline: reply(before), candidate: reply(now) };
    }),
  );
