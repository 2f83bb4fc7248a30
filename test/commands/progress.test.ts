import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { progress } from "../../src/commands/watch.js";
import type { RunEvent } from "../../src/plan/io.js";
import { FakeScreen } from "../helpers/fake-screen.js";
import { testIo } from "../helpers/test-io.js";

const started: RunEvent = {
  kind: "started",
  folder: "/r",
  arms: ["0", "1", "2"].map((arm) => ({ arm, task: "lamp3", questions: 200 })),
  waiting: () => [{ name: "lab/m", calls: 11, oldestMs: 42_400, why: "limit" }],
  hosts: ["lab:8000"],
  inFlight: () => 5,
  spentUsd: () => 0.0123,
};

const outcomes = {
  answered: { kind: "answered", reply: "5", answer: "5" },
  unparsed: { kind: "unparsed", reply: "no idea" },
  failed: { kind: "failed", error: "lab/m: 503 over\u001b[31mloaded" },
} as const;

const question = (arm: string, kind: keyof typeof outcomes): RunEvent => ({
  kind: "question",
  arm,
  outcome: outcomes[kind],
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function shownAt(screen: FakeScreen | undefined, env: Readonly<Record<string, string>> = {}) {
  const io = { ...testIo({ cwd: ".", env }), screen };
  const { show, say } = progress(io);
  const pass = async (seconds: number): Promise<void> => {
    await io.clock.sleep(1000 * seconds, new AbortController().signal);
    vi.advanceTimersByTime(1000 * seconds);
  };
  return { show, say, pass, messages: io.messages };
}

const WAIT = "11 wait 42 s: limit per minute";

test.each([
  ["without a terminal", undefined, {}],
  ["under CI", new FakeScreen(80, 24), { CI: "true" }],
  ["on a dumb terminal", new FakeScreen(80, 24), { TERM: "dumb" }],
] as const)("%s a line says that the run has started, and one every 30 s how far it is", async (_, screen, env) => {
  const { show, pass, messages } = shownAt(screen, env);
  show(started);
  expect(messages).toEqual(["run started: 0 of 600 questions"]);
  show({ kind: "call", usage: { in: 1, out: 1 }, fromStore: false });
  show({ kind: "retry", error: "lab/m: 429 slow down" });
  await pass(29);
  expect(messages).toHaveLength(1);
  await pass(1);
  expect(messages.slice(1)).toEqual([
    `1 call answered, 0 of 600 questions, ${WAIT}, $0.0123`,
    "last error: lab/m: 429 slow down",
  ]);
  for (const kind of ["answered", "unparsed", "failed"] as const) show(question("0", kind));
  await pass(30);
  expect(messages[3]).toMatch(/^ETA 4 h 59 min, 2 of 600 questions, 1 failed, 11 wait/);
  expect(messages[4]).toMatch(/^last error: .* over\\u001b\[31m/);
  expect(Math.max(...messages.map((line) => line.length))).toBeLessThanOrEqual(80);
  show({ kind: "call", usage: { in: 1, out: 1 }, fromStore: false });
  await pass(30);
  expect(messages[5]).not.toContain("last error");
  show({ kind: "stopped" });
  await pass(60);
  expect(messages).toHaveLength(6);
  expect(screen?.shown ?? []).toEqual([]);
});

test("a terminal gets a bar, with what is said above it", async () => {
  const screen = new FakeScreen(200, 24);
  const { show, say, pass } = shownAt(screen);
  show(started);
  show(question("1", "answered"));
  show(question("2", "failed"));
  await pass(1);
  say("a remark");
  show({ kind: "stopped" });
  expect(screen.shown).toEqual([
    "a remark",
    expect.stringMatching(`^[█░]+ 1/600, ETA .*, 1 failed, ${WAIT.slice(0, 20)}`),
  ]);
});

test("several tasks have a bar each, at most the rows of the terminal less four, those that go on first", async () => {
  const screen = new FakeScreen(60, 8);
  const { show, say, pass } = shownAt(screen);
  const arms = ["a", "b", "c", "d"].map((task) => ({ arm: task, task, questions: 2 }));
  show({ ...started, arms, waiting: () => [] });
  for (const arm of ["a", "a", "b"]) show(question(arm, "answered"));
  show(question("c", "failed"));
  await pass(1);
  say("one\ntwo");
  say(`${"long ".repeat(13)}end`);
  show({ kind: "stopped" });
  expect([...screen.scrolled, ...screen.shown].map((line) => line.replace(/^[█░]+ /, ""))).toEqual([
    ...["one", "two", "long ".repeat(12).trim(), "long end", "1/2 b", "0/2 c, 1 failed", "0/2 d"],
    "3/8, ETA 2 s, 1 failed, 5 calls in flight, $",
  ]);
});

test("a server that has not replied for 20 s is named", async () => {
  const { show, pass, messages } = shownAt(undefined);
  show({ ...started, waiting: () => [] });
  await pass(30);
  expect(messages.at(-1)).toContain("no reply for 30 s from lab:8000");
});
