import { describe, expect, it } from "vitest";
import { BudgetError, ModelError } from "../../src/errors.js";
import { Budget, type CapSettings, capped, unpriced } from "../../src/outside/caps.js";
import type { Model, Usage } from "../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";

/** One dollar per output token: 64 reserved, 3 spent per call of `ask`. */
const price = (usage: Usage) => usage.out;
const answering = scripted(() => replyOf("x"));

/** The model behind caps. */
function behind(model: Model, caps: ConstructorParameters<typeof Budget>[0] = {}, more: Partial<CapSettings> = {}) {
  const budget = new Budget(caps, undefined, more.stop);
  const made = capped(model, { budget, price, ...more });
  return { budget, asked: (text = "x", signal = noAbort()) => made.complete(ask(text), signal) };
}

/** Answers are given by hand, in the order of calls. */
function byHand() {
  const waiting: { answer(): void; fail(error: Error): void }[] = [];
  const model = scripted(
    () => new Promise((resolve, reject) => waiting.push({ answer: () => resolve(replyOf("x")), fail: reject })),
  );
  return { model, waiting };
}
const soon = () => new Promise((resolve) => setImmediate(resolve));

describe("caps", () => {
  it("let exactly --max-calls calls out, also when they are asked together", async () => {
    let sent = 0;
    const model = scripted(() => {
      sent++;
      return replyOf("x");
    });
    const { asked } = behind(model, { maxCalls: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => asked()));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(sent).toBe(3);
    await expect(asked()).rejects.toThrow(BudgetError);
    await expect(asked()).rejects.toThrow(/--max-calls 3/);
  });

  it("never pass --max-usd, and stop before the call that could; what earlier processes spent counts", async () => {
    const { budget, asked } = behind(answering, { maxUsd: 70 });
    for (let i = 0; i < 3; i++) await asked();
    expect(budget).toMatchObject({ calls: 3, usd: 9 });
    await expect(asked()).rejects.toThrow(/--max-usd 70/);
    const spent = new Budget({ maxCalls: 10 }, { calls: 10, usd: 0, unknownBilledUpToUsd: 0 });
    await expect(capped(answering, { budget: spent, price }).complete(ask("x"), noAbort())).rejects.toThrow(
      BudgetError,
    );
  });

  it("reserve what is in flight: calls together wait for each other rather than pass the cap", async () => {
    const { model, waiting } = byHand();
    const { budget, asked } = behind(model, { maxUsd: 140 });
    const all = Promise.all(Array.from({ length: 5 }, () => asked()));
    let most = 0;
    while (budget.usd < 15) {
      await soon();
      most = Math.max(most, waiting.length);
      expect(budget.reservedUsd).toBe(64 * waiting.length);
      waiting.shift()?.answer();
    }
    await all;
    expect(most).toBe(2);
    expect(budget).toMatchObject({ usd: 15, reservedUsd: 0, inFlight: 0 });
  });

  it("ask a budget that others share too, and tell it what each try cost", async () => {
    const settled: unknown[] = [];
    const places = [(end: unknown) => settled.push(end), "later", new BudgetError("nothing is left")];
    const shared = { take: async () => places.shift() as "later", changed: async () => undefined };
    const { asked } = behind(answering, {}, { shared });
    await asked();
    expect(settled).toEqual([{ answered: true, calls: 1, usd: 3, unknownBilledUpToUsd: 0 }]);
    await expect(asked()).rejects.toThrow("nothing is left");
  });

  it.each([
    [
      "refused, known to be unbilled",
      "none",
      { calls: 0, unknownBilledUpToUsd: 0, unanswered: { none: 1, yes: 0, unknown: 0 } },
    ],
    [
      "answered with no reply",
      "due",
      { calls: 1, unknownBilledUpToUsd: 64, unanswered: { none: 0, yes: 1, unknown: 0 } },
    ],
    [
      "left without an answer",
      "unknown",
      { calls: 1, unknownBilledUpToUsd: 64, unanswered: { none: 0, yes: 0, unknown: 1 } },
    ],
  ] as const)("count a try that is %s", async (_how, bill, counted) => {
    const down = scripted(() => {
      throw new ModelError("down", { retryable: true, bill });
    });
    const { budget, asked } = behind(down, { maxUsd: 100 });
    await expect(asked()).rejects.toThrow("down");
    expect(budget).toMatchObject({ ...counted, usd: 0, reservedUsd: 0, inFlight: 0 });
  });

  it("give the place of a refused try to one that waits for it: the cap is reached, not missed", async () => {
    const { model, waiting } = byHand();
    const { budget, asked } = behind(model, { maxCalls: 1 });
    const [first, second] = [asked("a"), asked("b")];
    await soon();
    expect(waiting).toHaveLength(1);
    waiting.shift()?.fail(new ModelError("busy", { retryable: true, status: 429, bill: "none" }));
    await expect(first).rejects.toThrow("busy");
    await soon();
    waiting.shift()?.answer();
    expect((await second).text).toBe("x");
    expect(budget.calls).toBe(1);
  });

  it("have a try written down before it is sent, and its end where it brought no reply", async () => {
    const lines: unknown[] = [];
    const tries = {
      started: (_key: string, upToUsd?: number) => void lines.push(["started", upToUsd]),
      ended: (_key: string, billed: string, error: string) => void lines.push([billed, error]),
    };
    const model = scripted(() => {
      lines.push("sent");
      if (lines.length < 3) throw new ModelError("late", { retryable: true, bill: "unknown" });
      return replyOf("x");
    });
    const { asked } = behind(model, {}, { tries });
    await expect(asked()).rejects.toThrow("late");
    await asked();
    expect(lines).toEqual([["started", 64], "sent", ["unknown", "late"], ["started", 64], "sent"]);
  });

  it("count a call that is stopped in flight, and a reply that the program cannot read, as perhaps billed", async () => {
    const controller = new AbortController();
    const cut = scripted(() => {
      controller.abort(new Error("Ctrl-C"));
      throw new ModelError("cut off", { retryable: true, bill: "none" });
    });
    const stopped = behind(cut);
    await expect(stopped.asked("x", controller.signal)).rejects.toThrow("cut off");
    expect(stopped.budget).toMatchObject({ calls: 1, usd: 0, unknownBilledUpToUsd: 64, unanswered: { unknown: 1 } });
    const unread = behind(
      scripted(() => {
        throw new TypeError("no field text");
      }),
    );
    await expect(unread.asked()).rejects.toThrow(TypeError);
    expect(unread.budget).toMatchObject({ calls: 1, usd: 0, unknownBilledUpToUsd: 64, unanswered: { yes: 1 } });
  });

  it("let nothing out that could not be written down, and write down no end of it", async () => {
    let [sent, ends] = [0, 0];
    const tries = {
      started: () => {
        throw new Error("disk full");
      },
      ended: () => void ends++,
    };
    const counting = scripted(() => {
      sent++;
      return replyOf("x");
    });
    const { budget, asked } = behind(counting, {}, { tries });
    await expect(asked()).rejects.toThrow("disk full");
    expect([sent, ends, budget.calls]).toEqual([0, 0, 0]);
  });

  it("keep nobody waiting for room after a stop", async () => {
    const stop = new AbortController();
    const { asked } = behind(byHand().model, { maxCalls: 1 }, { stop: stop.signal });
    void asked("a");
    const waiting = asked("b");
    stop.abort(new Error("Ctrl-C"));
    await expect(waiting).rejects.toThrow("Ctrl-C");
  });

  it("reserve of a server that writes more than it was asked for as much as its longest reply took", async () => {
    const model = scripted(() => replyOf("x", { usage: { in: 1, out: 100 } }));
    const { asked } = behind(model, { maxUsd: 299 });
    for (let i = 0; i < 2; i++) await asked();
    await expect(asked()).rejects.toThrow("next call up to $100.0000");
  });

  it.each([
    ["1.1 times the price row", [1.1], 5],
    ["1.48 times the row", [1.48], 5],
    ["twice the row", [2], 5],
    ["ten times the row", [10], 5],
    ["a hundred times the row", [100], 3],
    ["the row, then above it", [1, 2], 4],
    ["above the row once", [3, 1, 1], 6],
    ["more from call to call", [1, 1.2, 1.3, 1.4], 7],
    ["nothing, then above the row", [0, 2], 4],
    ["above the row now and then", [1, 4, 1, 4, 1], 12],
  ])("hold --max-usd where the server states its own cost: %s", async (_, factors, rows) => {
    const LISTED = 64; // what `ask` reserves, and what each reply costs by the row
    let calls = 0;
    const model = scripted(() => {
      const billedUsd = LISTED * factors[calls++ % factors.length]!;
      return replyOf("x", { usage: { in: 1, out: LISTED, billedUsd } });
    });
    const stating = (usage: Usage) => usage.billedUsd ?? usage.out;
    const maxUsd = LISTED * (rows * Math.max(...factors) - 0.01);
    const { budget, asked } = behind(model, { maxUsd }, { price: stating });
    await expect(
      (async () => {
        for (;;) await asked();
      })(),
    ).rejects.toThrow(BudgetError);
    expect(budget.usd).toBeLessThanOrEqual(maxUsd);
    expect(budget.usd + LISTED * Math.max(...factors)).toBeGreaterThan(maxUsd); // another call might have passed it
  });

  it("say how to give a price, and apart what was billed and what only counts", async () => {
    expect(unpriced("test/scripted", 1).message).toMatch(
      /no price is known for test\/scripted; put "- { model: test\/scripted, in: X, out: Y }" .* --prices, or use --max-calls/,
    );
    let sent = 0;
    const model = scripted(() => {
      if (++sent > 1) throw new ModelError("down", { retryable: true, bill: "due" });
      return replyOf("x");
    });
    const { asked } = behind(model, { maxUsd: 100 });
    await asked();
    await expect(asked()).rejects.toThrow("down");
    await expect(asked()).rejects.toThrow(
      "--max-usd 100 would be passed ($3.0000 billed, up to $64.0000 where no reply came, next call up to $64.0000)",
    );
  });
});
