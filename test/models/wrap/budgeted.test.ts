import { describe, expect, it } from "vitest";
import { BudgetError, ModelError, UsageError } from "../../../src/errors.js";
import { budgeted, openPurse } from "../../../src/models/wrap/budgeted.js";
import type { Usage } from "../../../src/types.js";
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

  it("counts what earlier runs spent", async () => {
    const capped = budgeted(answering, { maxCalls: 10, purse: openPurse({ calls: 10, usd: 0 }) });
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow(BudgetError);
  });

  it("gives a failed call's reservation back", async () => {
    let calls = 0;
    const model = scripted(() => {
      if (++calls === 1) throw new ModelError("down", { retryable: true });
      return replyOf("x");
    });
    const capped = budgeted(model, { maxUsd: 70, price });
    await expect(capped.complete(ask("x"), noAbort())).rejects.toThrow("down");
    expect((await capped.complete(ask("x"), noAbort())).text).toBe("x");
  });

  it("refuses a dollar cap where no price is known", () => {
    const open = () => budgeted(answering, { maxUsd: 1, price: () => undefined });
    expect(open).toThrow(UsageError);
    expect(open).toThrow(/no price is known for test\/scripted; use --max-calls/);
  });
});
