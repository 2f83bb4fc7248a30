import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import type { Admission } from "../../../src/models/rate/controller.js";
import { CostGuess } from "../../../src/models/rate/cost.js";
import { type RetryEvent, rated, tried } from "../../../src/models/wrap/rated.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Model, ModelReply } from "../../../src/types.js";
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

/** A controller that lets each call start at once, at the server that is next, and writes down what it is told. */
function desk(heldMs = 0, servers: readonly number[] = [0], givenUp?: ModelError) {
  const told: unknown[] = [];
  const asked: Admission[] = [];
  const controller = {
    async admit(_cost: unknown, _signal: AbortSignal, admission: Admission) {
      asked.push(admission);
      return {
        server: servers[Math.min(asked.length, servers.length) - 1]!,
        hear: () => undefined,
        answered: () => told.push("answered"),
        refused: () => {
          told.push("refused");
          return { heldMs, givenUp };
        },
        failed: () => told.push("failed"),
        dropped: () => told.push("dropped"),
      };
    },
    hold: (server: number, ms: number) => told.push(`hold ${server} ${ms}`),
  };
  return { controller, told, asked };
}

function sender(model: Model, { controller }: ReturnType<typeof desk>, more: { readonly stop?: AbortController } = {}) {
  const events: RetryEvent[] = [];
  const clock = fakeClock(5_000);
  const made = rated(model, [model, model], {
    ...{ controller, policy, clock, random, ...more },
    guess: new CostGuess({ outputAsWritten: false, cacheReadsFree: false, modelId: model.id }, model.capabilities),
    onRetry: (event) => events.push(event),
  });
  return { model: made, events, clock };
}

describe("the tries of one call, as the keeper of the rate is told of them", () => {
  it.each([
    ["is answered", [], ["answered"]],
    ["fails and is answered", [down()], ["failed", "answered"]],
    ["fails with a wait", [down(9_000)], ["failed", "hold 0 9000", "answered"]],
    ["is refused and answered", [refusal()], ["refused", "answered"]],
    ["ends by our own mistake", [new TypeError("a bug")], ["dropped"]],
  ] as const)("a call that %s", async (_, errors, expected) => {
    const made = desk();
    await sender(turns(...errors).model, made)
      .model.complete(ask("x"), noAbort())
      .catch(() => undefined);
    expect(made.told).toEqual(expected);
  });

  it("a call that is stopped in flight is no failure of the server, and ends with the reason of the stop", async () => {
    const made = desk();
    const stop = new AbortController();
    const model = scripted(() => {
      stop.abort(new Error("Ctrl-C"));
      throw down();
    });
    const { model: asked, clock, events } = sender(model, made);
    await expect(asked.complete(ask("x"), stop.signal)).rejects.toThrow("Ctrl-C");
    expect([made.told, clock.sleeps, events]).toEqual([["dropped"], [], []]);
  });

  it("goes again before calls that came later, and after a failure to another server; the wait is held where it failed", async () => {
    const made = desk(0, [1, 0, 1]);
    await sender(turns(down(7_000), refusal()).model, made).model.complete(ask("x"), noAbort());
    expect(made.asked).toEqual([{}, { again: { sinceMs: 5_000, avoid: 1 } }, { again: { sinceMs: 5_000 } }]);
    expect(made.told).toEqual(["failed", "hold 1 7000", "refused", "answered"]);
  });

  it.each([
    ["what the server asked", 0, 4_000, 4_000, 4_000],
    ["how long nothing starts there, where that is longer", 9_000, 4_000, 9_000, 4_000],
    ["how long nothing starts there, where it asked for nothing", 9_000, undefined, 9_000, 0],
    ["two minutes at most", 0, 500_000, 120_000, 500_000],
  ])("a refusal is told with its wait: %s", async (_, heldMs, asks, waitMs, askedMs) => {
    const { model, events } = sender(turns(refusal(asks)).model, desk(heldMs));
    await model.complete(ask("x"), noAbort());
    expect(events).toMatchObject([{ attempt: 1, waitMs, askedMs }]);
  });

  it("refused for too long, it ends, also where there is no run to stop", async () => {
    const givenUp = new ModelError("refused too long", { retryable: false, scope: "stop" });
    const made = desk(0, [0], givenUp);
    await expect(sender(turns(refusal()).model, made).model.complete(ask("x"), noAbort())).rejects.toBe(givenUp);
    const stop = new AbortController();
    await expect(sender(turns(refusal()).model, made, { stop }).model.complete(ask("x"), noAbort())).rejects.toBe(
      givenUp,
    );
    expect(stop.signal.reason).toBe(givenUp);
  });
});

describe("a call that is not let start", () => {
  const refusing = (error: unknown) => ({
    ...desk(),
    controller: { admit: async () => Promise.reject(error), hold: () => expect.unreachable() },
  });
  const stopped = new ModelError("refused too long", { retryable: false, scope: "stop" });

  it.each([
    ["stops the run where servers refuse for too long", stopped, true],
    ["does not where it was aborted itself", new Error("mine"), false],
    ["does not where the error is of this call alone", new ModelError("no", { retryable: false }), false],
  ])("%s", async (_, error, stops) => {
    const stop = new AbortController();
    const { model } = sender(turns().model, refusing(error), { stop });
    await expect(model.complete(ask("x"), noAbort())).rejects.toBe(error);
    expect(stop.signal.aborted).toBe(stops);
    await expect(sender(turns().model, refusing(error)).model.complete(ask("x"), noAbort())).rejects.toBe(error);
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
