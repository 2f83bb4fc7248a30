import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../scripts/bench/limits/virtual-clock.js";
import { ModelError } from "../../src/errors.js";
import { layered } from "../../src/outside/layers.js";
import { Servers } from "../../src/outside/servers.js";
import { seeded } from "../../src/random/seeded.js";
import type { Clock, Model } from "../../src/types/index.js";
import { ask, forgetting, noAbort, replyOf, scripted } from "../helpers/model-request.js";

type Failing = (text: string, nowMs: number) => ModelError | undefined;

const error = (facts: object) => new ModelError("m: it fails", { retryable: true, ...facts });
const kinds = {
  "503": error({ status: 503 }),
  reset: error({ bill: "unknown" }),
  refused: error({ bill: "none" }),
};
const REPLY_MS = 2_000;
const LONGEST_REST_MS = 10_000;

interface Asking {
  readonly calls?: number;
  readonly width?: number;
  readonly giveUpAfterMs?: number | undefined;
}

/** So many questions to servers that reply after 2 s or fail at once, on a virtual clock. */
async function asked(fails: Failing, { calls = 600, width = 64, giveUpAfterMs }: Asking = {}) {
  const clock = new VirtualClock();
  let failedSends = 0;
  const server = named(async (text) => {
    const failure = fails(text, clock.monotonic());
    if (failure === undefined) {
      await clock.sleep(REPLY_MS);
      return;
    }
    failedSends += 1;
    throw failure;
  });
  const model = wrapped(server, clock, { width, giveUpAfterMs });
  const ends: ModelError[] = [];
  let [lost, atMs] = [0, 0];
  const next = Array.from({ length: calls }, (_, i) => i).values();
  const worker = async (): Promise<void> => {
    for (const i of next) {
      try {
        await model.complete(ask(`question ${i}`), noAbort());
      } catch (thrown) {
        if (thrown instanceof ModelError && thrown.scope === "model") ends.push(thrown);
        else lost += 1;
        atMs ||= clock.monotonic();
      }
    }
  };
  await clock.run(Promise.all(Array.from({ length: width }, worker)));
  return { lost, failedSends, ends, atMs, ms: clock.monotonic() };
}

/** A model whose replies echo the question once `work` is done. */
const named = (work: (text: string) => Promise<void>): Model => ({
  ...scripted(async ({ messages: [first] }) => {
    const text = first?.role === "user" ? first.content : "";
    await work(text);
    return replyOf(text);
  }),
  id: "openai/bench",
});

/** The model in all its layers, as a run has it. */
function wrapped(bare: Model, clock: Clock, { width = 64, giveUpAfterMs }: Asking): Model {
  const random = seeded("outage");
  const endpoints = { openai: { provider: "openai", baseUrl: "http://bench/v1", concurrency: width } };
  return layered(bare, {
    servers: new Servers({ endpoints, giveUpAfterMs, clock, random }),
    replies: forgetting(),
    clock,
    random,
  });
}

/** Most time that an outage may cost: its length, a rest, and the calls that it cut. */
const boundOf = (undisturbedMs: number, seconds: number): number =>
  undisturbedMs + seconds * 1000 + LONGEST_REST_MS + 4 * REPLY_MS;

describe("an outage in the middle of a run, on a virtual clock", () => {
  const cases = ([20, 60, 120, 600] as const).flatMap((seconds) =>
    ([64, 8, 2] as const).flatMap((width) =>
      (["503", "reset", "refused"] as const).map((kind) => ({ seconds, width, kind })),
    ),
  );
  it.each(cases)(
    "$seconds s of $kind at $width calls in flight: none lost, few sends",
    async ({ seconds, width, kind }) => {
      const [fromMs, untilMs] = [10_000, 10_000 + seconds * 1000];
      const calls = width * 10;
      const fails: Failing = (_, nowMs) => (nowMs >= fromMs && nowMs < untilMs ? kinds[kind] : undefined);
      const undisturbed = await asked(() => undefined, { calls, width });
      const { lost, failedSends, ms } = await asked(fails, { calls, width });
      const mayBeTheirs = width < 3 && seconds > 180 && kind !== "refused";
      expect(lost).toBeLessThanOrEqual(mayBeTheirs ? width : 0);
      expect(failedSends).toBeLessThanOrEqual(width + 10 + seconds / (LONGEST_REST_MS / 1000));
      expect(ms).toBeLessThanOrEqual(boundOf(undisturbed.ms, seconds));
    },
  );

  it("of 20 minutes gives the model up after 15 minutes without a reply, or as long as the person says; no question fails", async () => {
    for (const [giveUpAfterMs, minutes] of [
      [undefined, 15],
      [30 * 60_000, undefined],
      [60_000, 1],
    ] as const) {
      const { ends, atMs } = await asked(
        (_, nowMs) => (nowMs >= 10_000 && nowMs < 1_210_000 ? kinds["503"] : undefined),
        {
          giveUpAfterMs,
        },
      );
      const message = `m: it fails; no reply from http://bench/v1 for ${Number(minutes) * 60} s (--give-up-after)`;
      if (minutes === undefined) expect(ends).toEqual([]);
      else expect(ends[0]).toMatchObject({ message, scope: "model" });
      if (minutes !== undefined) expect(Math.abs(atMs - 10_000 - minutes * 60_000)).toBeLessThanOrEqual(2 * REPLY_MS);
    }
  });
});

describe("a host that takes no connection", () => {
  const never: Failing = () => kinds.refused;

  it("is given up after three tries in a row where none ever came", async () => {
    const { failedSends, lost, ends } = await asked(never);
    expect([failedSends, lost]).toEqual([3, 0]);
    expect(ends[0]?.message).toMatch(/^m: it fails; no connection to http:\/\/bench\/v1 in 3 tries; start that server/);
  });

  it("is waited for as long as the person says, and then used", async () => {
    const late: Failing = (_, nowMs) => (nowMs < 300_000 ? kinds.refused : undefined);
    for (const calls of [1, 100]) {
      const { lost, ends, ms } = await asked(late, { calls, giveUpAfterMs: 600_000 });
      expect([lost, ends]).toEqual([0, []]);
      expect(ms).toBeGreaterThan(300_000);
    }
    expect((await asked(never, { giveUpAfterMs: 600_000 })).ends[0]?.message).toContain("for 600 s (--give-up-after)");
  });
});

describe("failures that are no outage", () => {
  it("of one question use up its tries, one by one, while others are answered", async () => {
    const sends = new Map<string, number>();
    const fails: Failing = (text) => {
      sends.set(text, (sends.get(text) ?? 0) + 1);
      return text === "question 7" ? kinds["503"] : undefined;
    };
    const { lost, ms } = await asked(fails, { calls: 80, width: 8 });
    expect([lost, sends.get("question 7")]).toEqual([1, 6]);
    expect(ms).toBeLessThanOrEqual(50_000);
  });

  it("of one send (502) change nothing", async () => {
    let failed = false;
    const once: Failing = (_, nowMs) => {
      if (failed || nowMs < 10_000) return undefined;
      failed = true;
      return error({ status: 502 });
    };
    const { lost, failedSends, ms } = await asked(once);
    expect([lost, failedSends]).toEqual([0, 1]);
    expect(ms).toBeLessThanOrEqual((await asked(() => undefined)).ms + 2 * REPLY_MS);
  });

  it("to reply in time use up tries: who waited may have been billed", async () => {
    const { lost, failedSends } = await asked(() => error({ bill: "unknown", late: true }), { calls: 10, width: 1 });
    expect([lost, failedSends]).toEqual([10, 60]);
  });

  it("of a question that is asked alone keep the others for three minutes, once", async () => {
    const broken = new Set(["question 3", "question 5", "question 9"]);
    const { lost, ms } = await asked((text) => (broken.has(text) ? kinds["503"] : undefined), {
      calls: 20,
      width: 1,
    });
    expect(lost).toBe(3);
    expect(ms).toBeLessThanOrEqual(300_000);
  });

  it("of calls that are too many at once (503) lose none and little time", async () => {
    const clock = new VirtualClock();
    let [inFlight, lost] = [0, 0];
    const bare = named(async () => {
      if (inFlight >= 8) throw kinds["503"];
      inFlight += 1;
      await clock.sleep(REPLY_MS);
      inFlight -= 1;
    });
    const model = wrapped(bare, clock, {});
    const all = Array.from({ length: 600 }, (_, i) => model.complete(ask(`${i}`), noAbort()).catch(() => lost++));
    await clock.run(Promise.all(all));
    expect(lost).toBe(0);
    expect(clock.monotonic()).toBeLessThanOrEqual(1.15 * (600 / 8) * REPLY_MS);
  });
});
