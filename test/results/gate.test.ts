import { describe, expect, test } from "vitest";
import { accuracy } from "../../src/metrics/accuracy.js";
import { mae } from "../../src/metrics/mae.js";
import type { BaselineArm } from "../../src/results/baseline.js";
import { type GatedArm, type GatedResult, gateArms } from "../../src/results/gate.js";
import { studentQuantile } from "../../src/results/student.js";
import type { Metric } from "../../src/types/index.js";

/** Questions of each user: 24 users, some with many. */
const SIZES = Array.from({ length: 24 }, (_, user) => (user % 6 === 0 ? 9 : 1 + (user % 3)));

type ValueOf = (user: number, question: number) => number;

function armOf(side: string, value: ValueOf, options: BaselineArm["options"] = {}): BaselineArm {
  const questions = SIZES.flatMap((size, user) =>
    Array.from({ length: size }, (_, q) => ({
      ...{ id: `${user}-${q}`, user: String(user), replies: [`${side}${value(user, q)}`], terms: [[value(user, q)]] },
    })),
  );
  const facts = { task: "t", dataset: "d", method: "m", model: "x/y", seed: 0, failed: 0, unparsed: 0, questions };
  return { ...facts, options, data: { files: [], units: "", wording: "" }, metrics: [{ name: "value", score: 0 }] };
}

const named = (metric: Metric): Metric => ({ ...metric, name: "value" });
const right = named(accuracy(["yes", "no"]));
const error = named(mae);

const gated = (was: ValueOf, is: ValueOf, metric = right, options: BaselineArm["options"] = {}): GatedArm => ({
  ...{ name: "a", metric, margin: 0.05, baseline: armOf("a", was, options), run: armOf("b", is, options) },
});
const judged = (...arms: readonly GatedArm[]): GatedResult[] => gateArms(arms, 0.01);

const mostly: ValueOf = (user, q) => ((user + q) % 5 === 0 ? 0 : 1);
const fewer: ValueOf = (user, q) => ((user + 2 * q) % 5 === 0 || user % 8 === 1 ? 0 : 1);
const total = SIZES.reduce((sum, size) => sum + size, 0);
const effective = total ** 2 / SIZES.reduce((sum, size) => sum + size ** 2, 0);

/** By the definition: the standard error of a mean loss over questions, users left out one by one. */
function errorOf(users: readonly { readonly size: number; readonly loss: number }[]): number {
  const sums = users.reduce((all, { size, loss }) => ({ size: all.size + size, loss: all.loss + loss }));
  const without = users.map(({ size, loss }) => (sums.loss - loss) / (sums.size - size));
  const mean = without.reduce((sum, one) => sum + one, 0) / without.length;
  return Math.sqrt(((users.length - 1) / users.length) * without.reduce((sum, one) => sum + (one - mean) ** 2, 0));
}

describe.each([
  { name: "a score", metric: right, sign: 1, was: mostly, is: fewer, worstOf: (mean: number) => mean },
  {
    ...{ name: "an error without a known end", metric: { ...error, maxPerPair: undefined }, sign: -1 },
    was: ((user, q) => (user + q) % 3) as ValueOf,
    is: ((user, q) => (user === 7 ? 6 : (user + 2 * q) % 3)) as ValueOf,
    worstOf: (mean: number) => 6 - mean, // the worst that was seen, which the run has
  },
])("of $name, where users have unequal numbers of questions", ({ metric, sign, was, is, worstOf }) => {
  const [found] = judged(gated(was, is, metric as Metric));
  const users = SIZES.map((size, user) => {
    const losses = Array.from({ length: size }, (_, q) => sign * (was(user, q) - is(user, q)));
    return { size, loss: losses.reduce((sum, one) => sum + one, 0) };
  });
  const worst = worstOf(found!.baseline);

  test("the bound has one more user, who loses everything on N / n_e questions", () => {
    const size = total / effective;
    const all = [...users, { size, loss: size * worst }];
    const sums = all.reduce((sum, one) => ({ size: sum.size + one.size, loss: sum.loss + one.loss }));
    const n = sums.size ** 2 / all.reduce((sum, one) => sum + one.size ** 2, 0);
    expect(found!.bound).toBeCloseTo(sums.loss / sums.size + studentQuantile(0.95, n - 1) * errorOf(all), 10);
  });

  test("the users needed grow with the inequality of users", () => {
    const needed = 24 * ((2.5 * errorOf(users)) / 0.05) ** 2 + ((3 * worst) / 0.05) * (24 / effective);
    expect(found!.neededUsers).toBe(Math.ceil(needed));
  });
});

describe("Holm's correction", () => {
  const lost: ValueOf = (user, q) => (user % 3 === 0 ? 0 : mostly(user, q));
  const untouched = (): GatedArm => ({ ...gated(mostly, mostly), run: armOf("a", mostly) });

  test("is over the arms that equal answers do not decide", () => {
    const found = judged(untouched(), gated(mostly, lost), untouched(), gated(mostly, fewer));
    const [p, other] = [found[1]!.p!, found[3]!.p!];
    expect(p).toBeLessThan(other);
    expect(found.map(({ holm }) => holm)).toEqual([undefined, 2 * p, undefined, Math.max(other, 2 * p)]);
  });

  test("leaves out a control beside its method's own history, which never fails by it", () => {
    const control = gated(mostly, () => 0, right, { "history.control": "other-user" });
    const [own, other] = judged(gated(mostly, lost, right, { "history.control": "right" }), control);
    expect([own!.holm, other!.holm, other!.rule]).toEqual([own!.p, undefined, "undecided"]);
    expect(judged(control)[0]!.rule).toBe("worse"); // alone it is all that there is
  });
});

test("terms are compared metric by metric, whatever their order, and a metric that is gone is no other score", () => {
  const arm = gated(mostly, mostly);
  const withTwo = (of: BaselineArm, names: readonly string[]): BaselineArm => ({
    ...of,
    metrics: names.map((name) => ({ name, score: 0 })),
    questions: of.questions.map((question) => ({
      ...question,
      replies: ["same"],
      terms: [names.map((name) => (name === "value" ? question.terms[0]![0]! : 7))],
    })),
  });
  const rules = [["value", "other"], ["value"]].map((names) =>
    judged({ ...arm, baseline: withTwo(arm.baseline, ["other", "value"]), run: withTwo(arm.run, names) }),
  );
  expect(rules.map(([found]) => found!.rule)).toEqual(["same answers", "same answers"]);
});
