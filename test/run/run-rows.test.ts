import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { learningFailed } from "../../src/run/engine-settings.js";
import { ResponseStore } from "../../src/run/replies.js";
import { eachLatestRow, latestRows, latestUnits, RunRows, runFiles } from "../../src/run/rows.js";
import { checkSeals, sealsOf } from "../../src/run/seals.js";
import type { ModelReply, Outcome, Row, Timing, Trace, UnitRecord } from "../../src/types/index.js";
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
const reply: ModelReply = { text: "5", toolCalls: [], stop: "end", usage: { in: 1, out: 1 }, model: "m" };

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
    expect(questions(whole)).toEqual(["1", "10", "2"]);
    const damaged = finished(() => writeFileSync(path, readFileSync(path, "utf8").replace('"10"', '"19"')));
    expect(questions(damaged)).toEqual(["1", "2"]);
    expect(existsSync(join(folder, runFiles.damaged))).toBe(true);
  });

  test.each([
    ["plain", ["2", "10", "1", "2", "\u4e2d", "\u{1f600}", "\u00e9", "a b", "a", "a!"]],
    ["with the letter 0", ["2", "1\0", "10", "1", "1\x002", "1"]],
  ])("stand in the order in which their keys sort, the last one of each: %s", (_, ids) => {
    const folder = tempDir();
    const rows = new RunRows(folder);
    for (const [i, id] of ids.entries()) rows.row({ ...row(id), position: i });
    rows.finish();
    const last = [...new Map(ids.map((id, i) => [id, i]))].sort(([a], [b]) => (`c\tu\t${a}` < `c\tu\t${b}` ? -1 : 1));
    expect(latestRows(folder).map(({ question, position }) => [question, position])).toEqual(last);
  });

  test("are sealed with all else as the files say that stand there, not as what was written: no damage is passed over", () => {
    const trace = (question: string, request: string): Trace => ({
      ...{ cell: "c", unit: "u", question, requests: [request], notes: [] },
    });
    const timing = (question: string, ms: number): Timing => ({
      ...{ cell: "c", unit: "u", question, ms, fromStore: false },
    });
    for (const meanwhile of [undefined, runFiles.timings, runFiles.traces, runFiles.responses]) {
      const folder = tempDir();
      const rows = new RunRows(folder);
      const store = new ResponseStore(join(folder, runFiles.responses));
      for (const question of ["2", "1", "1", "3", "4", "5", "6"]) {
        rows.trace(trace(question, `r${question}`));
        rows.timing(timing(question, 2.5));
        store.put(question.padEnd(64, "0"), { messages: [], maxTokens: 1, sample: 0 }, reply);
      }
      rows.trace(trace("2", "r3")); // again: the last one holds
      const path = join(folder, meanwhile ?? runFiles.timings);
      if (meanwhile !== undefined) writeFileSync(path, readFileSync(path, "utf8").replace("2", "3"));
      rows.finish();
      store.close();
      const isFound =
        existsSync(join(folder, runFiles.damaged)) || checkSeals(folder, { records: sealsOf(folder) }).length > 0;
      expect(isFound).toBe(meanwhile !== undefined);
    }
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
