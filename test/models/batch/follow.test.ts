import { expect, test } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { type BatchWait, NeverTaken, pollResults, sendWave, type Wave } from "../../../src/outside/batch/waves.js";
import type { BatchWire, Model } from "../../../src/types/index.js";

const MINUTES = 60_000;
const busy = (retryAfterMs?: number) => new ModelError("busy", { retryable: true, bill: "none", retryAfterMs });
const unanswered = () => new ModelError("no answer", { retryable: true, bill: "unknown" });

/** A wave over a wire of which some answers are given, and how long it was waited for. */
function followed(wire: Partial<BatchWire>) {
  const slept: number[] = [];
  const told: string[] = [];
  const wait: BatchWait = {
    sleep: async (ms) => void slept.push(ms),
    look: async () => undefined,
    now: () => 0,
    kill: new AbortController().signal,
    abandoned: new AbortController().signal,
    tell: (line) => void told.push(line),
  };
  const queue = { model: { id: "m" } as Model, wire } as Wave["queue"];
  const wave = { facts: { id: "w", sinceMs: 0, lines: 1 }, texts: ["x"], queue } as Partial<Wave> as Wave;
  return { wave, wait, slept, told };
}

test("a wave that is refused for now goes again until it is taken; waits double, and none asked for is longer than five minutes", async () => {
  const refusals = [busy(), busy(1000), busy(2 * MINUTES), busy(100 * MINUTES)];
  const { wave, wait, slept, told } = followed({
    create: async () => {
      const error = refusals.shift();
      if (error !== undefined) throw error;
      return "b1";
    },
  });
  expect(await sendWave(wave, wait)).toBe("b1");
  expect(slept).toEqual([10_000, 20_000, 2 * MINUTES, 5 * MINUTES]);
  expect(told).toEqual(["busy; it is sent again until it is taken"]);
});

test("a wave is given up after 25 refusals, whatever else failed between, or after five sendings of which nobody knows", async () => {
  let sends = 0;
  const some = followed({
    create: async () => {
      throw ++sends % 10 === 0 ? unanswered() : busy();
    },
    find: async () => "none",
  });
  await expect(sendWave(some.wave, some.wait)).rejects.toThrow("busy (the batch was not taken; gave up)");
  expect(sends).toBe(27); // two of them without an answer
  const none = followed({ create: () => Promise.reject(unanswered()), find: async () => "none" });
  await expect(sendWave(none.wave, none.wait)).rejects.toThrow(NeverTaken);
  expect(none.slept).toEqual(Array(5).fill(MINUTES)); // each was looked for once it could be there
});

test("a batch that is out is asked for as long as it takes, and an error that cannot pass ends that", async () => {
  let asked = 0;
  const gone = new ModelError("gone", { retryable: false, bill: "none" });
  const { wave, wait, slept } = followed({
    state: async () => {
      throw ++asked > 40 ? gone : busy(100 * MINUTES);
    },
  });
  await expect(pollResults(wave, "b1", wait)).rejects.toBe(gone);
  expect(slept).toEqual(Array(40).fill(5 * MINUTES));
});
