import { expect, test } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { BatchRejected } from "../../../src/outside/batch/queue.js";
import { type BatchWait, pollResults, type SentBatch, sendBatch } from "../../../src/outside/batch/sent-batch.js";
import type { BatchWire, Model } from "../../../src/types/index.js";

const MINUTES = 60_000;
const busy = (retryAfterMs?: number) => new ModelError("busy", { retryable: true, bill: "none", retryAfterMs });
const unanswered = () => new ModelError("no answer", { retryable: true, bill: "unknown" });

const unreadable = () => Promise.reject(new ModelError("a page", { retryable: true, bill: "due" }));

/** A batch over a wire of which some answers are given, and how long it was waited for. */
function followed(wire: Partial<BatchWire>) {
  const slept: number[] = [];
  const told: string[] = [];
  const wait: BatchWait = {
    sleep: async (ms) => void slept.push(ms),
    poll: async () => undefined,
    kill: new AbortController().signal,
    abandoned: new AbortController().signal,
    tell: (line) => void told.push(line),
  };
  const queue = { model: { id: "m" } as Model, wire } as SentBatch["queue"];
  const batch = { facts: { id: "w", lines: 1 }, lines: ["x"], queue } as Partial<SentBatch> as SentBatch;
  return { batch, wait, slept, told };
}

test("a batch that is refused for now goes again until it is taken; waits double, and none asked for is longer than five minutes", async () => {
  const refusals = [busy(), busy(1000), busy(2 * MINUTES), busy(100 * MINUTES)];
  const { batch, wait, slept, told } = followed({
    create: async () => {
      const error = refusals.shift();
      if (error !== undefined) throw error;
      return "b1";
    },
  });
  expect(await sendBatch(batch, wait)).toBe("b1");
  expect(slept).toEqual([10_000, 20_000, 2 * MINUTES, 5 * MINUTES]);
  expect(told).toEqual(["busy; the batch is sent again until it is taken"]);
});

test("a batch is given up after 25 sendings; where it may have been taken, it was looked for after each", async () => {
  let sends = 0;
  const { batch, wait, slept } = followed({
    create: async () => {
      throw ++sends % 10 === 0 ? unanswered() : busy();
    },
    find: async () => "none",
  });
  await expect(sendBatch(batch, wait)).rejects.toThrow(new BatchRejected(busy()).message);
  expect(sends).toBe(25);
  expect(slept.filter((ms) => ms === MINUTES)).toHaveLength(2); // until what may have arrived is listed
});

test.each([
  ["state", (wire: Partial<BatchWire>) => followed({ ...wire, state: unreadable })],
  [
    "find",
    (wire: Partial<BatchWire>) => followed({ ...wire, find: unreadable, create: () => Promise.reject(unanswered()) }),
  ],
])("an answer to %s that cannot be read is asked for six times, then the run stops", async (what, open) => {
  const { batch, wait, slept } = open({});
  const asked = what === "state" ? pollResults(batch, "b1", wait) : sendBatch(batch, wait);
  await expect(asked).rejects.toMatchObject({ message: "a page", retryable: false, scope: "call" });
  expect(slept.filter((ms) => ms !== MINUTES)).toHaveLength(5);
});

test("a batch that is out is asked for as long as it takes, and an error that cannot pass ends that", async () => {
  let asked = 0;
  const gone = new ModelError("gone", { retryable: false, bill: "none" });
  const { batch, wait, slept } = followed({
    state: async () => {
      throw ++asked > 40 ? gone : busy(100 * MINUTES);
    },
  });
  await expect(pollResults(batch, "b1", wait)).rejects.toBe(gone);
  expect(slept).toEqual(Array(40).fill(5 * MINUTES));
});
