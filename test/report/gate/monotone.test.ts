import { expect, test } from "vitest";
import { mae, rmse, rouge1 } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { claimBounds, claimPs, shownLossP } from "../../../src/report/gate/claims.js";
import { pairedLoss } from "../../../src/report/gate/paired-loss.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric, Random } from "../../../src/types/index.js";
import { yesNo } from "../../helpers/gated-arm.js";

/** All that a verdict is made of, each as a number that a better run must not have smaller. */
function standing(metric: Metric, questions: readonly PairedQuestion[], margin: number) {
  const loss = pairedLoss(metric, questions, [])!;
  const [p, bounds] = [claimPs(loss, margin, 0.05), claimBounds(loss, 0.05)];
  const ofPass = { users: -p.users, set: -p.set!, questions: -p.questions, overUsers: -p.overUsers! };
  const ofLoss = { regress: shownLossP(loss, margin, 0.05)!, worse: shownLossP(loss, 0, 0.05)! };
  const { set, users } = bounds;
  return { ...ofPass, ...ofLoss, setLow: set!.low, setHigh: set!.high, usersLow: users.low, usersHigh: users.high };
}

const ratings = ["1", "2", "3", "4", "5"];
/** What no gold is: not readable, and read beyond the scale. */
const wrong = ["no", "100", "-7"];

test.each([
  ["accuracy", yesNo, ["yes"]],
  ["MAE", mae, ratings],
  ["squared errors", rmse, ratings],
  ["ROUGE", rouge1, ["the one text", "another text of it"]],
] as const)(
  "one more right answer moves no p and no bound of %s against the run, whatever the users' sizes",
  (title, metric, golds) => {
    const random = seeded(`one more right answer, ${title}`);
    for (let sample = 0; sample < 60; sample++) {
      const questions = reanswered(random, golds, wrong);
      const better = improved(questions, random);
      if (better === undefined) continue;
      const margin = (0.02 + 0.15 * random.next()) * pairedLoss(metric, questions, [])!.range;
      const [one, more] = [questions, better].map((all) => standing(metric, all, margin));
      for (const [what, value] of Object.entries(more!))
        expect(value, `${what}, sample ${sample}`).toBeGreaterThanOrEqual(one![what as keyof typeof one] - 1e-9);
    }
  },
);

test.each([
  ["MAE", mae],
  ["squared errors", rmse],
] as const)("a far reading that becomes right moves no p and no bound of %s against the run", (_, metric) => {
  const rating = (prediction: string) => [{ prediction, gold: "3" }];
  // Thirty users of five: one answer of each is off by one, and the first user's too, or far off, or right.
  const run = (first: string) =>
    Array.from({ length: 150 }, (_, q) => ({
      id: `q${q}`,
      user: `u${Math.floor(q / 5)}`,
      baseline: rating("3"),
      candidate: rating(q === 0 ? first : q % 5 === 0 ? "4" : "3"),
    }));
  for (const first of ["100", "-7", "5"]) {
    const [far, right] = [first, "3"].map((answer) => standing(metric, run(answer), 0.02));
    for (const [what, value] of Object.entries(right!))
      expect(value, `${what}, ${first}`).toBeGreaterThanOrEqual(far![what as keyof typeof far] - 1e-9);
  }
});

test("how far a single far reading is off shows no loss in the other answers", () => {
  // Thirty users of five whose first answers are off by one, of the first user's far off; the baseline has every seventh off.
  const questions = (far: string) =>
    Array.from({ length: 150 }, (_, q) => ({
      id: `q${q}`,
      user: `u${Math.floor(q / 5)}`,
      baseline: [{ prediction: q % 7 === 0 ? "4" : "3", gold: "3" }],
      candidate: [{ prediction: q === 0 ? far : q % 5 === 0 ? "4" : "3", gold: "3" }],
    }));
  const [far, farther] = ["10000", "1000000000"].map((reading) => standing(rmse, questions(reading), 0.2));
  expect(far!.regress).toBeCloseTo(0.1628, 4);
  for (const what of ["regress", "worse", "overUsers"] as const) expect(farther![what]).toBeCloseTo(far![what], 5);
  const million = standing(rmse, questions("1000000"), 0.2);
  expect(million.setHigh).toBeCloseTo(far!.setHigh, 5);
});

/** Five to sixteen users of equal or unequal numbers of questions, some answered anew in the run. `wrong`: answers that are no gold. */
function reanswered(random: Random, golds: readonly string[], wrong: readonly string[]): PairedQuestion[] {
  const [most, isEven] = [1 + random.below(8), random.below(2) === 0];
  const of = (values: readonly string[]) => values[random.below(values.length)]!;
  const answer = (gold: string) => (random.next() < 0.6 ? gold : of([...golds, ...wrong]));
  return Array.from({ length: 5 + random.below(12) }, (_, u) =>
    Array.from({ length: isEven ? most : 1 + random.below(most) }, (_, q) => {
      const gold = of(golds);
      const before = { prediction: answer(gold), gold };
      const now = { prediction: random.next() < 0.3 ? answer(gold) : before.prediction, gold };
      return { id: `${u}/${q}`, user: `u${u}`, baseline: [before], candidate: [now] };
    }),
  ).flat();
}

/** The same run with one wrong answer right; undefined where all are. */
function improved(questions: readonly PairedQuestion[], random: Random): PairedQuestion[] | undefined {
  const wrong = questions.filter(({ candidate: [pair] }) => pair!.prediction !== pair!.gold);
  const chosen = wrong[random.below(Math.max(1, wrong.length))];
  if (chosen === undefined) return undefined;
  return questions.map((question) => {
    if (question !== chosen) return question;
    const { gold } = question.baseline[0]!;
    return { ...question, candidate: [{ prediction: gold, gold }] };
  });
}
