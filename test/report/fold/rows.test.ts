import { describe, expect, test } from "vitest";
import { ScoreError } from "../../../src/errors.js";
import { macroF1, mae, rouge1, scoreAll } from "../../../src/metrics/index.js";
import { FoldedRow, foldedMetric, rowsOf } from "../../../src/report/fold/row.js";
import { FoldedRows } from "../../../src/report/fold/rows.js";
import { FoldedUnits, unitsOf } from "../../../src/report/fold/units.js";
import { summarizeMetrics } from "../../../src/report/metric-summary.js";
import { isScored, lenientPairOf, pairOf, type ScoredRow } from "../../../src/report/pairs.js";
import type { Metric, Outcome, Row, UnitRecord } from "../../../src/types.js";

const rowOf = (question: string, outcome: Outcome, more: Partial<Row> = {}): Row => ({
  cell: "c",
  user: "u",
  unit: "u#2",
  question,
  gold: "a",
  outcome,
  spend: {},
  incidents: {},
  ...more,
});
const answered = (reply: string, lenient?: string): Outcome =>
  lenient === undefined ? { kind: "answered", reply } : { kind: "answered", reply, lenient };

/** Folds rows as a reader of a file does; the row's place in the list stands for its span. */
function folded(rows: readonly Row[], metrics: readonly Metric[] = []) {
  let reads = 0;
  const into = new FoldedRows({
    metricsOf: () => metrics,
    read({ offset }) {
      reads += 1;
      return rows[offset] ?? rows[0]!;
    },
  });
  for (const [offset, row] of rows.entries()) into.add(row, { offset, length: 1 });
  return { rows: rowsOf(into), reads: () => reads };
}

/** All that a row says, by name. */
const plain = ({
  cell,
  user,
  unit,
  question,
  gold,
  outcome,
  position,
  spend,
  spendUnknown,
  incidents,
  simulated,
}: Row) => ({
  ...{ cell, user, unit, question, gold, position, spend, spendUnknown, incidents, simulated },
  outcome: { ...outcome },
});

describe("a folded row", () => {
  const long = "word ".repeat(100);
  test.each<readonly [string, Row]>([
    ["answered", rowOf("q", answered("yes"))],
    ["with a lenient reading", rowOf("q", answered("yes", ""))],
    ["unparsed, in letters beyond Latin-1", rowOf("q\u{1f600}", { kind: "unparsed", reply: "ja \u4e2d \ud800" })],
    ["failed", rowOf("q", { kind: "failed", error: "HTTP 500" })],
    ["without gold", rowOf("q", answered("x"), { gold: undefined })],
    ["with texts that are not held", rowOf("q", answered(long, `${long}!`), { gold: `${long}?` })],
    [
      "with all that is rare",
      rowOf("q", answered("x"), { position: 3, spendUnknown: true, simulated: false, incidents: { "tool error": 2 } }),
    ],
    ["simulated", rowOf("q", answered("x"), { simulated: true })],
    [
      "with a spend of several phases",
      rowOf("q", answered("x"), {
        spend: { answer: { calls: 1, in: 2, out: 3 }, update: { calls: 4, in: 5.5, out: 6e9 } },
      }),
    ],
    [
      "with cached, long and billed calls",
      rowOf("q", answered("x"), {
        spend: {
          answer: { calls: 1, in: 9, out: 3, cacheRead: 4 },
          update: {
            calls: 3,
            in: 90_005,
            out: 6,
            long: [{ in: 90_000, out: 5, cacheWrite: 1 }],
            billed: { calls: 1, in: 2, out: 1, usd: 0.25 },
          },
        },
      }),
    ],
  ])("reads like the row that it was made from: %s", (_, row) => {
    expect(plain(folded([row]).rows[0]!)).toEqual(plain(row));
  });

  test("takes the place of an earlier one of its cell and question", () => {
    const rows = [rowOf("q1", { kind: "failed", error: "e" }), rowOf("q2", answered("b")), rowOf("q1", answered("c"))];
    expect(folded([...rows, rowOf("q1", answered("d"), { cell: "other" })]).rows.map(plain)).toEqual(
      [rows[2]!, rows[1]!, rowOf("q1", answered("d"), { cell: "other" })].map(plain),
    );
  });

  test("is found again among many", () => {
    const rows = Array.from({ length: 5000 }, (_, q) => rowOf(`q${q}`, answered(`reply ${q % 7}`), { gold: `g${q}` }));
    const again = folded([...rows, ...rows]).rows;
    expect(again).toHaveLength(rows.length);
    expect(again.map(({ question, gold }) => `${question} ${gold}`)).toEqual(
      rows.map((r) => `${r.question} ${r.gold}`),
    );
  });
});

describe("the score of folded rows", () => {
  const score = (metric: Metric, rows: readonly Row[], pair = pairOf): number =>
    scoreAll(metric, rows.filter(isScored).map(pair));
  const scoredOf = (rows: readonly Row[]): ScoredRow[] => rows.filter((row) => isScored(row));
  const labels = ["a", "b", "c"];
  const few = ["a", "b", "c", "x", "a"].map((reply, q) =>
    rowOf(`q${q}`, answered(reply, q === 3 ? "b" : reply), { gold: labels[q % 3]! }),
  );
  const many = Array.from({ length: 40 }, (_, q) =>
    rowOf(`q${q}`, q % 9 === 0 ? { kind: "unparsed", reply: "no" } : answered(`the ${"sea ".repeat(60 + q)}${q}`), {
      gold: `the ${"harbor sea ".repeat(30 + q)}`,
    }),
  );
  test.each<readonly [string, Metric, readonly Row[]]>([
    ["labels", macroF1(labels), few],
    ["ratings", mae, few.map((row, q) => ({ ...row, gold: `${1 + (q % 5)}`, outcome: answered(`${5 - q}.5`, "3") }))],
    ["texts", rouge1, many],
  ])("is that of the rows to the last bit, without reading a text again: %s", (_, metric, rows) => {
    const { rows: own, reads } = folded(rows, [metric]);
    const known = foldedMetric(metric);
    for (const pair of [pairOf, lenientPairOf]) expect(score(known, own, pair)).toBe(score(metric, rows, pair));
    expect(reads()).toBe(0);
  });

  test("makes the summaries that the rows themselves make, to the last bit: repeats, both readings, numbers that came along", () => {
    const given: Metric = {
      ...{ name: "given", title: "Given", better: "higher", source: "-", width: 1, most: 1, given: true },
      add(pair, sums, offset = 0) {
        sums[offset]! += pair.given?.own ?? 0;
      },
      value: (sums, count) => sums[0]! / count,
    };
    const rows = Array.from({ length: 60 }, (_, q) =>
      rowOf(`q${q >> 1}`, q % 7 === 0 ? { kind: "unparsed", reply: "b" } : answered(labels[q % 3]!, labels[q % 2]!), {
        ...{ cell: q % 2 === 0 ? "c" : "d", user: `u${q % 24}`, gold: labels[q % 5 === 0 ? 0 : q % 3]! },
        given: { own: (q % 11) / 10 },
      }),
    );
    const metrics = [macroF1(labels), rouge1, given];
    const { rows: own } = folded(rows, metrics);
    expect(summarizeMetrics(metrics.map(foldedMetric), ["c", "d"], scoredOf(own))).toEqual(
      summarizeMetrics(metrics, ["c", "d"], scoredOf(rows)),
    );
  });

  test("is refused where the metric refuses the row, when it is wanted and not before", () => {
    const rows = [rowOf("q", answered("inf"), { gold: "3" })];
    const { rows: own } = folded(rows, [mae]);
    expect(() => score(foldedMetric(mae), own)).toThrow(ScoreError);
  });

  test("of a metric that was not known when the rows were folded is counted from their texts", () => {
    expect(score(foldedMetric(macroF1(labels)), folded(few).rows)).toBe(score(macroF1(labels), few));
  });
});

test("a folded row has no members: nobody copies half of it", () => {
  expect(Object.keys(folded([rowOf("q", answered("x"))]).rows[0] ?? {})).toEqual([]);
  expect(folded([rowOf("q", answered("x"))]).rows[0]).toBeInstanceOf(FoldedRow);
});

test("a folded unit reads like the record that it was made from, the last of its cell and name", () => {
  const unit = (name: string, more: Partial<UnitRecord> = {}): UnitRecord => ({
    ...{ cell: "c", user: "u", unit: name, historySize: 3, spend: {}, incidents: {} },
    ...more,
  });
  const spend = { summary: { calls: 1, in: 2, out: 3 } };
  const records = [
    unit("u"),
    unit("shared/reports", { user: "", shared: true, simulated: true }),
    unit("u", { historySize: 0.5, spend, incidents: { "summary-empty": 1 }, simulated: false }),
    unit("u", { cell: "other" }),
  ];
  const units = new FoldedUnits();
  for (const record of records) units.add(record);
  const plainUnit = ({ cell, user, unit, shared, historySize, spend, incidents, simulated }: UnitRecord) => ({
    ...{ cell, user, unit, shared, historySize, spend, incidents, simulated },
  });
  expect(unitsOf(units).map(plainUnit)).toEqual([records[2]!, records[1]!, records[3]!].map(plainUnit));
});
