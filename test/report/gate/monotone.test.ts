import { expect, test } from "vitest";
import { improved, reanswered } from "../../../scripts/bench/simulation/improved.js";
import { mae, rmse, rouge1 } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { claimBounds, claimPs, shownLossP } from "../../../src/report/gate/claims.js";
import { pairedLoss } from "../../../src/report/gate/paired-loss.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric, Pair, Random } from "../../../src/types/index.js";
import { gateOf, yesNo } from "../../helpers/gated-arm.js";

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
      const questions = reanswered(random, golds, 1, wrong);
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
  [
    "in a run of one repeat against a baseline of three",
    (all: readonly PairedQuestion[]) => all.map(withOneRepeat),
    improved,
  ],
  ["in every repeat of three, where it was wrong in each", wrongThroughout, rightThroughout],
] as const)("one more right answer %s moves no p and no bound against the run", (title, asked, better) => {
  const random = seeded(title);
  let pairs = 0;
  for (let sample = 0; sample < 60; sample++) {
    const questions = asked(reanswered(random, ratings, 3, wrong), random);
    const more = better(questions, random);
    if (more === undefined) continue;
    pairs += 1;
    const [before, after] = [questions, more].map((all) => standing(mae, all, 0.2));
    for (const [what, value] of Object.entries(after!))
      expect(value, `${what}, sample ${sample}`).toBeGreaterThanOrEqual(before![what as keyof typeof before] - 1e-9);
  }
  expect(pairs).toBeGreaterThan(50);
});

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

test("a gain in one user alone, which makes Student's p larger, keeps a pass a pass", () => {
  const users = (gainOfLast: number) =>
    Array.from({ length: 100 }, (_, q) => {
      const [u, at] = [Math.floor(q / 10), q % 10];
      const right = (hits: number) => [{ prediction: at < hits ? "yes" : "no", gold: "yes" }];
      const gain = u === 9 ? gainOfLast : [1, 0, -1][u % 3]!;
      return { id: `q${q}`, user: `u${u}`, baseline: right(4), candidate: right(4 + gain) };
    });
  for (const claim of ["set", "users"] as const) {
    const ps = [0, 1, 2, 3, 4, 5, 6].map((gain) => gateOf(users(gain), { claim, margin: () => 0.06 }).p.set!);
    for (const [more, p] of ps.entries()) expect(p).toBeLessThanOrEqual((ps[more - 1] ?? 1) + 1e-12);
  }
});

function withOneRepeat(question: PairedQuestion): PairedQuestion {
  return { ...question, candidate: question.candidate.slice(0, 1) };
}

/** One question is answered alike, and wrong, in every repeat of the run. */
function wrongThroughout(questions: readonly PairedQuestion[], random: Random): PairedQuestion[] {
  const [chosen, isFar] = [random.below(questions.length), random.below(2) === 0];
  return questions.map((question, q) => {
    const { gold } = question.baseline[0]!;
    const prediction = isFar ? "100" : gold === "5" ? "4" : "5";
    return q === chosen ? { ...question, candidate: question.candidate.map(() => ({ prediction, gold })) } : question;
  });
}

/** The first question that every repeat of the run has wrong is right in every one. */
function rightThroughout(questions: readonly PairedQuestion[]): PairedQuestion[] {
  const chosen = questions.findIndex(
    ({ candidate }) => new Set(candidate.map((pair) => pair!.prediction)).size === 1 && isWrong(candidate[0]!),
  );
  return questions.map((question, q) =>
    q === chosen
      ? { ...question, candidate: question.candidate.map((pair) => ({ prediction: pair!.gold, gold: pair!.gold })) }
      : question,
  );
}

const isWrong = ({ prediction, gold }: Pair): boolean => prediction !== gold;
