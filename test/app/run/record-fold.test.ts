import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { foldRows, foldUnits } from "../../../src/app/common/folded-rows.js";
import { RecordFold } from "../../../src/app/run/records/record-fold.js";
import { rouge1 } from "../../../src/metrics/index.js";
import { isScored, pairOf } from "../../../src/report/pairs.js";
import { RunRows, runFiles } from "../../../src/run/run-rows.js";
import type { Row, UnitRecord } from "../../../src/types.js";
import { tempDir } from "../../helpers/temp-dir.js";

const part = {
  manifest: { plan: { cells: [{ id: "c", task: "t" }] } },
  tasks: { get: () => ({ metrics: [rouge1] }) },
  has: () => true,
};
const long = "word ".repeat(60); // a text that is not held: it is read again from where it stands
const row = (question: string, more: Partial<Row> = {}): Row => ({
  ...{ cell: "c", unit: "u", user: "u", question, gold: `g${question}`, spend: {}, incidents: {} },
  outcome: { kind: "answered", reply: `${long}${question}` },
  ...more,
});
const unit = (name: string): UnitRecord => ({
  ...{ cell: "c", unit: name, user: name, historySize: 3, incidents: { skipped: 2 } },
  spend: { update: { calls: 1, in: 2, out: 3, cacheRead: 1 } },
});

/** What one process holds of a folder at its end. */
function ended(folder: string, work: (rows: RunRows) => void = () => undefined, areInOrder = false): RecordFold {
  const fold = new RecordFold(folder, part);
  const rows = new RunRows(folder, fold);
  work(rows);
  rows.finish(areInOrder);
  return fold;
}

/** What the rows and units say. */
const said = (rows: readonly Row[] = [], units: readonly UnitRecord[] = []) => ({
  rows: rows.map(({ question, user, gold, outcome, spend, incidents, spendUnknown, ...rest }) => [
    ...[question, user, gold, { ...outcome }, spend, incidents, spendUnknown, rest],
  ]),
  pairs: rows.filter((one) => isScored(one)).map((one) => ({ ...pairOf(one), prediction: pairOf(one).prediction })),
  units: units.map(({ unit: name, historySize, spend, incidents, shared }) => [
    ...[name, historySize, spend, incidents, shared],
  ]),
});
const held = (fold: RecordFold) => said(fold.rows(), fold.units());
const read = (folder: string) => said(foldRows(folder, part), foldUnits(folder));

describe("records folded while a run writes them", () => {
  const questions = ["2", "10", "1"];
  const write = (rows: RunRows): void => {
    for (const question of questions) {
      rows.row(row(question, question === "10" ? { outcome: { kind: "failed", error: "HTTP 500" } } : {}));
      rows.unit(unit(`u${question}`));
    }
  };

  test("are what the files say, in their order, also in a process that finds them done", () => {
    const folder = tempDir();
    const first = ended(folder, write);
    expect(first.rows()?.map(({ question }) => question)).toEqual(["1", "10", "2"]);
    expect(held(first)).toEqual(read(folder));
    const second = ended(folder, undefined, true);
    expect(second.rows()).toHaveLength(questions.length);
    expect(held(second)).toEqual(read(folder));
  });

  test("are not known where the file was exchanged, in its size, between reading it and the end", () => {
    const folder = tempDir();
    ended(folder, write);
    const path = join(folder, runFiles.rows);
    const other = ended(folder, () => writeFileSync(path, readFileSync(path, "utf8").replace('"g2"', '"g3"')), true);
    expect(other.rows()).toBeUndefined();
    expect(other.units()).toHaveLength(questions.length);
  });

  test("are not known where one was done twice, where they were added to, or the file was changed since", () => {
    const folder = tempDir();
    const twice = ended(folder, (rows) => {
      write(rows);
      rows.row(row("10"));
    });
    expect([twice.rows(), twice.units()?.length]).toEqual([undefined, questions.length]);
    expect(ended(folder, (rows) => rows.row(row("3"))).rows()).toBeUndefined();
    const whole = ended(folder, undefined, true);
    expect(whole.rows()).toHaveLength(questions.length + 1);
    appendFileSync(join(folder, runFiles.rows), "\n");
    expect(whole.rows()).toBeUndefined();
  });

  test("are as their lines say them, whatever becomes of the objects", () => {
    const folder = tempDir();
    const incidents = { retried: 1 };
    const fold = ended(folder, (rows) => {
      rows.row(row("1", { incidents, spend: { answer: { calls: 1, in: 2, out: 3, long: [{ in: 2, out: 3 }] } } }));
      incidents.retried = 5;
    });
    expect(held(fold)).toEqual(read(folder));
  });
});
