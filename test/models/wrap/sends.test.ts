import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import type { Admission } from "../../../src/models/rate/limiter.js";
import { CostGuess, type RetryEvent, rated, tried } from "../../../src/models/wrap/rated.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Model, ModelReply } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const policy = { tries: 3, firstWaitMs: 100, longestWaitMs: 60_000 };
const random = seeded("sends");
const down = (retryAfterMs?: number) => new ModelError("down", { retryable: true, status: 503, retryAfterMs });
const refusal = (retryAfterMs?: number) =>
  new ModelError("slow down", { retryable: true, status: 429, throttled: true, retryAfterMs });

/** Throws the errors in turn, then answers. */
function turns(...errors: readonly unknown[]) {
  const state = { sent: 0 };
  const model = scripted((): ModelReply => {
    const error = errors[state.sent++];
    if (error !== undefined) throw error;
    return replyOf("done");
  });
  return { model, state };
}

/** A limiter that lets each call start at once, at the server that is next, and writes down what it is told. */
function open(heldMs = 0, servers: readonly number[] = [0], end?: ModelError) {
  const told: unknown[] = [];
  const asked: Admission[] = [];
  const limiter = {
    async admit(_cost: unknown, _signal: AbortSignal, admission: Admission) {
      asked.push(admission);
      return {
        server: servers[Math.min(asked.length, servers.length) - 1]!,
        hear: () => undefined,
        answered: () => told.push("answered"),
        failed: ({ throttled }: ModelError) => {
          told.push(throttled ? "refused" : "failed");
          return { usesTry: !throttled, heldMs, end };
        },
        dropped: () => told.push("dropped"),
      };
    },
  };
  return { limiter, told, asked };
}

function sender(model: Model, { limiter }: Pick<ReturnType<typeof open>, "limiter">) {
  const events: RetryEvent[] = [];
  const clock = fakeClock(5_000);
  const made = rated(model, [model, model], {
    ...{ limiter, policy, clock, random },
    guess: new CostGuess({ outputAsWritten: false, cacheReadsFree: false, modelId: model.id }, model.capabilities),
    onRetry: (event) => events.push(event),
  });
  return { model: made, events, clock };
}

describe("the tries of one call, as the keeper of the rate is told of them", () => {
  it.each([
    ["is answered", [], ["answered"]],
    ["fails and is answered", [down()], ["failed", "answered"]],
    ["is refused and answered", [refusal()], ["refused", "answered"]],
    ["ends by our own mistake", [new TypeError("a bug")], ["dropped"]],
  ] as const)("a call that %s", async (_, errors, expected) => {
    const made = open();
    await sender(turns(...errors).model, made)
      .model.complete(ask("x"), noAbort())
      .catch(() => undefined);
    expect(made.told).toEqual(expected);
  });

  it("a call that is stopped in flight is no failure of the server, and ends with the reason of the stop", async () => {
    const made = open();
    const stop = new AbortController();
    const model = scripted(() => {
      stop.abort(new Error("Ctrl-C"));
      throw down();
    });
    const { model: asked, clock, events } = sender(model, made);
    await expect(asked.complete(ask("x"), stop.signal)).rejects.toThrow("Ctrl-C");
    expect([made.told, clock.sleeps, events]).toEqual([["dropped"], [], []]);
  });

  it("goes again before calls that came later, and after a failure to another server", async () => {
    const made = open(0, [1, 0, 1]);
    await sender(turns(down(7_000), refusal()).model, made).model.complete(ask("x"), noAbort());
    const [first] = made.asked;
    expect(made.asked).toEqual([
      { call: expect.anything() },
      { ...first, again: { sinceMs: 5_000, avoid: 1 } },
      { ...first, again: { sinceMs: 5_000 } },
    ]);
    expect(made.told).toEqual(["failed", "refused", "answered"]);
  });

  it.each([
    ["what the server asked", 0, 4_000, 4_000, 4_000],
    ["how long nothing starts there, where that is longer", 9_000, 4_000, 9_000, 4_000],
    ["how long nothing starts there, where it asked for nothing", 9_000, undefined, 9_000, 0],
    ["two minutes at most", 0, 500_000, 120_000, 500_000],
  ])("a refusal is told with its wait: %s", async (_, heldMs, asks, waitMs, askedMs) => {
    const { model, events } = sender(turns(refusal(asks)).model, open(heldMs));
    await model.complete(ask("x"), noAbort());
    expect(events).toMatchObject([{ attempt: 1, waitMs, askedMs }]);
  });

  it("given up, it ends", async () => {
    const end = new ModelError("refused too long", { retryable: false, scope: "model" });
    for (const error of [refusal(), down()])
      await expect(sender(turns(error).model, open(0, [0], end)).model.complete(ask("x"), noAbort())).rejects.toBe(end);
    const limiter = { admit: async () => Promise.reject(end) };
    await expect(sender(turns().model, { limiter }).model.complete(ask("x"), noAbort())).rejects.toBe(end);
  });
});

describe("calls without a rate", () => {
  it("start at once, and a refusal uses up a try like any other failure", async () => {
    const clock = fakeClock();
    const { model, state } = turns(refusal(2_000), down());
    expect((await tried(model, { policy, clock, random }).complete(ask("x"), noAbort())).text).toBe("done");
    expect([state.sent, clock.sleeps.length]).toEqual([3, 2]);
    const refused = turns(refusal(), refusal(), refusal());
    await expect(tried(refused.model, { policy, clock, random }).complete(ask("x"), noAbort())).rejects.toThrow(
      "gave up after 3 tries",
    );
  });
});
