import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { regionLines } from "../../src/cli/live/live-region.js";
import { openLiveRun } from "../../src/cli/live/live-run.js";
import { liveDisplay, progress } from "../../src/cli/live/progress.js";
import { FakeScreen } from "../helpers/fake-screen.js";
import { testIo } from "../helpers/test-io.js";

const METHODS = ["prompt", "icl", "rag k=4", "pag", "react", "membank", "persona-agent"];
const TASKS = ["lamp1", "lamp2m", "lamp2n", "lamp3"];
const WAITING = [{ name: "lab/m", calls: 11, oldestMs: 42_400, why: "input", perMinute: 30_000 }] as const;

const OUTCOMES = {
  answered: { kind: "answered", reply: "5", answer: "5" },
  unparsed: { kind: "unparsed", reply: "no idea" },
  failed: { kind: "failed", error: "lab/m: 503 over\u001b[31mloaded" },
} as const;

/** Of a paper's main table: 28 arms of 300 questions. */
const startOf = (titles: readonly string[] = TASKS.flatMap((task) => METHODS.map((method) => `${task} ${method}`))) =>
  ({
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
  }) as const;

function table(titles?: readonly string[]) {
  const clock = { ms: 0 };
  const live = openLiveRun(startOf(titles), () => clock.ms);
  const answer = (cell: number, times: number, kind: keyof typeof OUTCOMES = "answered"): void => {
    for (let n = 0; n < times; n++) live.hear({ kind: "question", cell: String(cell), outcome: OUTCOMES[kind] });
  };
  return { ...live, answer, clock };
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
    const { run, answer, hear, clock } = table();
    answer(0, 300);
    answer(1, 300);
    answer(2, 30);
    answer(20, 1);
    for (let n = 0; n < 2345; n++)
      hear({ kind: "call", usage: { in: n === 0 ? 1_234_567 : 0, out: 0 }, fromStore: false });
    clock.ms = 60_000;
    const lines = regionLines(run, { columns: 80, rows: 10 });
    expect(lines).toEqual([
      "██░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 631 of 8,400 questions · 7 % · ETA 26 min",
      "5 calls in flight",
      "11 calls queued, the oldest 42 s: lab/m allows 30,000 input tokens a minute",
      "$0.0123 spent · 2,345 calls · 1.23M tokens · 0 retries",
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

  test("counts failed questions apart from the done ones, and lets the last error stand", () => {
    const { run, answer, hear, clock } = table();
    answer(0, 10);
    answer(0, 20, "unparsed");
    answer(1, 4, "failed");
    clock.ms = 60_000;
    expect(regionLines(run, { columns: 80, rows: 9 })).toEqual([
      "░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 30 of 8,400 questions · 0 % · ETA 9 h 19 min",
      "4 failed · 20 unparsed",
      "5 calls in flight",
      "11 calls queued, the oldest 42 s: lab/m allows 30,000 input tokens a minute",
      "$0.0123 spent · 0 calls · 0 tokens · 0 retries",
      "last error 60 s ago: lab/m: 503 over\\u001b[31mloaded",
      "+28 more arms: 2 at work, 26 to come",
    ]);
    hear({ kind: "retry", error: `lab/m: 500 ${"long ".repeat(80)}` });
    const lines = regionLines(run, { columns: 80, rows: 24 });
    expect(lines[4]).toContain("1 retry");
    expect(lines.slice(5, 7).join(" ")).toMatch(/^last error 0 s ago: lab\/m: 500 long .*…$/);
    expect(lines.every(({ length }) => length <= 80)).toBe(true);
    expect(lines[7]).toBe("lamp1 prompt          █░░░░░░░░░░░   30/300  accuracy .412");
    expect(lines[8]).toMatch(/^lamp1 icl +░+ +0\/300 +accuracy \.412 +4 failed$/);
  });

  test("foresees no end where nothing but failures came", () => {
    const { run, answer, clock } = table(["lamp3 prompt"]);
    answer(0, 299, "failed");
    clock.ms = 60_000;
    expect(regionLines(run, { columns: 120, rows: 24 })[0]).toMatch(/0 of 300 questions · 0 % · ETA -$/);
    answer(0, 1, "failed");
    expect(regionLines(run, { columns: 120, rows: 24 })[0]).toMatch(/0 of 300 questions · 0 % · ETA 0 s$/);
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

describe("without a terminal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("a line says that the run has begun, and one every 30 s how far it is and what went wrong last", async () => {
    const io = testIo({ cwd: "." });
    const pass = async (seconds: number): Promise<void> => {
      await io.clock.sleep(1000 * seconds, new AbortController().signal);
      vi.advanceTimersByTime(1000 * seconds);
    };
    const { show } = progress(io);
    show(startOf(["lamp3 prompt", "lamp3 rag"]));
    expect(io.messages).toEqual(["run begun: 0 of 600 questions done, 2 arms"]);
    show({ kind: "call", usage: { in: 10, out: 1 }, fromStore: false });
    show({ kind: "retry", error: "lab/m: 429 slow down" });
    await pass(29);
    expect(io.messages).toHaveLength(1);
    await pass(1);
    const waits = "11 calls queued, the oldest 42 s: lab/m allows 30,000 input tokens a minute";
    expect(io.messages.slice(1)).toEqual([
      `0 of 600 questions done, 0 failed, 0 unparsed, 1 call, ETA -; ${waits}; last error 30 s ago: lab/m: 429 slow down`,
    ]);
    for (const kind of ["answered", "unparsed", "failed"] as const)
      show({ kind: "question", cell: "0", outcome: OUTCOMES[kind] });
    await pass(30);
    expect(io.messages.at(-1)).toBe(
      `2 of 600 questions done, 1 failed, 1 unparsed, 1 call, ETA 9 h 59 min; ${waits}; last error 30 s ago: lab/m: 503 over\\u001b[31mloaded`,
    );
    show({ kind: "stopped" });
    await pass(60);
    expect(io.messages).toHaveLength(3);
  });

  test("the lines of an arm count done and failed questions apart, and its end is told where some failed", () => {
    const io = testIo({ cwd: "." });
    const { show } = progress(io);
    show({
      ...startOf(["lamp3 prompt"]),
      arms: startOf(["lamp3 prompt"]).arms.map((arm) => ({ ...arm, questions: 3 })),
    });
    for (const kind of ["answered", "failed", "failed"] as const)
      show({ kind: "question", cell: "0", outcome: OUTCOMES[kind] });
    expect(io.messages.slice(1)).toEqual([
      "lamp3 prompt: 1/3 (the run so far: 0 calls, 0 tokens)",
      "lamp3 prompt: 1/3, 1 failed (the run so far: 0 calls, 0 tokens)",
      "lamp3 prompt: 1/3, 2 failed (the run so far: 0 calls, 0 tokens)",
    ]);
  });
});
