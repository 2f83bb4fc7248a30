import { expect, it } from "vitest";
import { countsOf, longestWait } from "../../../src/commands/counts.js";

it("says how many calls wait, how long the oldest does and why; nothing where none waits long enough", () => {
  const waiting = [
    { name: "lab/m", calls: 11, oldestMs: 42_400, why: "limit" },
    { name: "openai/n", calls: 1, oldestMs: 900, why: "busy" },
  ] as const;
  expect(longestWait(waiting, 30_000)).toBe("12 calls queued, the oldest 42 s: lab/m is at its limit a minute");
  expect(longestWait(waiting.slice(1), 0)).toBe("1 call queued, the oldest 1 s: openai/n is busy or asked to wait");
  expect(longestWait(waiting, 60_000)).toBeUndefined();
  expect(longestWait([], 0)).toBeUndefined();
});

it("names the servers that have sent nothing for 20 s while calls are out", () => {
  let [nowMs, out] = [0, 2];
  const started = {
    kind: "started",
    ...{ folder: "r", arms: [{ cell: "c", task: "lamp3", questions: 5 }], hosts: ["lab:8000"] },
    ...{ waiting: () => [], inFlight: () => out, spentUsd: () => undefined },
  } as const;
  const { counts, hear } = countsOf(started, () => nowMs);
  const said = () => counts.state(30_000).find((text) => text.startsWith("no reply"));
  nowMs = 19_000;
  expect(said()).toBeUndefined();
  nowMs = 41_000;
  expect(said()).toBe("no reply yet from lab:8000 for 41 s");
  hear({ kind: "call", usage: { in: 1, out: 1 }, fromStore: false });
  expect(said()).toBeUndefined();
  [nowMs, out] = [90_000, 0];
  expect(said()).toBeUndefined();
});
