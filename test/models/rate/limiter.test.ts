import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../scripts/bench/limits/virtual-clock.js";
import { ModelError } from "../../../src/errors.js";
import { type Grant, Limiter, type LimiterSettings, openRoom } from "../../../src/models/rate/limiter.js";
import { seeded } from "../../../src/random/seeded.js";
import { noAbort } from "../../helpers/model-request.js";

const MINUTE = 60_000;
const one = { requests: 1, input: 100, output: 10, tokens: 110 };
const busy = (more: object = {}) =>
  new ModelError("m: 429 slow down", { retryable: true, status: 429, bill: "none", throttled: true, ...more });

function limiter(more: Partial<LimiterSettings> = {}, slots = 4) {
  const clock = new VirtualClock();
  const made = new Limiter({
    name: "openai/m",
    servers: [{ room: openRoom(64), slots }],
    clock,
    random: seeded("limiter"),
    ...more,
  });
  const admit = (signal = noAbort()) => made.admit(one, signal);
  /** Lets whatever can go on go on, and `ms` pass. */
  const pass = (ms: number) => clock.run(clock.sleep(ms));
  return { made, admit, pass, clock };
}

/** The grants that came. */
function watched(promises: readonly Promise<Grant>[]): Grant[] {
  const came: Grant[] = [];
  for (const promise of promises)
    void promise.then(
      (grant) => came.push(grant),
      () => undefined,
    );
  return came;
}

describe("a limiter", () => {
  it("asks with one call first, then with twice as many a round, up to the cap", async () => {
    const { made, admit, pass } = limiter({ servers: [{ room: openRoom(8) }] });
    const waves: number[] = [];
    const came = watched(Array.from({ length: 40 }, () => admit()));
    for (let round = 0; round < 5; round++) {
      await pass(1);
      waves.push(came.length);
      for (const grant of came.splice(0)) grant.answered({});
    }
    expect(waves).toEqual([1, 2, 4, 8, 8]);
    expect(made.seen()[0]?.started).toBe(23 + 8);
  });

  it("lets calls start in the order in which they came; one that was refused goes before all of them", async () => {
    const { made, pass } = limiter({}, 1);
    const order: string[] = [];
    const come = async (name: string, again = false) => {
      const grant = await made.admit(one, noAbort(), again ? { again: { sinceMs: 0 } } : {});
      order.push(name);
      return grant;
    };
    const first = come("a");
    void come("b");
    void come("c");
    (await first).failed(busy());
    void come("a again", true);
    await pass(2_000);
    expect(order).toEqual(["a", "a again"]);
  });

  it("waits for a limit that the person set, and starts no faster on average", async () => {
    const { admit, pass } = limiter({ own: { requests: 60 } }, 64);
    const came = watched(Array.from({ length: 200 }, () => admit()));
    await pass(30_000);
    for (const grant of came) grant.answered({});
    await pass(30_000);
    expect(came.length).toBeGreaterThan(55);
    expect(came.length).toBeLessThanOrEqual(60 + 6);
  });

  it("learns limits from headers: a call too many waits for its share of the minute", async () => {
    const { made, admit, pass } = limiter({}, 8);
    const first = await admit();
    first.hear({ tokens: { limit: 6_600, remaining: 220, resetMs: 58_000, offMs: 1 } });
    first.answered({});
    const came = watched(Array.from({ length: 6 }, () => admit()));
    await pass(10);
    expect(came).toHaveLength(1);
    expect(made.waiting()).toMatchObject({ calls: 5, why: "tokens", perMinute: 6_600 });
    await pass(2_500);
    expect(came.length).toBeLessThanOrEqual(4);
  });

  it("is not paced by the limit of a day, told by a reset beyond a minute", async () => {
    const { admit, pass } = limiter({}, 8);
    const first = await admit();
    first.hear({ requests: { limit: 14_400, remaining: 2, resetMs: 86_000_000, offMs: 1 } });
    first.answered({});
    const came = watched(Array.from({ length: 6 }, () => admit()));
    await pass(10);
    expect(came).toHaveLength(6);
  });

  it("holds starts as long as the server asks, at most 120 s, and no slot is lost by the length of it", async () => {
    const { made, admit, pass } = limiter({}, 8);
    (await admit()).failed(busy({ retryAfterMs: 3_600_000 }));
    const came = watched([admit()]);
    expect(made.waiting()).toMatchObject({ calls: 1, why: "asked" });
    await pass(119_000);
    expect(came).toHaveLength(0);
    await pass(1_001);
    expect(came).toHaveLength(1);
    expect(made.seen()[0]).toMatchObject({ slots: 5, cuts: 1 });
  });

  it("cuts its slots once for a burst of refusals, and not at all where a header explains them or all are overloaded", async () => {
    const empty = { requests: { limit: 50, remaining: 0, resetMs: 60_000, offMs: 1 } };
    for (const [more, cuts] of [
      [{}, 1],
      [{ limits: empty }, 0],
      [{ status: 529 }, 0],
    ] as const) {
      const { made, admit, pass } = limiter({}, 10);
      const came = watched(Array.from({ length: 10 }, () => admit()));
      await pass(1);
      for (const grant of came) grant.failed(busy(more));
      expect(made.seen()[0]).toMatchObject({ cuts, slots: cuts === 1 ? 7 : 10, refused: 10 });
    }
  });

  it("gives up, with a stop of the run, after refusals for so long without a reply, and not while replies come", async () => {
    const { admit, pass } = limiter({ giveUpAfterMs: 2 * MINUTE }, 2);
    const refuse = async () => (await admit()).failed(busy({ retryAfterMs: 39_000 })).end;
    const afterwards = async () => {
      const grant = admit();
      await pass(40_000);
      return grant;
    };
    expect(await refuse()).toBeUndefined();
    (await afterwards()).answered({});
    expect(await refuse()).toBeUndefined();
    expect((await afterwards()).failed(busy({ retryAfterMs: 39_000 })).end).toBeUndefined();
    expect((await afterwards()).failed(busy({ retryAfterMs: 39_000 })).end).toBeUndefined();
    const end = (await afterwards()).failed(busy({ retryAfterMs: 39_000 })).end;
    expect(end).toMatchObject({ scope: "model", retryable: false });
    expect(end?.message).toBe("m: 429 slow down; no reply from openai/m for 2 minutes (--give-up-after)");
  });

  it("gives up while a server's Retry-After lasts longer than its patience, and not where a reply came meanwhile", async () => {
    const { made, admit, pass, clock } = limiter({ giveUpAfterMs: 5_000 }, 3);
    const [first, second] = [await admit(), await admit()];
    first.failed(busy({ retryAfterMs: 120_000 }));
    await pass(2_000);
    second.answered({});
    const ends: string[] = [];
    const waiting = [1, 2].map(() =>
      admit().catch((error: Error) => ends.push(`${clock.monotonic()} ${error.message}`)),
    );
    await pass(60_000);
    expect([ends, made.waiting()?.calls]).toEqual([[], 2]);
    await pass(60_000); // the hold is over, both are in flight
    const again = await Promise.all(waiting);
    expect(again).toHaveLength(2);
    for (const grant of again) if (typeof grant === "object") grant.failed(busy({ retryAfterMs: 120_000 }));
    const last = Promise.allSettled([1, 2].map(() => admit()));
    const fromMs = clock.monotonic();
    const stops = await clock.run(last);
    expect(clock.monotonic() - fromMs).toBe(5_000);
    const message = "m: 429 slow down; no reply from openai/m for 5 seconds (--give-up-after)";
    for (const stop of stops) expect(stop).toMatchObject({ reason: { scope: "model", retryable: false, message } });
  });

  it("turns whoever waits away when the run stops or the call's own signal fires, and lets the others wait on", async () => {
    const [stop, own] = [new AbortController(), new AbortController()];
    const { made, admit } = limiter({ stop: stop.signal }, 1);
    await admit();
    const [mine, other] = [admit(own.signal), admit()];
    own.abort(new Error("given up"));
    await expect(mine).rejects.toThrow("given up");
    expect(made.waiting()?.calls).toBe(1);
    stop.abort(new Error("Ctrl-C"));
    await expect(other).rejects.toThrow("Ctrl-C");
    await expect(admit()).rejects.toThrow("Ctrl-C");
  });

  it("shares one load between two servers, and leaves one that fails alone for a while", async () => {
    const server = () => ({ room: openRoom(4), slots: 4 });
    const { admit, pass } = limiter({ servers: [server(), server()] });
    const came = watched(Array.from({ length: 8 }, () => admit()));
    await pass(1);
    expect(came.map(({ server }) => server).sort()).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
    for (const grant of came.splice(0))
      if (grant.server === 0) grant.failed(new ModelError("connection reset", { retryable: true, bill: "unknown" }));
      else grant.answered({});
    const next = watched(Array.from({ length: 3 }, () => admit()));
    await pass(1);
    expect(next.map(({ server }) => server)).toEqual([1, 1, 1]);
  });

  it("counts calls of several limiters against the one cap of their server", async () => {
    const room = openRoom(3);
    const [a, b] = [limiter({ servers: [{ room }] }), limiter({ servers: [{ room, slots: 3 }] })];
    const ofA = watched([a.admit()]);
    const ofB = watched(Array.from({ length: 4 }, () => b.admit()));
    await b.pass(1);
    expect([ofA.length, ofB.length]).toEqual([1, 2]);
    ofA[0]?.answered({});
    await b.pass(1);
    expect(ofB).toHaveLength(3);
  });
});
