import { afterEach, describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { openai } from "../../../src/models/openai.js";
import { RetryLater } from "../../../src/models/wrap/retry-later.js";
import { type RetryEvent, type RetrySettings, retrying } from "../../../src/models/wrap/retrying.js";
import { timed } from "../../../src/models/wrap/timed.js";
import { realClock } from "../../../src/process-io.js";
import { seeded } from "../../../src/random/seeded.js";
import type { StartTimer } from "../../../src/retry/deadline.js";
import type { Clock } from "../../../src/types.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";
import { type Fault, type ProviderServer, startProviderServer } from "../../helpers/provider-server.js";

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

function settings(more: Partial<RetrySettings> = {}): RetrySettings {
  return {
    attempts: 4,
    maxRetryAfterMs: 60_000,
    baseDelayMs: 100,
    clock: fakeClock(),
    random: seeded("retry"),
    ...more,
  };
}

const passing = (retryAfterMs?: number) => new ModelError("busy", { retryable: true, status: 429, retryAfterMs });

/** Fails with the given errors in turn, then answers. */
function failing(...errors: readonly Error[]) {
  return failingAt(fakeClock(), ...errors);
}

/** The same, with the times of its calls. */
function failingAt(clock: Clock, ...errors: readonly Error[]) {
  let calls = 0;
  const starts: number[] = [];
  const model = scripted(() => {
    starts.push(clock.now());
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return replyOf("done");
  });
  return { model, calls: () => calls, starts };
}

describe("retrying", () => {
  it("tries again until it is answered, with jittered backoff that doubles", async () => {
    const clock = fakeClock();
    const { model, calls } = failing(passing(), passing(), passing());
    const reply = await retrying(model, settings({ clock })).complete(ask("x"), noAbort());
    expect(reply.text).toBe("done");
    expect(calls()).toBe(4);
    for (const [i, waitMs] of clock.sleeps.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(50 * 2 ** i);
      expect(waitMs).toBeLessThanOrEqual(100 * 2 ** i);
    }
    expect(clock.sleeps).toHaveLength(3);
  });

  it("never comes back before Retry-After, nor later than its cap", async () => {
    const clock = fakeClock();
    const { model } = failing(passing(7_000), passing(24 * 3_600_000));
    await retrying(model, settings({ clock })).complete(ask("x"), noAbort());
    expect(clock.sleeps[0]).toBeGreaterThanOrEqual(7_000);
    expect(clock.sleeps[0]).toBeLessThan(7_100);
    expect(clock.sleeps[1]).toBeGreaterThanOrEqual(60_000);
    expect(clock.sleeps[1]).toBeLessThan(60_100);
  });

  it("gives up after the last try and says how many there were", async () => {
    const { model, calls } = failing(passing(), passing(), passing(), passing(), passing());
    const call = retrying(model, settings()).complete(ask("x"), noAbort());
    await expect(call).rejects.toThrow("busy (gave up after 4 tries)");
    expect(calls()).toBe(4);
  });

  it("does not try again what cannot pass, and lets our own mistakes through", async () => {
    const bad = failing(new ModelError("bad request", { retryable: false, status: 400 }));
    await expect(retrying(bad.model, settings()).complete(ask("x"), noAbort())).rejects.toThrow("bad request");
    expect(bad.calls()).toBe(1);
    const bug = failing(new TypeError("undefined is not a function"));
    await expect(retrying(bug.model, settings()).complete(ask("x"), noAbort())).rejects.toThrow(TypeError);
    expect(bug.calls()).toBe(1);
  });

  it("tells of every retry: which try, how long, why", async () => {
    const events: RetryEvent[] = [];
    const { model } = failing(passing(1_000));
    const onRetry = (event: RetryEvent) => events.push(event);
    await retrying(model, settings({ onRetry })).complete(ask("x"), noAbort());
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ attempt: 1, error: { status: 429 } });
  });

  it("after a Retry-After holds every new start until then, and no longer", async () => {
    const clock = fakeClock();
    const { model, starts } = failingAt(clock, passing(5_000));
    const watched = retrying(model, settings({ clock, attempts: 1 }));
    await expect(watched.complete(ask("a"), noAbort())).rejects.toThrow("busy");
    await watched.complete(ask("b"), noAbort());
    await watched.complete(ask("c"), noAbort());
    expect(starts[0]).toBe(0);
    expect(starts[1]).toBeGreaterThan(5_000); // a little later, so that not all start at once
    expect(starts[1]).toBeLessThan(5_101);
    expect(starts[2]).toBe(starts[1]);
  });

  it("hands a long wait out where it may, and keeps one of just that length", async () => {
    const clock = fakeClock();
    const wait = (retryAfterMs: number) =>
      retrying(
        failing(passing(retryAfterMs)).model,
        settings({ clock, handOutAfterMs: 20_000, baseDelayMs: 0 }),
      ).complete(ask("x"), noAbort());
    expect((await wait(20_000)).text).toBe("done");
    const later = await wait(20_001).catch((error: unknown) => error);
    expect(later).toMatchObject({ name: "RetryLater", message: "retry in 20001 ms", waitMs: 20_001 });
  });

  it("hands out the wait of a call that another one's Retry-After holds, which then goes on", async () => {
    const clock = fakeClock();
    const { model } = failing(passing(30_000));
    const held = retrying(model, settings({ clock, attempts: 1, handOutAfterMs: 5_000, baseDelayMs: 0 }));
    await expect(held.complete(ask("a"), noAbort())).rejects.toThrow("busy");
    const later = await held.complete(ask("b"), noAbort()).catch((error: unknown) => error);
    if (!(later instanceof RetryLater)) throw new Error("not handed out");
    await clock.sleep(later.waitMs, noAbort());
    expect((await later.resume()).text).toBe("done");
  });

  it("does not tell of a retry after the last try, and tells of each try before it", async () => {
    const events: RetryEvent[] = [];
    const { model, calls } = failing(passing(), passing());
    const onRetry = (event: RetryEvent) => events.push(event);
    const call = retrying(model, settings({ attempts: 2, onRetry })).complete(ask("x"), noAbort());
    await expect(call).rejects.toThrow("gave up after 2 tries");
    expect([events.map(({ attempt }) => attempt), calls()]).toEqual([[1], 2]);
  });

  it("a shorter Retry-After of another call does not shorten a longer one", async () => {
    const clock = fakeClock();
    const { model, starts } = failingAt(clock, passing(9_000), passing(0));
    const watched = retrying(model, settings({ clock, attempts: 1, baseDelayMs: 0 }));
    const calls = [watched.complete(ask("a"), noAbort()), watched.complete(ask("b"), noAbort())];
    await Promise.allSettled(calls);
    await watched.complete(ask("c"), noAbort());
    expect(starts.at(-1)).toBe(9_000);
  });

  it("a wall clock that is set back during a wait holds no start", async () => {
    const clock = fakeClock(Date.UTC(2026, 10, 21));
    const { model } = failing(passing(5_000));
    const sleep = clock.sleep.bind(clock);
    const setBack: typeof clock = {
      ...clock,
      async sleep(delayMs, signal) {
        await sleep(delayMs, signal);
        clock.setWall(clock.now() - 3_600_000);
      },
    };
    expect((await retrying(model, settings({ clock: setBack })).complete(ask("x"), noAbort())).text).toBe("done");
    expect(clock.sleeps.reduce((sum, waitMs) => sum + waitMs, 0)).toBeLessThan(5_200);
  });

  it("ends a call that ignores its signal at the deadline, and tries again", async () => {
    let calls = 0;
    const deaf = scripted(() => (++calls === 1 ? new Promise(() => {}) : replyOf("second")));
    const reply = await retrying(timed(deaf, { deadlineMs: 30 }), settings()).complete(ask("x"), noAbort());
    expect(reply.text).toBe("second");
  });

  it("stops at once on abort, in a call and in a wait", async () => {
    const controller = new AbortController();
    const silent = scripted(() => new Promise(() => {}));
    const hanging = retrying(timed(silent, { deadlineMs: 5_000 }), settings()).complete(ask("x"), controller.signal);
    const { model } = failing(passing(60_000));
    const waiting = retrying(model, settings({ clock: realClock })).complete(ask("x"), controller.signal);
    setTimeout(() => controller.abort(new Error("Ctrl-C")), 20);
    await expect(hanging).rejects.toThrow("Ctrl-C");
    await expect(waiting).rejects.toThrow("Ctrl-C");
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
      const patient = retrying(timed(model, { startTimer: hand, deadlineMs: 7_000 }), settings());
      expect((await patient.complete(ask("x"), noAbort())).text).toBe("echo: x");
      expect(server.requests).toHaveLength(2);
    },
  );

  it("a deadline says how long it was, and passes with the last try", async () => {
    const silent = scripted(() => new Promise(() => {}));
    const startTimer: StartTimer = (delayMs, fire) => {
      expect(delayMs).toBe(7_000);
      setImmediate(fire);
      return () => undefined;
    };
    const late = retrying(timed(silent, { deadlineMs: 7_000, startTimer }), settings({ attempts: 2 }));
    await expect(late.complete(ask("x"), noAbort())).rejects.toThrow(
      "no complete reply within 7 s (gave up after 2 tries)",
    );
  });
});
