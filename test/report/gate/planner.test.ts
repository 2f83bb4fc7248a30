import { describe, expect, test } from "vitest";
import { macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { planOf } from "../../../src/report/gate/planner.js";
import type { PairedQuestion, Replies } from "../../../src/report/paired.js";
import type { Metric } from "../../../src/types/index.js";
import { rated, replies, yesNo } from "../../helpers/gated-arm.js";

/** Users of one, two and three questions in turn, or of so many each. */
const askedOf = (users: number, repliesTo: (q: number, u: number) => Replies, each?: number): PairedQuestion[] => {
  const owners = Array.from({ length: users }, (_, u) => Array<number>(each ?? 1 + (u % 3)).fill(u)).flat();
  return owners.map((u, q) => ({ id: `q${q}`, user: `u${u}`, baseline: repliesTo(q, u), candidate: [] }));
};
const times = <T>(repeats: number, one: (r: number) => T): T[] => Array.from({ length: repeats }, (_, r) => one(r));

/** Six in ten right; a fifth of the questions is answered otherwise in some repeats. */
const answers = (repeats: number) => (q: number) =>
  replies(...times(repeats, (r) => ((q * 7 + (q % 5 === 0 ? 3 * r : 0)) % 10 < 6 ? 1 : 0)));
/** A third, a fourth and a fifth of the questions is answered otherwise in the second, third and fourth repeat. */
const uneven = (q: number) => replies(...times(4, (r) => Number((q * 7) % 10 < 6 !== (r > 0 && q % (3 + r) === r))));
/** In each repeat a fourth of the users is wrong throughout. */
const wholeUsers = (_: number, u: number) => replies(...times(3, (r) => ((u + r) % 4 === 0 ? 0 : 1)));
const withGaps = (repeats: number) => (q: number) =>
  answers(repeats)(q).map((pair, r) => (q % 11 === r ? undefined : pair));
const ratings = (repeats: number) => (q: number) =>
  rated(...times(repeats, (r) => String(1 + ((q * 3 + (q % 4 === 0 ? r : 0)) % 5))));
/** The same of two labels: a third of the golds is the other one. */
const labelled = (repeats: number) => (q: number) =>
  answers(repeats)(q).map((pair) =>
    q % 3 === 0 ? { prediction: pair.prediction === "yes" ? "no" : "yes", gold: "no" } : pair,
  );
const f1 = macroF1(["yes", "no"]);

type Needed = readonly [margin: number, set: number | undefined, users: number | undefined];

/** What a baseline asks for: the margins that it plans, and users needed at given ones. */
const plans: readonly (readonly [
  title: string,
  metric: Metric,
  baseline: readonly PairedQuestion[],
  noise: number,
  margins: { readonly set: number; readonly users: number },
  needed: readonly Needed[],
])[] = [
  [
    "answers",
    yesNo,
    askedOf(30, answers(1)),
    0.1,
    { set: 0.09, users: 0.165 },
    [
      [0.05, 76, 138],
      [0.2, 11, 24],
    ],
  ],
  ["noisy answers", yesNo, askedOf(30, answers(1)), 0.5, { set: 0.175, users: 0.22 }, [[0.05, 315, 346]]],
  ["answers without noise", yesNo, askedOf(30, answers(1)), 0, { set: 0.05, users: 0.14 }, [[0.05, 30, 88]]],
  ["two repeats", yesNo, askedOf(30, answers(2)), 0.1, { set: 0.265, users: 0.29 }, [[0.2, undefined, undefined]]],
  ["two repeats, some failed", yesNo, askedOf(30, withGaps(2)), 0.1, { set: 0.25, users: 0.295 }, [[0.2, 189, 217]]],
  ["three repeats", yesNo, askedOf(30, answers(3)), 0.1, { set: 0.145, users: 0.195 }, [[0.2, 13, 30]]],
  ["three repeats, some failed", yesNo, askedOf(30, withGaps(3)), 0.1, { set: 0.155, users: 0.22 }, [[0.2, 13, 33]]],
  [
    "four repeats",
    yesNo,
    askedOf(12, answers(4)),
    0.1,
    { set: 0.19, users: 0.345 },
    [
      [0.1, 80, 129],
      [0.2, 12, 27],
    ],
  ],
  [
    "four uneven repeats",
    yesNo,
    askedOf(15, uneven),
    0.1,
    { set: 0.22, users: 0.325 },
    [
      [0.1, 51, 78],
      [0.2, 16, 29],
    ],
  ],
  ["noise of whole users", yesNo, askedOf(8, wholeUsers, 20), 0.1, { set: 0.6, users: 0.635 }, [[0.2, 59, 66]]],
  [
    "two users",
    yesNo,
    askedOf(2, answers(1), 20),
    0.1,
    { set: 0.125, users: 0.785 },
    [
      [0.1, 5, 31],
      [0.2, 5, 14],
    ],
  ],
  ["noisy ratings", mae, askedOf(30, ratings(1)), 0.5, { set: 0.34, users: 0.64 }, [[0.2, 72, 128]]],
  ["ratings", mae, askedOf(30, ratings(1)), 0.1, { set: 0.26, users: 0.6 }, [[0.2, 40, 100]]],
  ["ratings, three repeats", mae, askedOf(30, ratings(3)), 0.1, { set: 0.26, users: 0.6 }, [[0.2, 40, 101]]],
  ["squares of ratings", rmse, askedOf(30, ratings(1)), 0.1, { set: 0.3, users: 0.66 }, [[0.2, 46, 126]]],
  ["noisy squares", rmse, askedOf(10, ratings(1), 30), 0.5, { set: 0.12, users: 1.08 }, []],
  ["squares, two repeats", rmse, askedOf(30, ratings(2)), 0.1, { set: 0.32, users: 0.68 }, [[0.2, 55, 137]]],
  ["a mean over labels", f1, askedOf(30, labelled(1)), 0.1, { set: 0.095, users: 0.095 }, [[0.05, 84, 84]]],
  ["the same in repeats", f1, askedOf(30, labelled(3)), 0.1, { set: 0.14, users: 0.145 }, [[0.2, 13, 15]]],
  ["one user", yesNo, askedOf(1, answers(1)), 0.1, { set: 0.95, users: 0.95 }, [[0.05, 59, 59]]],
  [
    "four users",
    yesNo,
    askedOf(4, answers(1)),
    0.1,
    { set: 0.385, users: 0.7 },
    [
      [0.3, 6, 15],
      [0.9, 5, 5],
      [0.001, undefined, undefined],
    ],
  ],
];

describe("one baseline asks every version for the same", () => {
  test.each(plans)("%s", (_, metric, baseline, noise, margins, needed) => {
    const plan = planOf(metric, baseline, { alpha: 0.05, noise })!;
    expect(plan.margins!.set).toBeCloseTo(margins.set, 12);
    expect(plan.margins!.users).toBeCloseTo(margins.users, 12);
    for (const [margin, set, users] of needed)
      expect([margin, plan.neededUsers("set", margin), plan.neededUsers("users", margin)]).toEqual([
        margin,
        set,
        users,
      ]);
  });
});

describe("a plan", () => {
  test("is in units of the metric, in steps of a two-hundredth of its range", () => {
    const plan = planOf(rmse, askedOf(30, ratings(1)), { alpha: 0.05, noise: 0.1 })!;
    const errors = askedOf(30, ratings(1)).map(({ baseline }) => (Number(baseline[0]!.prediction) - 3) ** 2);
    const error = Math.sqrt(errors.reduce((sum, square) => sum + square, 0) / errors.length);
    // Without a change a bound of squares lies at 16 (1 - alpha^(1 / questions)) below 0.
    const loss = 16 * (1 - 0.05 ** (1 / 60));
    expect(plan.smallest.set).toBeCloseTo(Math.sqrt(error ** 2 + loss) - error, 6);
    expect(plan.smallest.users).toBeGreaterThan(plan.smallest.set);
    for (const margin of Object.values(plan.margins!)) expect((margin / 0.02) % 1).toBeCloseTo(0, 9);
  });

  test("needs the users whose p is just the risk, and none more", () => {
    // Unchanged users with a question each have a p of (1 - margin) ^ users.
    const plan = planOf(
      yesNo,
      askedOf(6, () => replies(1), 1),
      { alpha: 1 / 64, noise: 0 },
    )!;
    for (const claim of ["set", "users"] as const) expect(plan.neededUsers(claim, 0.5)).toBe(6);
  });

  test("takes repeats that never answered the same question for one", () => {
    const apart = answers(1);
    const plan = (baseline: (q: number) => Replies) =>
      planOf(yesNo, askedOf(30, baseline), { alpha: 0.05, noise: 0.1 });
    expect(plan((q) => (q % 2 === 0 ? [undefined, ...apart(q)] : apart(q)))!.margins).toEqual(plan(apart)!.margins);
  });

  test("is none of a metric whose largest loss is unknown, or of no question", () => {
    const { most: _, ...open } = yesNo;
    expect(planOf(open, askedOf(9, answers(1)), { alpha: 0.05, noise: 0.1 })).toBeUndefined();
    expect(planOf(yesNo, [], { alpha: 0.05, noise: 0.1 })).toBeUndefined();
  });
});
