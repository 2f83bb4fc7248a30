import { expect, it } from "vitest";
import { longestWait } from "../../../src/commands/counts.js";

it("says how many calls wait, how long the oldest does and why; nothing where none waits long enough", () => {
  const waiting = [
    { name: "lab/m", calls: 11, oldestMs: 42_400, why: "input", perMinute: 30_000 },
    { name: "openai/n", calls: 1, oldestMs: 900, why: "asked" },
  ] as const;
  expect(longestWait(waiting, 30_000)).toBe(
    "12 calls queued, the oldest 42 s: lab/m allows 30,000 input tokens a minute",
  );
  expect(longestWait(waiting.slice(1), 0)).toBe("1 call queued, the oldest 1 s: openai/n asked to wait");
  expect(longestWait(waiting, 60_000)).toBeUndefined();
  expect(longestWait([], 0)).toBeUndefined();
});
