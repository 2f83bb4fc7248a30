import { describe, expect, test } from "vitest";
import { macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { claimBounds, claimPs, shownLossP } from "../../../src/report/gate/claims.js";
import { influencesOf, pairedLoss } from "../../../src/report/gate/paired-loss.js";
import type { PairedQuestion, Replies } from "../../../src/report/paired.js";
import { meanOfRepeats } from "../../../src/report/pairs.js";
import type { Pair } from "../../../src/types/index.js";
import { changed, gatedQuestions, rated, replies, yesNo } from "../../helpers/gated-arm.js";

describe("a loss in judged units", () => {
  test("of RMSE is what moves its squares as far, from the baseline's own error; a bound is read back the same way", () => {
    const both = (...given: readonly string[]): Replies =>
      given.map((rating) => (rating === "-" ? undefined : rated(rating)[0]));
    const answered = gatedQuestions([both("5", "3"), both("-", "4")], [both("3"), both("4")]);
    const lost = [{ id: "gone", user: "v", baseline: [], candidate: [undefined] }];
    const { toJudged, toPrinted } = pairedLoss(rmse, answered, lost)!;
    // Squares of the baseline: (4 + 0) / 2 and 1; of the question whose answers nobody has, none.
    const error = Math.sqrt((2 + 1) / 2);
    for (const loss of [0.1, 0.5, 2]) {
      expect(toJudged(loss)).toBeCloseTo((error + loss) ** 2 - error ** 2, 12);
      expect(toPrinted(-toJudged(loss))).toBeCloseTo(-loss, 12);
    }
    expect(toPrinted(error ** 2)).toBeCloseTo(error, 12);
    expect(toPrinted(error ** 2 + 1)).toBeCloseTo(error, 12); // no error is below 0
  });

  test("of other metrics is the metric's own", () => {
    for (const metric of [yesNo, macroF1(["yes", "no"])]) {
      const { toJudged, toPrinted } = pairedLoss(metric, changed(3), [])!;
      expect([toJudged(0.1), toPrinted(-0.2)]).toEqual([0.1, -0.2]);
    }
    expect(pairedLoss(mae, gatedQuestions([rated("4")], [rated("5")]), [])!.toJudged(0.5)).toBe(0.5);
  });

  test("is none where there is no question, and one where as many are lost as answered", () => {
    expect(pairedLoss(macroF1(["yes", "no"]), [], [])).toBeUndefined();
    expect(pairedLoss(yesNo, [], [])).toBeUndefined();
    const [kept, gone] = gatedQuestions([replies(1), replies(1)], [replies(1), [undefined]]);
    expect(pairedLoss(yesNo, [kept!], [gone!])?.gain).toBe(-1 / 2);
  });
});

test("a mean changes without a user as its gain over the others does", () => {
  const questions = gatedQuestions(
    [1, 1, 1, 0, 1, 0].map((hit) => replies(hit)),
    [1, 0, 0, 1, 1, 0].map((hit) => replies(hit)),
    2,
  );
  const loss = pairedLoss(yesNo, [...questions, { ...questions[0]!, id: "more" }], [])!;
  expect(loss.gain).toBeCloseTo(-1 / 7, 12);
  const others = [0 / 4, -1 / 5, -1 / 5];
  for (const [u, change] of loss.overUsers!.changes.entries()) expect(change).toBeCloseTo(others[u]! + 1 / 7, 12);
});

describe("a mean over labels as tests see it", () => {
  const labels = ["a", "b"];
  const f1 = macroF1(labels);
  const said = (words: string): (Pair | undefined)[] =>
    words
      .split(" ")
      .map((word) => (word === "-" ? undefined : { prediction: word[0] === "?" ? "" : word[0]!, gold: word[1]! }));
  const ask = (user: string, before: string, now: string): PairedQuestion => ({
    id: `${user} ${before} ${now}`,
    user,
    baseline: said(before),
    candidate: said(now),
  });
  const questions = [
    ask("u", "aa aa", "aa ba"),
    ask("u", "ba aa", "ba ba"),
    ask("u", "bb bb", "bb bb"),
    ask("v", "bb ab", "ab bb"),
    ask("v", "- aa", "aa ?a"),
    ask("w", "aa ba", "?a ?a"),
  ];
  const loss = pairedLoss(f1, questions, [])!;
  const side = (name: "baseline" | "candidate", of = questions) =>
    meanOfRepeats(
      f1,
      [0, 1].map((r) => of.flatMap((question) => question[name][r] ?? [])),
    )!;

  test("has parts that add up to the gain: their share of it, and what their answers contribute now and did before", () => {
    const [before, now] = (["baseline", "candidate"] as const).map((name) =>
      influencesOf(
        f1,
        questions.map((question) => question[name]),
      ),
    );
    expect(loss.gain).toBeCloseTo(side("candidate") - side("baseline"), 12);
    const { gains, shares } = loss.questions.down;
    for (const q of questions.keys()) {
      expect(shares[q]).toBeCloseTo(1 / 6, 12);
      expect(gains[q]).toBeCloseTo(loss.gain / 6 + now!.contributions[q]! - before!.contributions[q]!, 12);
    }
    const ofUsers = loss.users.down;
    expect([...ofUsers.shares]).toEqual([3 / 6, 2 / 6, 1 / 6]);
    const byUser = [[0, 1, 2], [3, 4], [5]].map((own) => own.reduce((sum, q) => sum + gains[q]!, 0));
    for (const [u, gain] of byUser.entries()) expect(ofUsers.gains[u]).toBeCloseTo(gain, 12);
    expect(ofUsers.gains.reduce((sum, gain) => sum + gain, 0)).toBeCloseTo(loss.gain, 12);
  });

  test("can lose no more in a part whose answers are all unreadable, and more in one that is right", () => {
    const { gains, most } = loss.questions.down;
    expect(most[5]).toBeCloseTo(-gains[5]!, 12);
    expect(most[2]).toBeGreaterThan(-gains[2]! + 0.01);
    const ofUsers = loss.users.down;
    expect(ofUsers.most[0]).toBeCloseTo(most[0]! + most[1]! + most[2]!, 12);
  });

  test("seen from the other side has the gains turned round", () => {
    const { down, up } = loss.users;
    for (const [u, gain] of down.gains.entries()) expect(up.gains[u]).toBeCloseTo(-gain, 12);
    expect([...up.most]).not.toEqual([...down.most]);
  });

  test("changes without a user as its scores do, each repeat by itself", () => {
    const { value, changes } = loss.overUsers!;
    expect(value).toBe(loss.gain);
    for (const [u, name] of ["u", "v", "w"].entries()) {
      const others = questions.filter(({ user }) => user !== name);
      expect(changes[u]).toBeCloseTo(side("candidate", others) - side("baseline", others) - loss.gain, 12);
    }
  });

  test("knows nothing of a question that the baseline never answered", () => {
    const silent = { ...ask("x", "- -", "aa ba"), id: "silent" };
    expect(JSON.stringify(pairedLoss(f1, [...questions, silent], []))).toBe(JSON.stringify(loss));
  });
});

describe("what is claimed", () => {
  const loud = gatedQuestions(
    Array.from({ length: 80 }, (_, q) => replies(...[62, 60, 58].map((hits) => (q < hits ? 1 : 0)))),
    Array.from({ length: 80 }, (_, q) => replies(...[42, 40, 38].map((hits) => (q < hits ? 1 : 0)))),
    2,
  );

  test("of a loss is what is claimed of a gain where the sides are exchanged, noise that runs share included", () => {
    const exchanged = loud.map(({ baseline, candidate, ...more }) => ({
      ...more,
      baseline: candidate,
      candidate: baseline,
    }));
    const [lost, gained] = [loud, exchanged].map((questions) => pairedLoss(yesNo, questions, [])!);
    expect(lost!.shock!.sd).toBeGreaterThan(0);
    const p = shownLossP(lost!, 0, 0.05)!;
    expect(p).toBeLessThan(0.01);
    expect(p).toBeCloseTo(claimPs(gained!, 0, 0.05).set!, 12);
    expect(shownLossP(gained!, 0, 0.05)).toBeCloseTo(claimPs(lost!, 0, 0.05).set!, 12);
  });

  test("is nothing, and exactly so, where noise that runs share could be the whole distance", () => {
    const still = pairedLoss(yesNo, loud, [])!;
    const shaken = { ...still, gain: 0, shock: { sd: 0.1, degrees: 2 } };
    expect(claimPs(shaken, 0.05, 0.05)).toEqual({ users: 1, set: 1, questions: 1, overUsers: 1 });
    expect(shownLossP(shaken, 0.05, 0.05)).toBe(1);
  });

  test("of fewer than five users is a p over their questions, and none of a new run", () => {
    for (const users of [1, 4]) {
      const few = loud.map((question, q) => ({ ...question, user: `u${q % users}` }));
      const loss = pairedLoss(yesNo, few, [])!;
      const { set, overUsers, questions } = claimPs(loss, 0.5, 0.05);
      expect([set, overUsers]).toEqual([undefined, undefined]);
      expect(questions).toBeLessThan(0.01);
      expect(shownLossP(loss, 0, 0.05)).toBeUndefined();
      expect(claimBounds(loss, 0.05).set).toBeUndefined();
    }
    const five = loud.map((question, q) => ({ ...question, user: `u${q % 5}` }));
    expect(claimPs(pairedLoss(yesNo, five, [])!, 0.5, 0.05).set).toBeGreaterThan(0);
  });
});
