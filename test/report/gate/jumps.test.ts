import { expect, test } from "vitest";
import { macroF1 } from "../../../src/metrics/index.js";
import { claimPs } from "../../../src/report/gate/claims.js";
import { gateLines } from "../../../src/report/gate/gate.js";
import { pairedLoss } from "../../../src/report/gate/paired-loss.js";
import type { GatedQuestion } from "../../../src/report/gate/pairs.js";
import { jackknifeVariance } from "../../../src/statistics/loss.js";
import { studentUpperTail } from "../../../src/statistics/student.js";
import type { Metric } from "../../../src/types.js";
import { gatedArm, gatedSide, replies, yesNo } from "../../helpers/gated-arm.js";

// Where one more right answer worsens a verdict (docs/STATISTICS.md, "No jumps"): the smallest cases found. All p's come from the
// functions that gate-reference.test.ts holds to the reference values of these forms, so a form without such cases is another form.
const [ALPHA, WORSE, BETTER] = [0.05, 0, 1];

test("documented exception, macro-F1: contributions in linear order turn a pass for users into inconclusive by one more right answer", () => {
  // Five users of three questions, two labels of nine and six golds; gold, baseline, run. The fourth user's first answer becomes right.
  const labels = macroF1(["a", "b"]);
  const both = ["bxx", "bxb"].map((first) =>
    letters(["axx aaa aaa", "aaa aaa aaa", "axx axx aaa", `${first} baa bxx`, "bbb bxa bba"]),
  );
  expect(both.map((questions) => verdictOf(questions, labels, 0.515))).toEqual(["pass", "inconclusive"]);
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
  expect(both.map((questions) => verdictOf(questions, yesNo, 0.85))).toEqual(["pass", "inconclusive"]);
  const [before, after] = both.map((questions) => pairedLoss(yesNo, questions, [])!);
  expect([before!.shock!.sd, after!.shock!.sd]).toEqual([expect.closeTo(2 / 15, 12), expect.closeTo(1 / 5, 12)]);
  expect(claimPs(before!, 0.85, ALPHA).users).toBeCloseTo(0.018128668, 9);
  expect(claimPs(after!, 0.85, ALPHA).users).toBeCloseTo(0.207357122, 9);
});

function verdictOf(questions: readonly GatedQuestion[], metric: Metric, margin: number): string {
  const repeats = questions[0]!.baseline.length;
  const side = { ...gatedSide, repeats };
  const arm = gatedArm(questions, { baseline: side, candidate: side });
  const settings = { claim: "users", alpha: ALPHA, noise: 0.1, margin: () => margin } as const;
  return gateLines([{ arm, metrics: [metric] }], settings)[0]!.verdict;
}

const letters = (users: readonly string[]): GatedQuestion[] =>
  users.flatMap((questions, u) =>
    questions.split(" ").map((text, q) => {
      const [gold = "", before = "", now = ""] = [...text];
      const reply = (prediction: string) => [{ prediction, gold }];
      return { id: `${u}/${q}`, user: `u${u}`, baseline: reply(before), candidate: reply(now) };
    }),
  );
