import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../../scripts/bench/limits/virtual-clock.js";
import { realClock } from "../../src/commands/terminal.js";
import { type LimitFacts, ModelError } from "../../src/errors.js";
import { openai } from "../../src/models/providers/openai/index.js";
import { type LayerSettings, layered, type RetryEvent } from "../../src/outside/layers.js";
import { CallCosts, defaultConcurrency, Servers } from "../../src/outside/servers.js";
import { seeded } from "../../src/random/seeded.js";
import type { Model, ModelReply } from "../../src/types/index.js";
import { ask, forgetting, noAbort, replyOf, scripted } from "../helpers/model-request.js";
import { type Fault, type ProviderServer, startProviderServer } from "../helpers/provider-server.js";

const MINUTE = 60_000;
const random = seeded("pace");
const never = () => () => undefined;
const refusal = (retryAfterMs?: number) =>
  new ModelError("slow down", { retryable: true, status: 429, bill: "none", throttled: true, retryAfterMs });
/** A failure of the call alone. */
const breaking = (retryAfterMs?: number) => new ModelError("busy", { retryable: true, status: 408, retryAfterMs });

/** A call that has reached the server. */
interface Arrived {
  readonly text: string;
  readonly atMs: number;
  reply(limits?: LimitFacts): void;
  fail(error: Error): void;
}

/** Models of one server in all their layers, on a virtual clock; a test answers what has arrived. */
function served(servers: Partial<ConstructorParameters<typeof Servers>[0]> = {}, more: Partial<LayerSettings> = {}) {
  const clock = new VirtualClock();
  const arrived: Arrived[] = [];
  const all = new Servers({ endpoints: {}, clock, random, ...servers });
  const open = (id: string): Model => {
    const bare: Model = {
      ...scripted(() => replyOf("x")),
      id,
      complete: ({ messages: [first] }, _signal, onLimits) =>
        new Promise((resolve, reject) => {
          const text = first?.role === "user" ? first.content : "";
          const reply = (limits?: LimitFacts): void => {
            if (limits !== undefined) onLimits?.(limits);
            resolve(replyOf(text));
          };
          arrived.push({ text, atMs: clock.monotonic(), reply, fail: reject });
        }),
    };
    return layered(bare, { servers: all, replies: forgetting(), clock, random, startTimer: never, ...more });
  };
  const models = new Map<string, Model>();
  const asked = (text: string, signal = noAbort(), id = "openai/m"): Promise<ModelReply> => {
    const model = models.get(id) ?? open(id);
    models.set(id, model);
    const call = model.complete(ask(text), signal);
    call.catch(() => undefined); // looked at by the test, or by nobody
    return call;
  };
  const many = (n: number, id = "openai/m") => Array.from({ length: n }, (_, i) => asked(`${id} ${i}`, noAbort(), id));
  /** Lets whatever can go on go on, and `ms` pass. */
  const pass = (ms = 1) => clock.run(clock.sleep(ms));
  /** Answers what has arrived. Returns how many that were. */
  const answer = (limits?: LimitFacts): number => {
    const calls = arrived.splice(0);
    for (const call of calls) call.reply(limits);
    return calls.length;
  };
  /** Lets `n` calls be in flight at once: as many have been answered. */
  const warm = async (n: number): Promise<void> => {
    for (let i = 0; i < n; i++) {
      asked(`warm ${i}`);
      await pass();
      answer();
      await pass(200);
    }
  };
  return { clock, arrived, servers: all, asked, many, pass, answer, warm };
}

describe("the pace of calls to one server", () => {
  it("is one call first, then twice as many a round, up to --concurrency", async () => {
    const { many, pass, answer } = served({ concurrency: 8 });
    many(40);
    const rounds: number[] = [];
    for (let round = 0; round < 5; round++) {
      await pass();
      rounds.push(answer());
    }
    expect(rounds).toEqual([1, 2, 4, 8, 8]);
  });

  it("lets calls start in the order in which they came; one that was refused goes before all of them", async () => {
    const { asked, arrived, pass } = served({ concurrency: 1 });
    for (const text of ["a", "b", "c"]) asked(text);
    await pass();
    arrived[0]!.fail(refusal());
    await pass(2_000);
    arrived[1]!.reply();
    await pass(2_000);
    expect(arrived.map(({ text }) => text)).toEqual(["a", "a", "b"]);
  });

  it("keeps a limit that the user set", async () => {
    const { many, pass, answer } = served({ userLimits: { requests: 60 } });
    many(200);
    let sent = 0;
    for (let second = 0; second < 60; second++) {
      await pass(1_000);
      sent += answer();
    }
    expect(sent).toBeGreaterThan(55);
    expect(sent).toBeLessThanOrEqual(66);
  });

  it("learns limits from headers: a call too many waits for its share of the minute", async () => {
    const { asked, many, arrived, servers, pass, warm } = served();
    await warm(8);
    asked("first");
    await pass();
    arrived.pop()!.reply({ requests: { limit: 60, remaining: 2, resetMs: 58_000, offMs: 1 } });
    await pass();
    many(6);
    await pass(500);
    expect(arrived.length).toBeLessThanOrEqual(2);
    expect(servers.waiting()).toMatchObject([{ name: "openai/m", why: "limit" }]);
    await pass(2_000);
    expect(arrived.length).toBeLessThanOrEqual(4);
  });

  it("is not bound by the limit of a day, told by a reset beyond a minute", async () => {
    const { asked, many, arrived, pass, warm } = served();
    await warm(8);
    asked("first");
    await pass();
    arrived.pop()!.reply({ requests: { limit: 14_400, remaining: 2, resetMs: 86_000_000, offMs: 1 } });
    await pass();
    many(6);
    await pass(200);
    expect(arrived).toHaveLength(6);
  });

  it("waits as long as the server asks, at most 120 s", async () => {
    const { asked, arrived, servers, pass } = served();
    asked("a");
    await pass();
    arrived.pop()!.fail(refusal(3_600_000));
    await pass();
    expect(servers.waiting()).toMatchObject([{ calls: 1, why: "busy" }]);
    await pass(119_900);
    expect(arrived).toHaveLength(0);
    await pass(200);
    expect(arrived).toHaveLength(1);
  });

  it("is of each class of models its own, within the one cap of the server", async () => {
    const { many, arrived, pass } = served({ concurrency: 4 });
    many(5);
    many(5, "openai/other");
    await pass();
    expect(arrived.map(({ text }) => text)).toEqual(["openai/m 0", "openai/other 0"]);
    arrived.shift()!.fail(refusal(5_000));
    arrived.shift()!.reply();
    await pass(1_000);
    expect(arrived.map(({ text }) => text)).toEqual(["openai/other 1", "openai/other 2"]);
  });

  it("is of lines of batches none: a refusal uses up a try like any failure", async () => {
    const { asked, arrived, clock } = served({}, { servers: undefined, policy: { tries: 2 } });
    const call = asked("a");
    const fail = async (): Promise<never> => {
      for (;;) {
        arrived.pop()?.fail(refusal());
        await clock.sleep(10);
      }
    };
    await expect(clock.run(Promise.race([call, fail()]))).rejects.toThrow("gave up after 2 tries");
  });
});

describe("calls that fail", () => {
  /** One call, whose tries fail so in turn; how it ended, and when they started. */
  async function one(errors: readonly Error[], more: Partial<LayerSettings> = {}) {
    const { clock, asked, arrived } = served({ concurrency: 1 }, { policy: { tries: 4, firstWaitMs: 100 }, ...more });
    const starts: number[] = [];
    const call = asked("a").then(
      ({ text }) => text,
      (error: Error) => error.message,
    );
    let end: string | undefined;
    void call.then((text) => (end = text));
    const answering = async (): Promise<void> => {
      while (end === undefined) {
        for (const { atMs, fail, reply } of arrived.splice(0)) {
          starts.push(atMs);
          const error = errors[starts.length - 1];
          if (error === undefined) reply();
          else fail(error);
        }
        await clock.sleep(1);
      }
    };
    await clock.run(answering());
    return { end, starts, waits: starts.slice(1).map((atMs, i) => atMs - starts[i]!) };
  }
  const times = (n: number, error: Error) => Array.from({ length: n }, () => error);

  it("are tried again until they are answered, with jittered backoff that doubles", async () => {
    const { end, waits } = await one(times(3, breaking()));
    expect(end).toBe("a");
    for (const [i, waitMs] of waits.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(50 * 2 ** i);
      expect(waitMs).toBeLessThanOrEqual(100 * 2 ** i + 3);
    }
  });

  it("never come back before Retry-After, nor much later than its cap", async () => {
    const { waits } = await one([breaking(7_000), breaking(24 * 3_600_000)]);
    expect(waits[0]).toBeGreaterThanOrEqual(7_000);
    expect(waits[0]).toBeLessThan(7_105);
    expect(waits[1]).toBeGreaterThanOrEqual(120_000);
    expect(waits[1]).toBeLessThan(120_105);
  });

  it("are given up after the last try, which says how many there were: 6 by default", async () => {
    const told = await one(times(9, breaking()));
    expect([told.end, told.starts.length]).toEqual(["busy (gave up after 4 tries)", 4]);
    expect((await one(times(9, breaking()), { policy: {} })).end).toBe("busy (gave up after 6 tries)");
  });

  it("are not tried again where that cannot pass, and our own mistakes come through", async () => {
    const bad = await one([new ModelError("bad request", { retryable: false, status: 400 })]);
    const bug = await one([new TypeError("undefined is not a function")]);
    expect([bad.end, bad.starts.length]).toEqual(["bad request", 1]);
    expect([bug.end, bug.starts.length]).toEqual(["undefined is not a function", 1]);
  });

  it("use up no try where they are refused for now, however often", async () => {
    const { end, starts } = await one(Array.from({ length: 12 }, (_, i) => refusal(i % 2 === 0 ? 1_000 : undefined)));
    expect([end, starts.length]).toEqual(["a", 13]);
  });

  it("are told, and the last one is not", async () => {
    const events: RetryEvent[] = [];
    await one([refusal(1_000), ...times(4, breaking())], { onRetry: (event) => void events.push(event) });
    expect(events.map(({ error }) => error.status)).toEqual([429, 408, 408, 408]);
  });

  it("hold no slot while they wait for their next try", async () => {
    const { asked, arrived, pass } = served({ concurrency: 1 });
    asked("a");
    asked("b");
    await pass();
    arrived[0]!.fail(breaking());
    await pass();
    arrived[1]!.reply();
    await pass(2_000);
    expect(arrived.map(({ text }) => text)).toEqual(["a", "b", "a"]);
  });

  it("stop waiting at once on abort", async () => {
    for (const error of [breaking(60_000), refusal(60_000)]) {
      const { asked, arrived, pass } = served();
      const controller = new AbortController();
      const call = asked("x", controller.signal);
      await pass();
      arrived[0]!.fail(error);
      await pass();
      controller.abort(new Error("Ctrl-C"));
      await expect(call).rejects.toThrow("Ctrl-C");
    }
  });
});

describe("a server that does not reply", () => {
  it("is given up after refusals for so long, and not while replies come; no question fails", async () => {
    const { clock, asked, arrived, pass } = served({ giveUpAfterMs: 2 * MINUTE });
    asked("a");
    await pass();
    arrived.pop()!.fail(refusal(39_000));
    await pass(100_000 - clock.monotonic());
    arrived.pop()!.reply();
    await pass();
    const startMs = clock.monotonic();
    const calls = ["b", "c"].map((text) => asked(text));
    const refuse = async (): Promise<never> => {
      for (;;) {
        arrived.pop()?.fail(refusal(39_000));
        await clock.sleep(1);
      }
    };
    const ends = await clock.run(Promise.race([Promise.allSettled(calls), refuse()]));
    const reason = {
      message: "slow down; no reply from openai/m for 120 s (--give-up-after)",
      ...{ scope: "model", retryable: false },
    };
    expect(ends).toMatchObject([{ reason }, { reason }]);
    expect(clock.monotonic() - startMs).toBeLessThan(2 * MINUTE + 10);
  });

  it("is given up while what it asked to wait lasts", async () => {
    const { clock, asked, arrived, pass } = served({ giveUpAfterMs: 5_000, baseUrl: "http://lab/v1" });
    const call = asked("a");
    await pass();
    arrived.pop()!.fail(refusal(120_000));
    await expect(clock.run(call)).rejects.toMatchObject({
      scope: "model",
      message: "slow down; no reply from http://lab/v1 for 5 s (--give-up-after)",
    });
    expect(clock.monotonic()).toBeLessThan(5_010);
  });

  it("is given up in time where it takes the call and never answers, before the deadline of a try", async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const clock = realClock;
    const servers = new Servers({ endpoints: {}, baseUrl, giveUpAfterMs: 300, clock, random });
    const bare = await openai.open("m", { env: {}, baseUrl, concurrency: 4 });
    const model = layered(bare, { servers, replies: forgetting(), clock, random });
    const from = clock.monotonic();
    const ends = await Promise.allSettled(["a", "b", "c"].map((text) => model.complete(ask(text), noAbort())));
    server.closeAllConnections();
    server.close();
    const reason = { scope: "model", message: expect.stringContaining(`no reply from ${baseUrl} for 0.3 s`) };
    for (const end of ends) expect(end).toMatchObject({ reason });
    expect(clock.monotonic() - from).toBeLessThan(5_000);
  });

  it("keeps nobody waiting when the run stops or the call's own signal fires; the others wait on", async () => {
    const [stop, own] = [new AbortController(), new AbortController()];
    const { asked, servers, pass } = served({ stop: stop.signal, concurrency: 1 });
    asked("out");
    await pass();
    const [mine, other] = [asked("mine", own.signal), asked("other")];
    await pass();
    own.abort(new Error("given up"));
    await expect(mine).rejects.toThrow("given up");
    expect(servers.waiting()[0]?.calls).toBe(1);
    stop.abort(new Error("Ctrl-C"));
    await expect(other).rejects.toThrow("Ctrl-C");
    await expect(asked("late")).rejects.toThrow("Ctrl-C");
  });
});

describe("calls under a deadline", () => {
  let server: ProviderServer | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  it.each(["hang", "stall"] as const)("a server that makes a call %s costs one deadline, not the run", async (kind) => {
    const timers: (() => void)[] = [];
    server = await startProviderServer({
      fault: ({ attempt }): Fault | undefined => {
        if (attempt > 1) return undefined;
        setImmediate(() => timers[0]?.()); // the server has the request: the deadline passes
        return { kind };
      },
    });
    const model = layered(await openai.open("m", { env: {}, baseUrl: server.url, concurrency: 2 }), {
      servers: new Servers({ endpoints: {}, clock: realClock, random }),
      ...{ clock: realClock, random, policy: { firstWaitMs: 1 } },
      startTimer(_ms, fire) {
        timers.push(fire);
        return () => undefined;
      },
    });
    expect((await model.complete(ask("x"), noAbort())).text).toBe("echo: x");
    expect(server.requests).toHaveLength(2);
  });

  it("say how long it was, and have twice the time when they are tried again", async () => {
    const delays: number[] = [];
    const model = layered(
      scripted(() => new Promise(() => {})),
      {
        servers: undefined,
        ...{ random, clock: realClock, deadlineMs: 7_000, policy: { tries: 2, firstWaitMs: 1 } },
        startTimer(ms, fire) {
          delays.push(ms);
          setImmediate(fire);
          return () => undefined;
        },
      },
    );
    await expect(model.complete(ask("x"), noAbort())).rejects.toThrow(
      "no complete reply within 14 s (server.deadlineSeconds) (gave up after 2 tries)",
    );
    expect(delays).toEqual([7_000, 14_000]);
  });
});

it("models share a queue where they share a server and an account, and limits where they share a class", () => {
  const servers = new Servers({
    endpoints: { lab: { provider: "openai", baseUrl: "http://lab/v1" } },
    ...{ baseUrl: "http://first/v1", clock: new VirtualClock(), random },
  });
  const of = (id: string, address?: string) =>
    servers.of({ ...scripted(() => replyOf("x")), id, ...(address === undefined ? {} : { address }) });
  const first = of("openai/m");
  expect(of("openai/m-2026-01-01").limit).toBe(first.limit); // a date is no other class
  expect(of("openai/other").queue).toBe(first.queue);
  expect(of("openai/other").limit).not.toBe(first.limit);
  expect(of("openai/m", "http://judge/v1").queue).not.toBe(first.queue);
  expect(of("lab/m").queue).not.toBe(first.queue);
  const opus = of("anthropic/claude-opus-4-7").limit;
  expect(of("anthropic/claude-opus-4-8").limit).toBe(opus); // one class at Anthropic
  expect(of("anthropic/claude-sonnet-4-6").limit).not.toBe(opus);
  expect(of("anthropic/claude-opus-5").limit).not.toBe(opus);
});

describe("what a call is expected to take of the limits", () => {
  const request = ask("x".repeat(4000), { maxTokens: 64 });
  const usage = { in: 1000, out: 5, cacheRead: 800 };
  /** At first, and once sixty replies have come. */
  const costs = (rules: ConstructorParameters<typeof CallCosts>[1]) => {
    const cost = new CallCosts({ ...scripted(() => replyOf("x")), id: "offline/x" }, rules);
    const first = cost.estimate(request);
    for (let reply = 0; reply < 60; reply++) cost.learn(request, replyOf("x", { usage }));
    return [first, cost.estimate(request)] as const;
  };

  it("is the prompt, a quarter more before replies tell, and the whole limit of output, whatever is written", () => {
    const [first, later] = costs({});
    expect(first).toEqual({ requests: 1, input: 1250, output: 64, tokens: 1314 });
    expect(later).toMatchObject({ input: 1000, output: 64 });
  });

  it("is the usual output, and no cache reads, where the provider counts so (Anthropic)", () => {
    const [first, later] = costs({ outputAsWritten: true, cacheReadsFree: true });
    expect(first).toMatchObject({ input: 1250, output: 64 });
    expect(later.output).toBe(5);
    expect(later.input).toBeGreaterThanOrEqual(200);
    expect(later.input).toBeLessThan(210);
  });
});

it.each([
  ["https://api.openai.com/v1", 64],
  [undefined, 64],
  ["http://127.0.0.1:8000/v1", 8],
  ["http://localhost:11434/v1", 8],
] as const)("at %s at most %i calls are in flight where nobody says", (address, most) => {
  expect(defaultConcurrency(address, false)).toBe(most);
});

it.each([
  [1, 1],
  [2, 2],
  [8, 8],
])(
  "a slow server on this machine with %i slots gets %i calls at once, so that none comes near its deadline",
  async (slots, most) => {
    const clock = new VirtualClock();
    const free = Array.from({ length: slots }, () => Promise.resolve());
    let [inFlight, mostLate, longestMs, asked] = [0, 0, 0, 0];
    const bare: Model = {
      ...scripted(() => replyOf("x")),
      async complete() {
        const [atMs, out] = [clock.monotonic(), 600 + ((asked * 379) % 800)]; // tokens, 10 a second
        inFlight += 1;
        asked += 1;
        if (asked > 30) mostLate = Math.max(mostLate, inFlight);
        const done = free.shift()!.then(() => clock.sleep(out * 100));
        free.push(done);
        await done;
        inFlight -= 1;
        longestMs = Math.max(longestMs, clock.monotonic() - atMs);
        return replyOf("x", { usage: { in: 200, out } });
      },
    };
    const servers = new Servers({ endpoints: {}, clock, random, baseUrl: "http://localhost:8080/v1" });
    const model = layered(bare, { servers, replies: forgetting(), clock, random, startTimer: never });
    await clock.run(Promise.all(Array.from({ length: 60 }, (_, n) => model.complete(ask(`${n}`), noAbort()))));
    expect([most, most + 1]).toContain(mostLate);
    expect(longestMs).toBeLessThan(600_000);
  },
);
