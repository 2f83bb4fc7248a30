import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../scripts/bench/limits/virtual-clock.js";
import { realClock } from "../../../src/commands/process-io.js";
import { ModelError } from "../../../src/errors.js";
import { openai } from "../../../src/models/providers/openai/index.js";
import type { StartTimer } from "../../../src/net/deadline.js";
import { seeded } from "../../../src/random/seeded.js";
import { CallCost } from "../../../src/run/outside/call-cost.js";
import { timed } from "../../../src/run/outside/layers.js";
import { Pace } from "../../../src/run/outside/pace.js";
import { type PacedSettings, paced, type RetryEvent } from "../../../src/run/outside/paced.js";
import type { Clock, Model } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";
import { type Fault, type ProviderServer, startProviderServer } from "../../helpers/provider-server.js";

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const random = seeded("rated");
/** The model behind a pace of its own: four tries, 100 ms of backoff, so many slots. */
function wrapped(
  model: Model,
  more: Partial<PacedSettings> & { readonly slots?: number; readonly giveUpAfterMs?: number } = {},
) {
  const { clock = fakeClock(), slots = 4, giveUpAfterMs } = more;
  const pace = new Pace({ own: {}, clock, random, giveUpAfterMs }, slots);
  pace.open("m", model.id, slots);
  const policy = { tries: 4, firstWaitMs: 100, longestWaitMs: 120_000 };
  const cost = new CallCost("gpt-6-luna", {}, model.capabilities);
  return paced(model, { pace, kind: "m", cost, policy, clock, random, ...more });
}

const refusal = (retryAfterMs?: number) =>
  new ModelError("slow down", { retryable: true, status: 429, bill: "none", throttled: true, retryAfterMs });
/** A failure of the call alone. */
const breaking = (retryAfterMs?: number) => new ModelError("busy", { retryable: true, status: 408, retryAfterMs });

/** Fails with the given errors in turn, then answers; with the times of its calls. */
function failing(clock: Clock, ...errors: readonly Error[]) {
  const starts: number[] = [];
  const model = scripted(() => {
    starts.push(clock.monotonic());
    const error = errors[starts.length - 1];
    if (error !== undefined) throw error;
    return replyOf("done");
  });
  return { model, starts };
}

describe("calls that fail", () => {
  it("are tried again until they are answered, with jittered backoff that doubles", async () => {
    const clock = fakeClock();
    const { model, starts } = failing(clock, breaking(), breaking(), breaking());
    expect((await wrapped(model, { clock }).complete(ask("x"), noAbort())).text).toBe("done");
    expect(starts).toHaveLength(4);
    for (const [i, waitMs] of clock.sleeps.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(50 * 2 ** i);
      expect(waitMs).toBeLessThanOrEqual(100 * 2 ** i);
    }
    expect(clock.sleeps).toHaveLength(3);
  });

  it("never come back before Retry-After, nor much later than its cap", async () => {
    const clock = new VirtualClock();
    const { model, starts } = failing(clock, breaking(7_000), breaking(24 * 3_600_000));
    await clock.run(wrapped(model, { clock }).complete(ask("x"), noAbort()));
    expect(starts[1]).toBeGreaterThanOrEqual(7_000);
    expect(starts[1]).toBeLessThan(7_101);
    expect(starts[2]! - starts[1]!).toBeGreaterThanOrEqual(120_000);
    expect(starts[2]! - starts[1]!).toBeLessThan(120_101);
  });

  it("are given up after the last try, which says how many there were", async () => {
    const clock = fakeClock();
    const { model, starts } = failing(clock, breaking(), breaking(), breaking(), breaking(), breaking());
    await expect(wrapped(model, { clock }).complete(ask("x"), noAbort())).rejects.toThrow(
      "busy (gave up after 4 tries)",
    );
    expect(starts).toHaveLength(4);
  });

  it("are not tried again where that cannot pass, and our own mistakes come through", async () => {
    const clock = fakeClock();
    const bad = failing(clock, new ModelError("bad request", { retryable: false, status: 400 }));
    await expect(wrapped(bad.model).complete(ask("x"), noAbort())).rejects.toThrow("bad request");
    const bug = failing(clock, new TypeError("undefined is not a function"));
    await expect(wrapped(bug.model).complete(ask("x"), noAbort())).rejects.toThrow(TypeError);
    expect([bad.starts.length, bug.starts.length]).toEqual([1, 1]);
  });

  it("hold no slot while they wait for their next try", async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    const model = scripted(({ messages: [first] }) => {
      const name = first?.role === "user" ? first.content : "";
      order.push(name);
      if (order.length === 1) throw breaking();
      return replyOf(name);
    });
    const one = wrapped(model, { clock, slots: 1 });
    await clock.run(Promise.all([one.complete(ask("a"), noAbort()), one.complete(ask("b"), noAbort())]));
    expect(order).toEqual(["a", "b", "a"]);
  });

  it("tell of every retry, and not of one after the last try", async () => {
    const events: RetryEvent[] = [];
    const clock = fakeClock();
    const errors = [refusal(1_000), breaking(), breaking(), breaking(), breaking()];
    const onRetry = (event: RetryEvent) => events.push(event);
    const call = wrapped(failing(clock, ...errors).model, { clock, onRetry }).complete(ask("x"), noAbort());
    await expect(call).rejects.toThrow("gave up after 4 tries");
    expect(events.map(({ attempt, error }) => [attempt, error.status])).toEqual([
      [1, 429],
      [1, 408],
      [2, 408],
      [3, 408],
    ]);
  });

  it("hold every new start until the Retry-After of one of them is over", async () => {
    const clock = new VirtualClock();
    const { model, starts } = failing(clock, breaking(9_000), breaking(0));
    const watched = wrapped(model, { clock, slots: 2, policy: { tries: 1, firstWaitMs: 0, longestWaitMs: 120_000 } });
    await Promise.allSettled([watched.complete(ask("a"), noAbort()), watched.complete(ask("b"), noAbort())]);
    await clock.run(watched.complete(ask("c"), noAbort()));
    expect(starts.at(-1)).toBe(9_000);
  });
});

describe("calls that are refused for now", () => {
  it("use up no try, however often it happens", async () => {
    const clock = new VirtualClock();
    const refusals = Array.from({ length: 12 }, (_, i) => refusal(i % 2 === 0 ? 1_000 : undefined));
    const { model, starts } = failing(clock, ...refusals);
    const reply = await clock.run(wrapped(model, { clock }).complete(ask("x"), noAbort()));
    expect(reply.text).toBe("done");
    expect(starts).toHaveLength(13);
  });

  it("give the model up, and fail no question, where nothing but refusals came for too long", async () => {
    const clock = new VirtualClock();
    const model = scripted(() => {
      throw refusal(30_000);
    });
    const calls = wrapped(model, { clock, giveUpAfterMs: 120_000 });
    const ends = await clock.run(Promise.allSettled(["a", "b"].map((text) => calls.complete(ask(text), noAbort()))));
    const reason = { scope: "model", message: expect.stringContaining("for 2 minutes (--give-up-after)") };
    expect(ends).toMatchObject([{ reason }, { reason }]);
    expect(clock.monotonic()).toBe(120_000);
  });

  it("give the model up in the middle of what a server asked to wait, where that is longer than --give-up-after", async () => {
    const clock = new VirtualClock();
    const { model, starts } = failing(clock, refusal(120_000));
    const calls = wrapped(model, { clock, slots: 1, giveUpAfterMs: 5_000 });
    const ends = await clock.run(Promise.allSettled(["a", "b"].map((text) => calls.complete(ask(text), noAbort()))));
    const reason = { scope: "model", message: expect.stringContaining("for 5 seconds") };
    for (const end of ends) expect(end).toMatchObject({ reason });
    expect([clock.monotonic(), starts.length]).toEqual([5_000, 1]);
  });

  it("wait through a wall clock that is set back", async () => {
    const clock = fakeClock(Date.UTC(2026, 10, 21));
    const { model } = failing(clock, refusal(5_000));
    const sleep = clock.sleep.bind(clock);
    const setBack: typeof clock = {
      ...clock,
      async sleep(delayMs, signal) {
        await sleep(delayMs, signal);
        clock.setWall(clock.now() - 3_600_000);
      },
    };
    expect((await wrapped(model, { clock: setBack }).complete(ask("x"), noAbort())).text).toBe("done");
    expect(clock.sleeps.reduce((sum, waitMs) => sum + waitMs, 0)).toBeLessThan(5_200);
  });

  it("leave what a try without a reply really was to whoever counts: nobody is answered twice", async () => {
    const clock = new VirtualClock();
    const { model, starts } = failing(clock, refusal(), breaking(), refusal());
    const all = ["a", "b", "c"].map((text) => ask(text));
    const calls = wrapped(model, { clock, slots: 1 });
    await clock.run(Promise.all(all.map((request) => calls.complete(request, noAbort()))));
    expect(starts).toHaveLength(6);
  });
});

describe("calls under a deadline", () => {
  it("end there when they ignore their signal, and are tried again", async () => {
    let calls = 0;
    const deaf = scripted(() => (++calls === 1 ? new Promise(() => {}) : replyOf("second")));
    const reply = await wrapped(timed(deaf, { deadlineMs: 30 })).complete(ask("x"), noAbort());
    expect(reply.text).toBe("second");
  });

  it("stop at once on abort, in a call and in a wait", async () => {
    const controller = new AbortController();
    const silent = scripted(() => new Promise(() => {}));
    const hanging = wrapped(timed(silent, { deadlineMs: 5_000 })).complete(ask("x"), controller.signal);
    const waits = [breaking(60_000), refusal(60_000)].map((error) =>
      wrapped(failing(realClock, error).model, { clock: realClock }).complete(ask("x"), controller.signal),
    );
    setTimeout(() => controller.abort(new Error("Ctrl-C")), 20);
    for (const call of [hanging, ...waits]) await expect(call).rejects.toThrow("Ctrl-C");
  });

  it.each([["hang"], ["stall"]] as const)(
    "a server that makes a call %s costs one deadline, not the run",
    async (kind) => {
      const timers: (() => void)[] = [];
      const hand: StartTimer = (_delayMs, fire) => {
        timers.push(fire);
        return () => undefined;
      };
      server = await startProviderServer({
        fault: ({ attempt }): Fault | undefined => {
          if (attempt > 1) return undefined;
          setImmediate(() => timers[0]?.()); // the server has the request: the deadline passes
          return { kind };
        },
      });
      const model = await openai.open("m", { env: {}, baseUrl: server.url, concurrency: 2 });
      const patient = wrapped(timed(model, { startTimer: hand, deadlineMs: 7_000 }));
      expect((await patient.complete(ask("x"), noAbort())).text).toBe("echo: x");
      expect(server.requests).toHaveLength(2);
    },
  );

  it("say how long it was, and pass with the last try", async () => {
    const silent = scripted(() => new Promise(() => {}));
    const startTimer: StartTimer = (delayMs, fire) => {
      expect(delayMs).toBe(7_000);
      setImmediate(fire);
      return () => undefined;
    };
    const late = wrapped(timed(silent, { deadlineMs: 7_000, startTimer }));
    await expect(late.complete(ask("x"), noAbort())).rejects.toThrow(
      "no complete reply within 7 s (gave up after 4 tries)",
    );
  });
});
