import { describe, expect, test } from "vitest";
import { liveDisplay } from "../../src/cli/live/live-display.js";
import { regionLines } from "../../src/cli/live/live-region.js";
import { openLiveRun } from "../../src/cli/live/live-run.js";
import { flow } from "../../src/cli/live/live-text.js";
import { FakeScreen } from "../helpers/fake-screen.js";

const METHODS = ["prompt", "icl", "rag k=4", "pag", "react", "membank", "persona-agent"];
const TASKS = ["lamp1", "lamp2m", "lamp2n", "lamp3"];
const WAITING = [{ name: "lab/m", calls: 11, oldestMs: 42_400, why: "input", perMinute: 30_000 }] as const;

/** A paper's main table: 28 arms of 300 questions. */
function table(titles = TASKS.flatMap((task) => METHODS.map((method) => `${task} ${method}`))) {
  const clock = { ms: 0 };
  const totals = { calls: 0, tokens: 0, retries: 0 };
  const started = {
    kind: "started",
    folder: "/r",
    arms: titles.map((title, at) => ({
      cell: String(at),
      title,
      questions: 300,
      metric: "accuracy",
      callsPerQuestion: at < titles.length / 2 ? 1 : 3,
      done: 0,
    })),
    waiting: () => WAITING,
    inFlight: () => 5,
    spentUsd: () => 0.0123,
    score: (cell: string) => (cell === "27" ? undefined : 0.4124),
  } as const;
  const live = openLiveRun(started, totals, () => clock.ms);
  const answer = (cell: number, times: number): void => {
    for (let n = 0; n < times; n++) live.question(String(cell));
  };
  return { ...live, totals, answer, clock };
}

const sizes = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 50 },
  { columns: 60, rows: 12 },
  { columns: 44, rows: 8 },
  { columns: 20, rows: 3 },
] as const;

describe("the live region", () => {
  test.each(sizes)("stays within $columns columns and $rows rows, whatever happens", (size) => {
    const { run, answer } = table();
    const screen = new FakeScreen(size.columns, size.rows);
    const display = liveDisplay(run, screen);
    for (let cell = 0; cell < 28; cell++) {
      answer(cell, 17 * cell);
      display.tick();
      expect(screen.shown.length).toBeLessThanOrEqual(Math.max(1, size.rows - 2));
    }
    display.stop();
    expect([screen.scrolled, screen.cut]).toEqual([[], 0]);
  });

  test("tells of the whole run, its calls and what they wait for, its spend, and the arms that move, last moved kept", () => {
    const { run, answer, totals, clock } = table();
    answer(0, 300);
    answer(1, 300);
    answer(2, 30);
    answer(20, 1);
    Object.assign(totals, { calls: 2345, tokens: 1_234_567, retries: 1 });
    clock.ms = 60_000;
    const lines = regionLines(run, { columns: 80, rows: 10 });
    expect(lines).toEqual([
      "██░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 631 of 8,400 questions · 7 % · ETA 26 min",
      "5 calls in flight",
      "11 calls wait, the oldest 42 s: lab/m allows 30,000 input tokens a minute",
      "$0.0123 spent · 2,345 calls · 1.23M tokens · 1 retry",
      "lamp1 icl             ████████████  300/300  accuracy .412",
      "lamp1 rag k=4         █░░░░░░░░░░░   30/300  accuracy .412",
      "lamp2n persona-agent  ░░░░░░░░░░░░    1/300  accuracy .412",
      "+25 more arms: 1 done, 24 to come",
    ]);
  });

  test("cuts no field at 80 columns: arms with long names take two lines, a name too long for one is broken at a blank", () => {
    const name = "lamp3 persona-agent select=rums-entropy history.control=shuffled-labels persona.alignBatches=12 k=4";
    const { run, answer } = table([name, "lamp3 prompt"]);
    answer(0, 3);
    const lines = regionLines(run, { columns: 80, rows: 24 });
    expect(lines.slice(4)).toEqual([
      "lamp3 persona-agent select=rums-entropy history.control=shuffled-labels",
      "persona.alignBatches=12 k=4",
      "  ░░░░░░░░░░░░ · 3/300 · accuracy .412",
      "lamp3 prompt",
      "  ░░░░░░░░░░░░ · 0/300 · accuracy .412",
    ]);
    expect(lines.every(({ length }) => length <= 80)).toBe(true);
  });

  test("has no bar where it would be of a few characters", () => {
    const { run } = table();
    const lines = regionLines(run, { columns: 42, rows: 24 });
    expect(lines[0]).toBe("0 of 8,400 questions · 0 % · ETA -");
  });

  test("expects the time of calls, not of questions", () => {
    const { run, answer, clock } = table();
    for (let cell = 0; cell < 14; cell++) answer(cell, 300);
    clock.ms = 600_000;
    expect(regionLines(run, { columns: 120, rows: 50 })[0]).toMatch(/50 % · ETA 30 min$/);
  });

  test("follows a terminal that changes its size, and puts what is said above itself", () => {
    const { run, answer } = table();
    const screen = new FakeScreen(80, 24);
    screen.write("lamp-eval run\n");
    const display = liveDisplay(run, screen);
    answer(0, 1);
    display.tick();
    expect(screen.shown).toHaveLength(23);
    screen.rows = 10;
    display.tick();
    display.say("a remark");
    display.tick();
    display.tick();
    expect(screen.shown.slice(-9)).toEqual(["a remark", ...regionLines(run, screen)]);
    display.stop();
    expect(screen.scrolled.every((line) => !line.includes("a remark"))).toBe(true);
  });

  test("says once what an unpriced, resumed run cannot know", () => {
    const { run } = table();
    const resumed = { ...run, isResumed: true };
    expect(regionLines(resumed, { columns: 80, rows: 24 })[3]).toContain(
      "$0.0123 spent since the run was taken up again",
    );
    expect(regionLines({ ...run, spentUsd: () => undefined }, { columns: 80, rows: 24 })[3]).toMatch(
      /^no price known · 0 calls/,
    );
  });
});

test("fields flow onto lines of a width, whole", () => {
  expect(flow(["one two", "three", "four"], 12)).toEqual(["one two", "three · four"]);
  expect(flow(["seven eight"], 7)).toEqual(["seven", "eight"]);
  expect(flow(["abcdefgh"], 3)).toEqual(["abc", "def", "gh"]);
});
