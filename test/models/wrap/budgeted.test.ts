import { describe, expect, it } from "vitest";
import { BudgetError, ModelError, UsageError } from "../../../src/errors.js";
import { budgeted, openPurse } from "../../../src/models/wrap/budgeted.js";
import type { Usage } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

/** One dollar per output token: 64 reserved, 3 spent per call of `ask`. */
const price = (usage: Usage) => usage.out;
const answering = scripted(() => replyOf("x"));

describe("budgeted", () => {
  it("sends exactly --max-calls calls, also when they are asked together", async () => {
    let sent = 0;
    const model = scripted(() => {
      sent++;
      return replyOf("x");
    });
    const capped = budgeted(model, { maxCalls: 3 });
    const calls = Array.from({ length: 5 }, () => capped.complete(ask("x"), noAbort()));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(sent).toBe(3);
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow(BudgetError);
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow(/--max-calls 3/);
  });

  it("never passes --max-usd, and stops before the call that could", async () => {
    const purse = openPurse();
    const capped = budgeted(answering, { maxUsd: 70, price, purse });
    for (let i = 0; i < 3; i++) await capped.complete(ask("x"), noAbort());
    expect(purse).toMatchObject({ calls: 3, usd: 9 });
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow(/--max-usd 70/);
  });

  it("reserves what is in flight: calls together wait for each other rather than pass the cap", async () => {
    let inFlight = 0;
    let most = 0;
    const model = scripted(async () => {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      return replyOf("x");
    });
    const purse = openPurse();
    const capped = budgeted(model, { maxUsd: 140, price, purse });
    await Promise.all(Array.from({ length: 5 }, () => capped.complete(ask("x"), noAbort())));
    expect(most).toBe(2);
    expect(purse.usd).toBe(15);
  });

  it("asks a purse that others share too, and tells it what each try cost", async () => {
    const settled: unknown[] = [];
    const places = [
      { settle: (...told: unknown[]) => settled.push(told) },
      "later",
      new BudgetError("nothing is left"),
    ];
    const sharedPurse = {
      take: () => places.shift() as "later",
      changed: async () => undefined,
    };
    const capped = budgeted(answering, { price, sharedPurse });
    await capped.complete(ask("x"), noAbort());
    expect(settled).toEqual([[{ answered: true, calls: 1, usd: 3, uncertainUsd: 0 }]]);
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow("nothing is left");
  });

  it("counts what earlier runs spent", async () => {
    const capped = budgeted(answering, { maxCalls: 10, purse: openPurse({ calls: 10, usd: 0, uncertainUsd: 0 }) });
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow(BudgetError);
  });

  const ends = [
    [
      "refused, known to be unbilled",
      "none",
      { calls: 0, usd: 0, uncertainUsd: 0, ends: { refused: 1, failed: 0, unknown: 0 } },
    ],
    [
      "answered with no reply",
      "due",
      { calls: 1, usd: 0, uncertainUsd: 64, ends: { refused: 0, failed: 1, unknown: 0 } },
    ],
    [
      "left without an answer",
      "unknown",
      { calls: 1, usd: 0, uncertainUsd: 64, ends: { refused: 0, failed: 0, unknown: 1 } },
    ],
  ] as const;
  it.each(ends)("counts a try that is %s", async (_how, bill, counted) => {
    const purse = openPurse();
    const model = scripted(() => {
      throw new ModelError("down", { retryable: true, bill });
    });
    const capped = budgeted(model, { maxUsd: 100, price, purse });
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow("down");
    expect(purse).toMatchObject({ ...counted, reserved: 0, inFlight: 0 });
  });

  it("a refused try gives its place to one that waits for it: the cap is reached, not missed", async () => {
    let refuse = (): void => undefined;
    const sent: string[] = [];
    const model = scripted(({ messages: [first] }) => {
      sent.push(first?.role === "user" ? first.content : "");
      if (sent.length > 1) return replyOf("x");
      return new Promise((_, reject) => {
        refuse = () => reject(new ModelError("busy", { retryable: true, status: 429, bill: "none" }));
      });
    });
    const purse = openPurse();
    const capped = budgeted(model, { maxCalls: 1, purse });
    const [first, second] = [capped.complete(ask("a"), noAbort()), capped.complete(ask("b"), noAbort())];
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(["a"]);
    refuse();
    await expect(first).rejects.toThrow("busy");
    expect((await second).text).toBe("x");
    expect(purse.calls).toBe(1);
  });

  it("writes a try down before it is sent, and its end where it brought no reply", async () => {
    const lines: unknown[] = [];
    const log = {
      started: (_key: string, upToUsd?: number) => void lines.push(["started", upToUsd]),
      ended: (_key: string, end: string, error: string) => void lines.push([end, error]),
    };
    const model = scripted(() => {
      lines.push("sent");
      if (lines.length < 3) throw new ModelError("late", { retryable: true, bill: "unknown" });
      return replyOf("x");
    });
    const logged = budgeted(model, { log, price });
    const request = ask("x");
    await expect(logged.complete(request, noAbort())).rejects.toThrow("late");
    await logged.complete(request, noAbort());
    expect(lines).toEqual([["started", 64], "sent", ["unknown", "late"], ["started", 64], "sent"]);
  });

  it("a call that is stopped in flight may have been billed", async () => {
    const purse = openPurse();
    const controller = new AbortController();
    const model = scripted(() => {
      controller.abort(new Error("Ctrl-C"));
      throw new ModelError("cut off", { retryable: true, bill: "none" });
    });
    const call = budgeted(model, { maxUsd: 100, price, purse }).complete(ask("x"), controller.signal);
    await expect(call).rejects.toThrow("cut off");
    expect(purse).toMatchObject({ calls: 1, usd: 0, uncertainUsd: 64, ends: { refused: 0, failed: 0, unknown: 1 } });
  });

  it("a reply that the program itself cannot read was billed", async () => {
    const purse = openPurse();
    const model = scripted(() => {
      throw new TypeError("no field text");
    });
    await expect(budgeted(model, { price, purse }).complete(ask("x"), noAbort())).rejects.toThrow(TypeError);
    expect(purse).toMatchObject({ calls: 1, usd: 0, uncertainUsd: 64, ends: { refused: 0, failed: 1, unknown: 0 } });
  });

  it("sends nothing that could not be written down, and writes down no end of it", async () => {
    const purse = openPurse();
    let sent = 0;
    let ends = 0;
    const log = {
      started: () => {
        throw new Error("disk full");
      },
      ended: () => void ends++,
    };
    const counting = scripted(() => {
      sent++;
      return replyOf("x");
    });
    const call = budgeted(counting, { log, purse }).complete(ask("x"), noAbort());
    await expect(call).rejects.toThrow("disk full");
    expect([sent, ends, purse.calls]).toEqual([0, 0, 0]);
  });

  it("after a stop nobody waits for room any more", async () => {
    const stop = new AbortController();
    const capped = budgeted(
      scripted(() => new Promise(() => {})),
      { maxCalls: 1, stop: stop.signal },
    );
    void capped.complete(ask("a"), noAbort());
    const waiting = capped.complete(ask("b"), noAbort());
    stop.abort(new Error("Ctrl-C"));
    await expect(waiting).rejects.toThrow("Ctrl-C");
  });

  it("holds back what calls in flight may spend, and nothing once they are answered", async () => {
    const purse = openPurse();
    const answers: (() => void)[] = [];
    const model = scripted(() => new Promise((resolve) => answers.push(() => resolve(replyOf("x")))));
    const capped = budgeted(model, { maxUsd: 1000, price, purse });
    const calls = [capped.complete(ask("a"), noAbort()), capped.complete(ask("b"), noAbort())];
    await new Promise((resolve) => setImmediate(resolve));
    expect(purse).toMatchObject({ calls: 2, inFlight: 2, reserved: 128, usd: 0 });
    answers[0]!();
    await calls[0];
    expect(purse).toMatchObject({ inFlight: 1, reserved: 64, usd: 3 });
    answers[1]!();
    await calls[1];
    expect(purse).toMatchObject({ calls: 2, inFlight: 0, reserved: 0, usd: 6, wake: [] });
  });

  it("reserves of a server that writes more than it was asked for as much as its longest reply took", async () => {
    const model = scripted(() => replyOf("x", { usage: { in: 1, out: 100 } }));
    const capped = budgeted(model, { maxUsd: 299, price });
    for (let i = 0; i < 2; i++) await capped.complete(ask("x"), noAbort());
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow("next call up to $100.0000");
  });

  it("refuses a dollar cap where no price is known", () => {
    const open = () => budgeted(answering, { maxUsd: 1, price: () => undefined });
    expect(open).toThrow(UsageError);
    expect(open).toThrow(
      /no price is known for test\/scripted; put "- { model: test\/scripted, in: X, out: Y }" .* --prices, or use --max-calls/,
    );
  });

  it("says apart what was billed and what only counts against the cap", async () => {
    let sent = 0;
    const model = scripted(() => {
      if (++sent > 1) throw new ModelError("down", { retryable: true, bill: "due" });
      return replyOf("x");
    });
    const capped = budgeted(model, { maxUsd: 100, price });
    await capped.complete(ask("x"), noAbort());
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow("down");
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow(
      "--max-usd 100 would be passed ($3.0000 billed, up to $64.0000 where no reply came, next call up to $64.0000)",
    );
  });
});
