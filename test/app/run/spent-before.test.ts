import { describe, expect, test } from "vitest";
import { spentBefore } from "../../../src/app/run/models/models.js";
import { pricesAt } from "../../../src/models/prices.js";
import type { Attempts } from "../../../src/run/attempts.js";
import type { StoredCall } from "../../../src/run/replies.js";
import type { Model, ModelReply } from "../../../src/types/index.js";

const model: Model = {
  id: "openai/gpt-4.1-mini",
  capabilities: { temperature: true, stop: true, logprobs: false, tools: false, prefill: false, thinking: "none" },
  simulated: false,
  complete: () => Promise.reject(new Error("not asked here")),
};
const prices = pricesAt(Date.UTC(2026, 10, 1), []);
const stored = (key: string, tokens: number): StoredCall => {
  const usage = { in: tokens, out: 1 };
  const reply: ModelReply = { text: "5", stop: "end", usage, toolCalls: [], model: "gpt-4.1-mini" };
  return { key, request: { messages: [], maxTokens: 9, sample: 0 }, reply };
};
const tries = (billable: number, unansweredUsd: number): Attempts["before"] => ({
  billable,
  unansweredUsd,
  refused: 0,
  unknown: 0,
});
function* replies(): Generator<StoredCall> {
  yield stored("a", 1000);
  yield stored("b", 1000);
  yield stored("c", 0);
}
const spent = (before: Attempts["before"] | undefined) =>
  spentBefore(replies(), { attempts: before && ({ before } as Attempts) }, [model], prices);

describe("what earlier processes spent", () => {
  test("is counted by replies where the file of tries is gone, or holds fewer; one that came with another is no call", () => {
    const usd = 2 * prices.ofCall(model.id, { in: 1000, out: 1 })! + prices.ofCall(model.id, { in: 0, out: 1 })!;
    expect(usd).toBeGreaterThan(0);
    expect(spent(undefined)).toEqual({ calls: 2, usd: expect.closeTo(usd, 12), uncertainUsd: 0 });
    expect(spent(tries(1, 0)).calls).toBe(2);
  });

  test("is counted by tries where more were sent than answered, with what those may have cost", () => {
    expect(spent(tries(5, 0.25))).toMatchObject({ calls: 5, uncertainUsd: 0.25 });
  });
});
