import { describe, expect, test } from "vitest";
import { accuracy, macroF1, mae, rmse } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { compareArms } from "../../../src/report/compare/compare.js";
import {
  correctTrends,
  type MetricTrend,
  type TrendLines,
  trendNotes,
  trendsOf,
} from "../../../src/report/compare/trend.js";
import { holm } from "../../../src/statistics/holm.js";
import type { Metric, Outcome, Row } from "../../../src/types/index.js";

const failed: Outcome = { kind: "failed", error: "timeout" };
const answered = (reply: string): Outcome => ({ kind: "answered", reply });

type Ask = { readonly user: number; readonly question: number; readonly gold: string; readonly repeat: number };

/** Three questions of each user a repeat, of gold 1, 2 and 1. */
function arm(reply: (asked: Ask) => Outcome, { users = 12, repeats = 1 } = {}): Row[] {
  const rows: Row[] = [];
  for (let repeat = 0; repeat < repeats; repeat++)
    for (let user = 0; user < users; user++)
      for (const [question, gold] of ["1", "2", "1"].entries())
        rows.push({
          cell: `r${repeat}`,
          user: `u${user}`,
          unit: `u${user}`,
          question: `u${user}-${question}`,
          gold,
          outcome: reply({ user, question, gold, repeat }),
          spend: {},
          incidents: {},
        });
  return rows;
}

/** So many of ten answers are the gold, by chance. */
const drawn = (name: string, hits: number) => {
  const random = seeded(name);
  return ({ gold }: Ask) => answered(random.below(10) < hits ? gold : gold === "1" ? "2" : "1");
};
const labels = ["1", "2"];
const metrics = [accuracy(labels), macroF1(labels), mae, rmse];

describe("a trend of two steps says what their comparison says", () => {
  const same = (a: readonly Row[], b: readonly Row[], of: readonly Metric[] = metrics) => {
    const found = trendsOf({ steps: [a, b], metrics: of, seed: 3 });
    const compared = compareArms({ a, b, metrics: of, seed: 3 }).metrics;
    expect(found.map(({ metric }) => metric)).toEqual(compared.map(({ name }) => name));
    for (const [m, { slope, interval, p, holm }] of found.entries()) {
      const { difference, overUsers } = compared[m]!;
      expect(slope).toBeCloseTo(difference, 12);
      expect(interval.low).toBeCloseTo(overUsers!.interval.low, 12);
      expect(interval.high).toBeCloseTo(overUsers!.interval.high, 12);
      expect(p).toBeCloseTo(overUsers!.p, 12);
      expect(holm).toBe(p);
    }
    return found;
  };

  test("of means that were asked a different number of times: users are swapped by their mean gains", () => {
    const [one] = same(arm(drawn("a", 0), { repeats: 3 }), arm(drawn("b", 10)), [accuracy(labels), mae]);
    expect(one!.p, "all users gain: 2 of 2^12 ways").toBeCloseTo(2 / 2 ** 12, 12);
  });

  test("of answers that were asked once", () => {
    expect(same(arm(drawn("a", 4)), arm(drawn("b", 8)))[0]!.slope).toBeGreaterThan(0.1);
  });

  test("of repeats, whose spread is in the interval", () => {
    const [a, b] = [arm(drawn("a", 4), { repeats: 2 }), arm(drawn("b", 8), { repeats: 3 })];
    const [loud] = same(a, b);
    const still = b.map((row) => ({
      ...row,
      outcome: b[Number(row.user.slice(1)) * 3 + Number(row.question.at(-1))]!.outcome,
    }));
    expect(same(a, still)[0]!.interval).not.toEqual(loud!.interval);
  });

  test("of the questions that both answered, whatever the order of the rows", () => {
    const gone = ({ user, question }: Ask) => (user + question) % 5 === 0;
    const a = arm((asked) => (gone(asked) ? failed : drawn(`a${asked.user}`, 4)(asked)));
    same(a, arm(drawn("b", 8)).reverse());
    same([...a].reverse(), arm(drawn("b", 8)).slice(7));
  });
});

describe("a trend of more steps", () => {
  const hits =
    (of: number) =>
    ({ user, question, gold }: Ask) =>
      answered((user + question) % 6 < of ? gold : gold === "1" ? "2" : "1");

  test("is over the questions that every step answered, and no others", () => {
    const gone = (question: number) => (asked: Ask) => (asked.question === question ? failed : hits(3)(asked));
    const steps = [arm(hits(1)), arm(gone(0)), arm(gone(2))];
    const middle = (rows: readonly Row[]) => rows.filter(({ question }) => question.endsWith("-1"));
    expect(trendsOf({ steps, metrics, seed: 1 })).toEqual(trendsOf({ steps: steps.map(middle), metrics, seed: 1 }));
    const [accuracyTrend] = trendsOf({ steps, metrics, seed: 1 });
    expect(accuracyTrend!.slope).toBeCloseTo((3 / 6 - 1 / 6) / 2, 12);
    const silent = arm(() => failed);
    expect(trendsOf({ steps: [arm(hits(1)), silent, arm(hits(3))], metrics, seed: 1 })).toEqual([]);
    expect(trendsOf({ steps: [], metrics, seed: 1 })).toEqual([]);
  });

  test("is none below ten users, and refused where a step is of other data", () => {
    const of = (users: number) => trendsOf({ steps: [1, 3, 5].map((n) => arm(hits(n), { users })), metrics, seed: 1 });
    expect([of(9).length, of(10).length]).toEqual([0, 4]);
    const other = arm(hits(3)).map((row) => ({ ...row, gold: "1" }));
    expect(() => trendsOf({ steps: [arm(hits(1)), arm(hits(2)), other], metrics, seed: 1 })).toThrow("different data");
  });

  test("is corrected by Holm over all lines that are printed", () => {
    const at = (p: number): MetricTrend => ({ metric: "m", slope: 0, interval: { low: 0, high: 0 }, p, holm: p });
    const corrected = correctTrends([[at(0.01), at(0.04)], [], [at(0.03)]]);
    const [first, second, third] = holm([0.01, 0.04, 0.03]);
    expect(corrected.map((line) => line.map((one) => one.holm))).toEqual([[first, second], [], [third]]);
  });
});

describe("the notes of an axis", () => {
  const step = (value: TrendLines["lines"][number]["steps"][number]["value"], of: number) => ({
    value,
    rows: arm(({ user, question, gold }) => answered((user + question) % 6 < of ? gold : "none")),
  });
  const notes = (lines: TrendLines["lines"], of: readonly Metric[] = [accuracy(labels)]) =>
    trendNotes({ knob: "k", lines, metrics: of, seed: 1 });
  const rising = { name: "rag, m", steps: [step(4, 5), step(1, 1), step(2, 3)] };

  test("are a line for each method, in the order of its numbers, and a legend", () => {
    const [one, legend, ...more] = notes([rising]);
    expect(one).toMatch(
      /^trend along k \(1, 2, 4\): accuracy \+\.333 a step \[\+\.\d{3}, \+\.\d{3}\], p Holm (<\.001|\.\d{3})$/,
    );
    expect(legend).toMatch(/^trend: slope of the least-squares line.*; p Holm over 1 trend$/);
    expect(more).toEqual([]);
    const flat = { name: "pag, m", steps: [step(1, 3), step(2, 3), step(3, 3)] };
    const [first, second, both] = notes([rising, flat]);
    expect(first).toContain("(1, 2, 4), rag, m: accuracy +.333");
    expect(second).toMatch(
      /^trend along k \(1, 2, 3\), pag, m: accuracy \.000 a step \[-\.\d{3}, \+\.\d{3}\], p Holm 1\.000$/,
    );
    expect(both).toContain("p Holm over 2 trends");
  });

  test("are none where a step is no number, two are the same, or there are fewer than three", () => {
    for (const last of [undefined, "four", true, 2])
      expect(notes([{ name: "n", steps: [step(1, 1), step(2, 3), step(3, 4), step(last, 5)] }])).toEqual([]);
    expect(notes([{ name: "n", steps: [step(1, 1), step(2, 3)] }])).toEqual([]);
    const two = { name: "n", steps: [step(1, 1), step(2, 3)] };
    expect(notes([two, rising])).toEqual(notes([rising]));
    expect(notes([{ name: "n", steps: [1, 2, 3].map((value) => ({ value, rows: [] })) }])).toEqual([]);
  });
});
