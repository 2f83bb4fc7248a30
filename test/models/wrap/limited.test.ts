import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { limited } from "../../../src/models/wrap/limited.js";
import { retrying } from "../../../src/models/wrap/retrying.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Clock } from "../../../src/types.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

/** Lets everything that is ready run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A clock that stands still until told; sleepers wake when their time has come. */
function handClock(): Clock & { advance(ms: number): Promise<void> } {
  let nowMs = 0;
  let sleepers: { dueMs: number; wake: () => void }[] = [];
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (delayMs) => new Promise((wake) => sleepers.push({ dueMs: nowMs + delayMs, wake })),
    async advance(ms) {
      nowMs += ms;
      const due = sleepers.filter(({ dueMs }) => dueMs <= nowMs);
      sleepers = sleepers.filter(({ dueMs }) => dueMs > nowMs);
      for (const { wake } of due) wake();
      await settle();
    },
  };
}

/** One slot; call `a` fails once without Retry-After gates in the way, `b` waits behind it. */
function oneSlot(clock: Clock, handOutAfterMs: number, baseDelayMs: number) {
  const log: string[] = [];
  let failed = false;
  const model = scripted(({ messages: [first] }) => {
    const name = first?.role === "user" ? first.content : "";
    log.push(name);
    if (name === "a" && !failed) {
      failed = true;
      throw new ModelError("busy", { retryable: true, status: 503 });
    }
    return replyOf(name);
  });
  const patient = retrying(model, {
    attempts: 3,
    maxRetryAfterMs: 60_000,
    baseDelayMs,
    handOutAfterMs,
    clock,
    random: seeded(1),
  });
  return { log, one: limited(patient, { concurrency: 1, clock }) };
}

describe("limited", () => {
  it("never lets more calls in than it has slots, and loses none", async () => {
    let now = 0;
    let most = 0;
    const slow = scripted(async ({ sample }) => {
      most = Math.max(most, ++now);
      await settle();
      now--;
      return replyOf(String(sample));
    });
    const three = limited(slow, { concurrency: 3, clock: fakeClock() });
    const calls = Array.from({ length: 20 }, (_, sample) => three.complete(ask("x", { sample }), noAbort()));
    const texts = (await Promise.all(calls)).map(({ text }) => text);
    expect(texts).toEqual(Array.from({ length: 20 }, (_, i) => String(i)));
    expect(most).toBe(3);
  });

  it("a call that waits shortly to retry keeps its slot", async () => {
    const clock = handClock();
    const { log, one } = oneSlot(clock, 5_000, 1_000);
    const both = Promise.all([one.complete(ask("a"), noAbort()), one.complete(ask("b"), noAbort())]);
    await settle();
    expect(log).toEqual(["a"]);
    await clock.advance(1_000);
    await both;
    expect(log).toEqual(["a", "a", "b"]);
  });

  it("a call that waits long to retry gives its slot to the next one, and is still answered", async () => {
    const clock = handClock();
    const { log, one } = oneSlot(clock, 5_000, 20_000);
    const both = Promise.all([one.complete(ask("a"), noAbort()), one.complete(ask("b"), noAbort())]);
    await settle();
    expect(log).toEqual(["a", "b"]);
    await clock.advance(20_000);
    expect((await both).map(({ text }) => text)).toEqual(["a", "b"]);
    expect(log).toEqual(["a", "b", "a"]);
  });

  it("an aborted call in the queue never starts", async () => {
    const controller = new AbortController();
    let started = 0;
    const model = scripted(async () => {
      started++;
      await settle();
      return replyOf("x");
    });
    const one = limited(model, { concurrency: 1, clock: fakeClock() });
    const first = one.complete(ask("a"), noAbort());
    const second = one.complete(ask("b"), controller.signal);
    controller.abort(new Error("Ctrl-C"));
    await first;
    await expect(second).rejects.toThrow("Ctrl-C");
    expect(started).toBe(1);
  });
});
