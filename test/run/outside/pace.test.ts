import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../scripts/bench/limits/virtual-clock.js";
import { realClock } from "../../../src/commands/process-io.js";
import { ModelError } from "../../../src/errors.js";
import { openai } from "../../../src/models/providers/openai/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { layered } from "../../../src/run/outside/layers.js";
import { type Grant, Pace } from "../../../src/run/outside/pace.js";
import { Paces } from "../../../src/run/outside/paces.js";
import type { Model } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const MINUTE = 60_000;
const cost = { requests: 1, input: 100, output: 10, tokens: 110 };
const busy = (more: object = {}) =>
  new ModelError("m: 429 slow down", { retryable: true, status: 429, bill: "none", throttled: true, ...more });

function pace(more: Partial<ConstructorParameters<typeof Pace>[0]> = {}, slots = 4, cap = 64) {
  const clock = new VirtualClock();
  const made = new Pace({ own: {}, clock, random: seeded("pace"), ...more }, cap);
  for (const kind of ["m", "other"]) made.open(kind, `openai/${kind}`, slots);
  const admit = (signal = noAbort(), isAgain = false, kind = "m") =>
    made.admit({ call: {}, model: `openai/${kind}`, kind, cost, signal, isAgain, sinceMs: clock.monotonic() });
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

const many = (n: number, admit: () => Promise<Grant>) => watched(Array.from({ length: n }, () => admit()));

describe("the pace of calls to one server", () => {
  it("is one call first, then twice as many a round, up to the cap", async () => {
    const { admit, pass } = pace({}, 1, 8);
    const waves: number[] = [];
    const came = many(40, admit);
    for (let round = 0; round < 5; round++) {
      await pass(1);
      waves.push(came.length);
      for (const grant of came.splice(0)) grant.answered({});
    }
    expect(waves).toEqual([1, 2, 4, 8, 8]);
  });

  it("lets calls start in the order in which they came; one that was refused goes before all of them", async () => {
    const { admit, pass } = pace({}, 1);
    const order: string[] = [];
    const come = async (name: string, isAgain = false) => {
      const grant = await admit(noAbort(), isAgain);
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

  it("keeps a limit that the user set", async () => {
    const { admit, pass } = pace({ own: { requests: 60 } }, 64);
    const came = many(200, admit);
    await pass(30_000);
    for (const grant of came) grant.answered({});
    await pass(30_000);
    expect(came.length).toBeGreaterThan(55);
    expect(came.length).toBeLessThanOrEqual(60 + 6);
  });

  it("learns limits from headers: a call too many waits for its share of the minute", async () => {
    const { made, admit, pass } = pace({}, 8);
    const first = await admit();
    first.hear({ tokens: { limit: 6_600, remaining: 220, resetMs: 58_000, offMs: 1 } });
    first.answered({});
    const came = many(6, admit);
    await pass(10);
    expect(came).toHaveLength(1);
    expect(made.waiting()).toMatchObject([{ calls: 5, why: "tokens", perMinute: 6_600 }]);
    await pass(2_500);
    expect(came.length).toBeLessThanOrEqual(4);
  });

  it("is not bound by the limit of a day, told by a reset beyond a minute", async () => {
    const { admit, pass } = pace({}, 8);
    const first = await admit();
    first.hear({ requests: { limit: 14_400, remaining: 2, resetMs: 86_000_000, offMs: 1 } });
    first.answered({});
    const came = many(6, admit);
    await pass(10);
    expect(came).toHaveLength(6);
  });

  it("waits as long as the server asks, at most 120 s", async () => {
    const { made, admit, pass } = pace({}, 8);
    (await admit()).failed(busy({ retryAfterMs: 3_600_000 }));
    const came = many(1, admit);
    expect(made.waiting()).toMatchObject([{ calls: 1, why: "asked" }]);
    await pass(119_000);
    expect(came).toHaveLength(0);
    await pass(1_001);
    expect(came).toHaveLength(1);
  });

  it("is of each class of models its own, within the one cap of the server", async () => {
    const { admit, pass } = pace({}, 3, 4);
    const came = many(5, () => admit(noAbort(), false, "m"));
    const others = many(5, () => admit(noAbort(), false, "other"));
    await pass(1);
    expect([came.length, others.length]).toEqual([3, 1]);
    came[0]?.failed(busy({ retryAfterMs: 5_000 }));
    await pass(1);
    expect([came.length, others.length]).toEqual([3, 2]);
  });
});

describe("a server that does not reply", () => {
  it("is given up after refusals for so long, and not while replies come", async () => {
    const { admit, pass, clock } = pace({ giveUpAfterMs: 2 * MINUTE }, 2);
    (await admit()).failed(busy({ retryAfterMs: 39_000 }));
    await pass(100_000);
    (await admit()).answered({});
    const refused = async () => {
      for (;;) (await clock.run(admit())).failed(busy({ retryAfterMs: 39_000 }));
    };
    await expect(refused()).rejects.toMatchObject({
      message: "m: 429 slow down; no reply from openai/m for 2 minutes (--give-up-after)",
      scope: "model",
      retryable: false,
    });
    expect(clock.monotonic()).toBe(100_000 + 2 * MINUTE);
  });

  it("is given up while what it asked to wait lasts, and the calls in flight end with it", async () => {
    const { admit, clock } = pace({ giveUpAfterMs: 5_000 }, 3);
    const [first, second] = [await admit(), await admit()];
    first.failed(busy({ retryAfterMs: 120_000 }));
    const ends = await clock.run(Promise.allSettled([1, 2].map(() => admit())));
    for (const end of ends) expect(end).toMatchObject({ reason: { scope: "model", retryable: false } });
    expect(clock.monotonic()).toBe(5_000);
    expect(second.signal.reason).toMatchObject({ scope: "model" });
  });

  it("is told of after 20 s, with its address", async () => {
    const { made, admit, pass } = pace({ address: "http://lab/v1" }, 2);
    const [first] = [await admit(), await admit()];
    await pass(19_000);
    expect(made.waiting()).toEqual([]);
    await pass(2_000);
    expect(made.waiting()).toEqual([{ name: "http://lab/v1", calls: 2, oldestMs: 21_000, why: "silent" }]);
    first.answered({});
    expect(made.waiting()).toEqual([]);
  });

  it("turns whoever waits away when the run stops or the call's own signal fires, and lets the others wait on", async () => {
    const [stop, own] = [new AbortController(), new AbortController()];
    const { made, admit } = pace({ stop: stop.signal }, 1);
    await admit();
    const [mine, other] = [admit(own.signal), admit()];
    own.abort(new Error("given up"));
    await expect(mine).rejects.toThrow("given up");
    expect(made.waiting()[0]?.calls).toBe(1);
    stop.abort(new Error("Ctrl-C"));
    await expect(other).rejects.toThrow("Ctrl-C");
    await expect(admit()).rejects.toThrow("Ctrl-C");
  });
});

it("models share a pace where they share a server and an account, and limits where they share a class", () => {
  const paces = new Paces({
    endpoints: { lab: { provider: "openai", baseUrl: "http://lab/v1" } },
    baseUrl: "http://first/v1",
    clock: new VirtualClock(),
    random: seeded("paces"),
  });
  const of = (id: string, address?: string) => {
    const model: Model = { ...scripted(() => replyOf("x")), id, ...(address === undefined ? {} : { address }) };
    return paces.of(model);
  };
  const first = of("openai/m");
  expect(of("openai/m-2026-01-01")).toMatchObject({ kind: first.kind }); // a date is no other class
  expect(of("openai/other").pace).toBe(first.pace);
  expect(of("openai/other").kind).not.toBe(first.kind);
  expect(of("openai/m", "http://judge/v1").pace).not.toBe(first.pace);
  expect(of("lab/m").pace).not.toBe(first.pace);
  const opus = of("anthropic/claude-opus-4-7").kind;
  expect(of("anthropic/claude-opus-4-8").kind).toBe(opus); // one class at Anthropic
  expect(of("anthropic/claude-sonnet-4-6").kind).not.toBe(opus);
  expect(of("anthropic/claude-opus-5").kind).not.toBe(opus);
});

it("a server that takes the call and never answers is given up in time, before the deadline of a try", async () => {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const [random, clock] = [seeded("hang"), realClock];
  const model = layered(await openai.open("m", { env: {}, baseUrl, concurrency: 4 }), {
    paces: new Paces({ endpoints: {}, baseUrl, giveUpAfterMs: 300, clock, random }),
    store: { get: () => undefined, put: () => undefined },
    ...{ clock, random },
  });
  const from = clock.monotonic();
  const ends = await Promise.allSettled(["a", "b", "c"].map((text) => model.complete(ask(text), noAbort())));
  server.closeAllConnections();
  server.close();
  const reason = { scope: "model", message: expect.stringContaining(`no reply from ${baseUrl} for 0.3 seconds`) };
  for (const end of ends) expect(end).toMatchObject({ reason });
  expect(clock.monotonic() - from).toBeLessThan(5_000);
});
