import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { learningFailed } from "../../src/run/engine.js";
import { recordHashes } from "../../src/run/record-hashes.js";
import { eachLatestRow, latestRows, latestUnits, RunRows, runFiles } from "../../src/run/run-rows.js";
import type { Outcome, Row, UnitRecord } from "../../src/types.js";
import { tempDir } from "../helpers/temp-dir.js";

const good: Outcome = { kind: "answered", reply: "5" };
const bad: Outcome = { kind: "failed", error: "no reply" };
const row = (question: string, outcome: Outcome = good, cell = "c"): Row => ({
  cell,
  unit: "u",
  user: "u",
  question,
  outcome,
  spend: {},
  incidents: {},
});
const unit = (name: string): UnitRecord => ({
  cell: "c",
  unit: name,
  user: "u",
  historySize: 1,
  spend: {},
  incidents: {},
});

/** Opens, appends and closes, as one process does. */
function session(folder: string, work: (rows: RunRows) => void): void {
  const rows = new RunRows(folder);
  work(rows);
  rows.close();
}

describe("the rows of a run", () => {
  test("are put in order, sealed as a later process would, and mended where a line was damaged meanwhile", () => {
    const folder = tempDir();
    const path = join(folder, runFiles.rows);
    const finished = (meanwhile: () => void): string => {
      rmSync(folder, { recursive: true, force: true });
      const rows = new RunRows(folder);
      for (const question of ["2", "10", "1", "2"]) rows.row(row(question));
      meanwhile();
      rows.finish();
      return readFileSync(path, "utf8");
    };
    const questions = (text: string) => [...text.matchAll(/"question":"(\d+)"/g)].map(([, question]) => question);
    const whole = finished(() => undefined);
    const { [runFiles.rows]: seal } = recordHashes(folder);
    expect(questions(whole)).toEqual(["1", "10", "2"]);
    writeFileSync(path, whole); // another file: it is read again
    expect(recordHashes(folder)[runFiles.rows]).toBe(seal);
    const damaged = finished(() => writeFileSync(path, readFileSync(path, "utf8").replace('"10"', '"19"')));
    expect(questions(damaged)).toEqual(["1", "2"]);
    expect(existsSync(join(folder, runFiles.damaged))).toBe(true);
  });

  test("come one at a time as they come together, also where a question was asked again", () => {
    const folder = tempDir();
    session(folder, (rows) => {
      rows.row(row("1", bad));
      rows.row(row("2"));
    });
    expect([...eachLatestRow(folder)]).toEqual(latestRows(folder));
    session(folder, (rows) => rows.row(row("1")));
    const all = [...eachLatestRow(folder)];
    expect(all).toEqual(latestRows(folder));
    expect(all.map(({ question, outcome }) => [question, outcome.kind])).toEqual([
      ["1", "answered"],
      ["2", "answered"],
    ]);
  });

  test("are done when they are answered or unparsed, in this process and the next", () => {
    const folder = tempDir();
    const state = (rows: RunRows) => ["1", "2", "3", "4"].map((question) => rows.isDone("c", question));
    session(folder, (rows) => {
      rows.row(row("1"));
      rows.row(row("2", { kind: "unparsed", reply: "?" }));
      rows.row(row("3", bad));
      expect(state(rows)).toEqual([true, true, false, false]);
    });
    session(folder, (rows) => {
      expect(state(rows)).toEqual([true, true, false, false]);
      expect(rows.doneCount("c")).toBe(2);
      expect(rows.isDone("another cell", "1")).toBe(false);
    });
  });

  test("are not done where the gold could not be learned: the stream behind them is to be done again", () => {
    const folder = tempDir();
    session(folder, (rows) => {
      rows.row({ ...row("1"), incidents: { [learningFailed]: 1 } });
      rows.row({ ...row("2"), incidents: { [learningFailed]: 1 } });
      rows.row(row("2"));
      expect(rows.isDone("c", "1")).toBe(false);
    });
    session(folder, (rows) => expect(["1", "2"].map((id) => rows.isDone("c", id))).toEqual([false, true]));
  });

  test("of a question tried again count once, the last one", () => {
    const folder = tempDir();
    session(folder, (rows) => {
      rows.row(row("1", bad));
      rows.row(row("1"));
    });
    expect(latestRows(folder)).toEqual([row("1")]);
  });

  test("know which units are prepared", () => {
    const folder = tempDir();
    session(folder, (rows) => rows.unit(unit("u")));
    session(folder, (rows) => expect(["u", "u#2"].map((name) => rows.isPrepared("c", name))).toEqual([true, false]));
  });

  test("end as the same bytes, in whatever order they came", () => {
    const bytes = [
      ["1", "2", "10"],
      ["10", "2", "1"],
    ].map((order) => {
      const folder = tempDir();
      const rows = new RunRows(folder);
      for (const question of order) {
        rows.row(row(question, bad));
        rows.unit(unit(`u${question}`));
      }
      for (const question of order) rows.row(row(question));
      rows.finish();
      return [runFiles.rows, runFiles.units].map((name) => readFileSync(join(folder, name), "utf8"));
    });
    expect(bytes[0]).toEqual(bytes[1]);
    expect(bytes[0]?.[0]?.match(/"question"/g)).toHaveLength(3);
  });

  test("can be added to after they were put in order", () => {
    const folder = tempDir();
    const rows = new RunRows(folder);
    rows.row(row("2"));
    rows.finish();
    session(folder, (again) => again.row(row("1")));
    expect(latestRows(folder).map(({ question }) => question)).toEqual(["2", "1"]);
    expect(latestUnits(folder)).toEqual([]);
  });
});
