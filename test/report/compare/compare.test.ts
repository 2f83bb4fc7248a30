import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { accuracy, macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { type Comparison, compareArms, compareIfAny, correct } from "../../../src/report/compare/compare.js";
import { renderComparisons } from "../../../src/report/compare/text.js";
import { formatP } from "../../../src/report/tables/format.js";
import { mcNemar } from "../../../src/statistics/mcnemar.js";
import type { Outcome, Row } from "../../../src/types/index.js";

const labels = ["yes", "no"];
const metrics = [accuracy(labels), macroF1(labels)];
const answered = (reply: string): Outcome => ({ kind: "answered", reply, lenient: reply });

/** Question `u3-1` is asked of user `u3`. The gold is `yes` unless given. */
function row(
  question: string,
  outcome: Outcome,
  more: { gold?: string | undefined; cell?: string; user?: string } = {},
): Row {
  const { gold, cell = "cell", user = question.split("-")[0]! } = more;
  return {
    cell,
    user,
    unit: user,
    question,
    ...("gold" in more ? (gold === undefined ? {} : { gold }) : { gold: "yes" }),
    outcome,
    spend: {},
    incidents: {},
  };
}

/** One row per letter: `y` right, `n` wrong, `?` unreadable, `!` failed; one word per user. */
function arm(words: string): Row[] {
  const outcomes: Readonly<Record<string, Outcome>> = {
    y: answered("yes"),
    n: answered("no"),
    "?": { kind: "unparsed", reply: "perhaps" },
    "!": { kind: "failed", error: "timeout" },
  };
  return words.split(" ").flatMap((word, u) => [...word].map((letter, q) => row(`u${u}-${q}`, outcomes[letter]!)));
}

const compare = (a: string, b: string): Comparison => compareArms({ a: arm(a), b: arm(b), metrics, seed: 1 });

describe("two arms", () => {
  it("are aligned by question id, whatever their order", () => {
    const straight = compare("yn nn yy", "yy ny nn");
    const shuffled = compareArms({ a: arm("yn nn yy"), b: arm("yy ny nn").reverse(), metrics, seed: 1 });
    expect(shuffled).toEqual(straight);
    expect(straight).toMatchObject({ questions: 6, users: 3 });
  });

  it("give McNemar's counts, the difference B - A, and wins, ties and losses of users", () => {
    const { metrics } = compare("yn nn yy", "yy ny nn");
    expect(metrics[0]).toMatchObject({
      name: "accuracy",
      a: 0.5,
      b: 0.5,
      difference: 0,
      perUser: { wins: 2, ties: 0, losses: 1 },
      overQuestions: { name: "mcnemar", p: mcNemar(2, 2), discordant: { onlyA: 2, onlyB: 2 } },
    });
  });

  it("leave out what only one of them has, what failed, and what has no gold, and count it", () => {
    const noGold = (cell: string) => row("u9-9", answered("yes"), { gold: undefined, cell });
    const { questions, leftOut, metrics } = compareArms({
      a: [...arm("yy! n"), row("u8-0", answered("yes")), noGold("a")],
      b: [...arm("y!y n"), noGold("b")],
      metrics: [accuracy(labels)],
      seed: 1,
    });
    expect(questions).toBe(2);
    expect(leftOut).toEqual({ onlyA: 1, onlyB: 0, failed: 2, noGold: 1 });
    expect(metrics[0]).toMatchObject({ a: 0.5, b: 0.5 });
  });

  it("score an unreadable reply as wrong, as the results table does", () =>
    expect(compare("y", "?").metrics[0]).toMatchObject({ a: 1, b: 0 }));

  it("have an interval over users from ten users on, and none below", () => {
    expect(compare("y n y n y n y n y", "y y y y y y y y y").metrics[0]?.overUsers).toBeUndefined();
    const { overUsers } = compare("y n y n y n y n y n", "y y y y y y y y y y").metrics[0]!;
    expect(overUsers?.interval.low).toBeGreaterThan(0);
    expect(overUsers?.p).toBeCloseTo(64 / 1024, 12); // five users gained: the swap test cannot say more
  });

  it("have no test over questions for a metric of the corpus", () => {
    const [, f1] = compare("yn", "yy").metrics;
    expect(f1?.name).toBe("f1");
    expect(f1?.overQuestions).toBeUndefined();
  });

  it("are refused when a question has another gold or user in the other arm, and when nothing is in common", () => {
    const one = [row("u1-1", answered("yes"))];
    const refuse = (b: Row[]) => () => compareArms({ a: one, b, metrics, seed: 1 });
    expect(refuse([row("u1-1", answered("yes"), { gold: "no" })])).toThrow(/question u1-1: its gold is "yes".*"no"/);
    expect(refuse([row("u1-1", answered("yes"), { user: "u2", gold: "yes" })])).toThrow(/its user is "u1".*"u2"/);
    expect(refuse([row("u2-1", answered("yes"))])).toThrow(UsageError);
    expect(refuse([row("u2-1", answered("yes")), row("u3-1", answered("yes"))])).toThrow(
      "in both A and B (only in A: 1, only in B: 2, failed: 0, without a gold: 0)",
    );
  });

  it("are refused when the repeats of one arm, whichever it is, have different golds", () => {
    const repeats = [row("u1-1", answered("yes")), row("u1-1", answered("yes"), { gold: "no", cell: "again" })];
    const one = repeats.slice(0, 1);
    for (const [a, b] of [[repeats, one] as const, [one, repeats] as const])
      expect(() => compareArms({ a, b, metrics, seed: 1 })).toThrow(/question u1-1: its gold is "yes".*"no"/);
  });

  it("are not compared where nothing is in common and nothing has to be, and still refused on different data", () => {
    const a = [row("u1-1", answered("yes")), row("u2-1", answered("yes"))];
    const compared = (b: Row[]) => compareIfAny({ a, b, metrics, seed: 1 });
    expect(compared([])).toBeUndefined();
    expect(compared([row("u1-1", { kind: "failed", error: "timeout" })])).toBeUndefined();
    expect(compareArms({ a, b: a, metrics, seed: 1 })).toEqual({ ...compared(a), flipped: [] });
    expect(() => compared([row("u1-1", answered("yes"), { gold: "no" })])).toThrow(/different data/);
  });
});

describe("ratings", () => {
  const rated = (replies: string) =>
    replies.split(" ").map((reply, i) => row(`u${i}-0`, answered(reply), { gold: "3" }));
  const compared = () => compareArms({ a: rated("1 5 3 4"), b: rated("2 3 4 4"), metrics: [mae, rmse], seed: 1 });

  it("are tested by signed ranks over questions for MAE, and over users alone for RMSE", () => {
    const { metrics } = compared();
    expect(metrics.map(({ overQuestions }) => overQuestions?.name)).toEqual(["wilcoxon", undefined]);
    expect(metrics[0]).toMatchObject({ a: 1.25, b: 0.75, better: "lower", perUser: { wins: 2, ties: 1, losses: 1 } });
  });

  it("flip where the error changes, the largest change first, a smaller error being a gain", () =>
    expect(compared().flipped.map(({ question, gain }) => [question, gain])).toEqual([
      ["u1-0", true],
      ["u0-0", true],
      ["u2-0", false],
    ]));
});

it("flips stand in the order of their size, gains and losses together", () => {
  const rated = (replies: string) =>
    replies.split(" ").map((reply, i) => row(`u${i}-0`, answered(reply), { gold: "3" }));
  const { flipped } = compareArms({ a: rated("3 5 5 4"), b: rated("5 4 3 3"), metrics: [mae], seed: 1 });
  expect(flipped.map(({ user, gain }) => [user, gain])).toEqual([
    ["u0", false],
    ["u2", true],
    ["u1", true],
    ["u3", true],
  ]);
});

it("a question flips where its value changes, and shows what either arm said first, as it said it", () => {
  const twice = (question: string, replies: readonly string[]) =>
    replies.map((reply, repeat) => row(question, answered(reply), { cell: `r${repeat}`, gold: "3" }));
  const { flipped } = compareArms({
    a: [...twice("u0-0", ["3", "5"]), ...twice("u1-0", ["3", "3"]), ...twice("u2-0", ["1", "4"])],
    b: [...twice("u0-0", ["4", "3"]), ...twice("u1-0", ["3", "3"]), ...twice("u2-0", ["2", "5"])],
    metrics: [mae],
    seed: 1,
  });
  expect(flipped).toEqual([
    { question: "u0-0", user: "u0", gold: "3", a: { reply: "3", value: 1 }, b: { reply: "4", value: 0.5 }, gain: true },
  ]);
  const unread = compareArms({ a: arm("y"), b: arm("?"), metrics: [accuracy(labels)], seed: 1 }).flipped;
  expect(unread).toMatchObject([{ a: { reply: "yes" }, b: { reply: "perhaps", value: 0 }, gain: false }]);
  expect(compareArms({ a: arm("yn"), b: arm("ny"), metrics: [macroF1(labels)], seed: 1 }).flipped).toEqual([]);
  expect(compareArms({ a: arm("yn"), b: arm("ny"), metrics: [], seed: 1 })).toMatchObject({ metrics: [], flipped: [] });
});

it("labels with few gold answers are told of once a question, whatever its repeats", () => {
  const golds = (gold: string, count: number, repeat: number) =>
    Array.from({ length: count }, (_, i) => row(`${gold}${i}-0`, answered("yes"), { gold, cell: `r${repeat}` }));
  const rows = [0, 1, 2].flatMap((repeat) => [...golds("yes", 9, repeat), ...golds("no", 4, repeat)]);
  const { metrics } = compareArms({ a: rows, b: rows, metrics: [macroF1(labels)], seed: 1 });
  expect(metrics[0]?.sparseLabels).toBe(1);
});

it("repeats of a question count as one question with their mean, tested by signed ranks", () => {
  const repeated = (words: string) => [
    ...arm(words.split("/")[0]!).map((row) => ({ ...row, cell: "first" })),
    ...arm(words.split("/")[1]!).map((row) => ({ ...row, cell: "second" })),
  ];
  const a = repeated("yn nn/yy nn");
  const b = repeated("yy yn/yy ny");
  const { questions, metrics } = compareArms({ a, b, metrics: [accuracy(labels)], seed: 1 });
  expect(questions).toBe(4);
  expect(metrics[0]).toMatchObject({ a: 3 / 8, b: 6 / 8, overQuestions: { name: "wilcoxon" } });
});

describe("Holm's correction", () => {
  it("takes the p over users of a line and pays for every line of every comparison", () => {
    const sample = compare("y n y n y n y n y n", "y y y y y y y y y y");
    const corrected = correct([sample, compare("yn", "ny")]).flatMap(({ metrics }) => metrics.map(({ holm }) => holm));
    const first = sample.metrics.map(({ overUsers }) => overUsers!.p);
    expect(corrected).toHaveLength(4);
    expect([...corrected.slice(0, 2)].sort()).toEqual(
      [2 * Math.min(...first), Math.max(2 * Math.min(...first), Math.max(...first))].sort(),
    );
    expect(corrected[2]).toBeUndefined();
    expect(correct([compare("yn", "ny"), sample])[1]?.metrics.map(({ holm }) => holm)).toEqual(corrected.slice(0, 2));
    expect(corrected[3]).toBeUndefined(); // below ten users: no p, no place in the family
  });
});

describe("repeated arms", () => {
  const repeated = (words: readonly string[]): Row[] =>
    words.flatMap((word, repeat) => arm(word).map((own) => ({ ...own, cell: `repeat ${repeat}` })));

  it("show the standard deviation between their repeats, which is no part of an arm that was asked once", () => {
    const comparison = compareArms({
      a: arm("yy nn yn"),
      b: repeated(["yy nn yn", "yy ny yn", "yy yy yn"]),
      metrics,
      seed: 1,
    });
    const [first] = comparison.metrics;
    expect(first!.spread.a).toBeUndefined();
    expect(first!.spread.b).toBeCloseTo(1 / 6, 12);
    const text = renderComparisons(
      [{ title: "t", dataset: "d", a: "a", b: "b", simulated: false, remarks: [], comparison }],
      { flipped: 0 },
    );
    expect(text).toContain("sd between repeats: accuracy A - B .167");
  });

  it("are tested by swapping users, also where one arm has more of them", () => {
    const [a, b] = [repeated(Array(2).fill("y n y n y n y n y n")), repeated(Array(3).fill("y y y y y y y y y y"))];
    const { overUsers } = compareArms({ a, b, metrics: [accuracy(labels)], seed: 1 }).metrics[0]!;
    expect(overUsers?.p).toBeCloseTo(64 / 1024, 12);
  });

  it("say nothing of repeats where there are none", () => {
    const comparison = compare("yn", "yy");
    expect(comparison.metrics[0]!.spread).toEqual({ a: undefined, b: undefined });
  });
});

describe("the text", () => {
  const text = (simulated: boolean, flipped: number) =>
    renderComparisons(
      [
        {
          title: "T",
          dataset: "d",
          a: "one, m",
          b: "two, m",
          simulated,
          remarks: ["rag.k: A 4, B 8"],
          comparison: correct([compare("yn nn yy", "yy ny n!")])[0]!,
        },
      ],
      { flipped, wide: true },
    );

  it("says SIMULATED with simulated numbers, and only then", () => {
    expect(text(true, 5)).toContain("SIMULATED");
    expect(text(false, 5)).not.toContain("SIMULATED");
  });

  it("shows counts, remarks and the split of discordant questions", () => {
    expect(text(false, 5)).toContain("5 questions of 3 users; 1 failed in A or B and left out; rag.k: A 4, B 8");
    expect(text(false, 5)).toContain("McNemar 2:1");
  });

  it("lists as many flipped questions of a kind as asked", () => {
    expect(text(false, 1)).toContain("B is better on 2 questions, the first 1:\n  question u0-1 · user u0");
    expect(text(false, 1)).toContain("B is worse on 1 question:");
    expect(text(false, 0)).not.toContain("question u0-1");
  });

  it("never prints a p of 0, nor one above .05 as .05", () =>
    expect([0, 0.0004, 0.031, 0.05, 0.05001, 0.0504, 1, undefined].map(formatP)).toEqual([
      "<.001",
      "<.001",
      ".031",
      ".050",
      ".0501",
      ".0504",
      "1.000",
      "-",
    ]));
});
