import { describe, expect, it } from "vitest";
import { type BudgetError, ModelError, UsageError } from "../../../src/errors.js";
import { StillOut } from "../../../src/models/batch/waves.js";
import { budgeted, openPurse, type Settlement, type SharedPurse } from "../../../src/models/wrap/budgeted.js";
import { requestKey } from "../../../src/models/wrap/cached.js";
import type { ModelRequest, Usage } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

/** One dollar per output token: 64 reserved, 3 spent per call of `ask`. */
const price = (usage: Usage) => usage.out;
const answering = scripted(() => replyOf("x"));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const failing = (error: unknown) =>
  scripted(() => {
    throw error;
  });

/** A purse of others, with what it was asked and told; `answers` are its answers in turn, then places. */
function purseOfOthers(...answers: ("later" | BudgetError)[]) {
  const told: unknown[] = [];
  const waiting: (() => void)[] = [];
  const reservationOf = (id: string) => ({
    settle: ({ calls, usd, uncertainUsd }: Settlement) => void told.push(["settle", id, calls, usd, uncertainUsd]),
  });
  const sharedPurse: SharedPurse = {
    take: (upToUsd) => {
      told.push(["take", upToUsd]);
      return answers.shift() ?? reservationOf("new");
    },
    changed: () => new Promise((resolve) => waiting.push(resolve)),
  };
  return { sharedPurse, told, waiting };
}

describe("a try under a purse that several processes share", () => {
  it.each([
    ["answered", answering, [1, 3, 0]],
    ["refused", failing(new ModelError("no", { retryable: true, bill: "none" })), [0, 0, 0]],
    ["of a model that there is not", failing(new UsageError("no such model")), [0, 0, 0]],
    ["failed", failing(new ModelError("no", { retryable: true, bill: "due" })), [1, 0, 64]],
    ["lost", failing(new ModelError("no", { retryable: true, bill: "unknown" })), [1, 0, 64]],
  ] as const)("that is %s settles its place once, with what it may have cost", async (_, model, settled) => {
    const { sharedPurse, told } = purseOfOthers();
    await budgeted(model, { price, sharedPurse })
      .complete(ask("x"), noAbort())
      .catch(() => undefined);
    expect(told).toEqual([
      ["take", 64],
      ["settle", "new", ...settled],
    ]);
  });

  it("that has not ended keeps its reservation: whoever takes it up settles it", async () => {
    const { sharedPurse, told } = purseOfOthers();
    const lines: string[] = [];
    const log = { started: () => void lines.push("started"), ended: () => void lines.push("ended") };
    const purse = openPurse();
    const call = budgeted(failing(new StillOut("out")), { price, sharedPurse, log, purse }).complete(
      ask("x"),
      noAbort(),
    );
    await expect(call).rejects.toThrow(StillOut);
    expect([told, lines]).toEqual([[["take", 64]], ["started"]]);
    expect(purse).toMatchObject({ calls: 1, usd: 0, inFlight: 0, reserved: 0 });
  });

  it("waits for what others do where nothing of its own is out, and for its own first where something is", async () => {
    const alone = purseOfOthers("later");
    const first = budgeted(answering, { price, sharedPurse: alone.sharedPurse }).complete(ask("x"), noAbort());
    await turn();
    expect(alone.waiting).toHaveLength(1);
    alone.waiting[0]!();
    expect((await first).text).toBe("x");

    const { sharedPurse, waiting } = purseOfOthers();
    const answers: (() => void)[] = [];
    const held = scripted(() => new Promise((resolve) => answers.push(() => resolve(replyOf("x")))));
    const capped = budgeted(held, { price, sharedPurse: { ...sharedPurse, take: takeOne(sharedPurse) } });
    const calls = ["a", "b"].map((text) => capped.complete(ask(text), noAbort()));
    await turn();
    expect([answers.length, waiting.length]).toEqual([1, 0]);
    answers[0]!();
    await calls[0];
    await turn();
    answers[1]!();
    expect((await calls[1])?.text).toBe("x");
  });
});

/** A first place, then "later" once, then places. */
function takeOne(sharedPurse: SharedPurse): SharedPurse["take"] {
  let asked = 0;
  return (usd, key) => (asked++ === 1 ? "later" : sharedPurse.take(usd, key));
}

describe("tries", () => {
  it("are counted for each request from 1, also over several servers", async () => {
    const seen: unknown[] = [];
    const tries = new WeakMap<ModelRequest, number>();
    const log = { started: (key: string, attempt: number) => void seen.push([key, attempt]), ended: () => undefined };
    const [one, two] = [answering, answering].map((model) => budgeted(model, { tries, log }));
    const [first, second] = [ask("x", { sample: 1 }), ask("x", { sample: 2 })];
    const [keyOfFirst, keyOfSecond] = [first, second].map((request) => requestKey(answering.id, request));
    for (const [model, request] of [
      [one, first],
      [two, first],
      [two, second],
    ] as const)
      await model!.complete(request, noAbort());
    expect(seen).toEqual([
      [keyOfFirst, 1],
      [keyOfFirst, 2],
      [keyOfSecond, 1],
    ]);
  });

  it("reserve for all replies that one request draws, where the wire gives them together", async () => {
    for (const [samples, reserved] of [
      [true, 192],
      [undefined, 64],
    ] as const) {
      const purse = openPurse();
      let most = 0;
      const model = scripted(
        () => {
          most = purse.reserved;
          return replyOf("x");
        },
        samples === undefined ? {} : { samples },
      );
      await budgeted(model, { price, purse }).complete(ask("x", { samples: 3 }), noAbort());
      expect(most).toBe(reserved);
    }
  });
});
