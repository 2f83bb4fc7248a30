import { describe, expect, test } from "vitest";
import type { Arm } from "../../src/run/plan/plan.js";
import { boundsOf, type RehearsalSettings, rehearse } from "../../src/run/rehearse.js";
import { fillingModel } from "../../src/run/stand-ins.js";
import { tasks } from "../../src/tasks/index.js";
import type { CallPlan, Method } from "../../src/types/index.js";
import { armOf, asking, personalizing, ratingUnit, says } from "../helpers/engine-run.js";
import { wordEmbedder } from "../helpers/kit.js";
import { scripted } from "../helpers/model-request.js";

const { capabilities } = scripted(() => expect.unreachable());
const price: RehearsalSettings["price"] = ({ in: tokensIn, out }) => tokensIn + 10 * out;
const settings = (more: Partial<RehearsalSettings> = {}): RehearsalSettings => ({
  embedder: wordEmbedder,
  tool: () => undefined,
  model: (id) => fillingModel(id, capabilities),
  asked: new Set(),
  price,
  ...more,
});
/** Bounds by phase; tokens as of the most. */
async function bounded(arm: Arm, more: Partial<RehearsalSettings> = {}) {
  const { phases, shared } = boundsOf(arm, await rehearse(arm, settings(more)), price);
  const flat = (bounds: typeof phases) =>
    Object.fromEntries(
      Object.entries(bounds).map(([phase, { low, high, most }]) => [phase, { ...most, low, high }] as const),
    );
  return { phases: flat(phases), shared: flat(shared) };
}
const none = () => ({});
const plan =
  (more: Partial<CallPlan>): (() => CallPlan) =>
  () => ({ perUnit: none, perQuestion: none, ...more });
const exactly = (calls: number) => ({ low: calls, high: calls });
const event = (id: string) => ({ id, fields: { id }, content: id, document: id, label: "5" });

/** One prompt of 32 bytes, so at most 10 tokens by what is least taken for an unknown model (3.2), whatever is asked. */
const prompt = "x".repeat(32);
const asks = (phase: "answer" | "tool", maxTokens: number, calls = 1) =>
  personalizing(async () => async (_, kit) => {
    for (let call = 0; call < calls; call++) await kit.ask(phase, { ...says(prompt), maxTokens });
    return "5";
  });
const estimate = (method: Method, units = [ratingUnit("u", ["a", "b"]), ratingUnit("v", ["c"])]) =>
  bounded(armOf(method, units));

describe("calls", () => {
  test("are those of the plan: of each user by the user's own past, and of each question", async () => {
    const method: Method = {
      ...personalizing(async () => async () => "5"),
      plan: plan({
        perUnit: (history) => ({ summary: exactly(history.length), tool: { low: 1, high: 3 } }),
        perQuestion: () => ({ answer: exactly(1), tool: { low: 0, high: 5 } }),
      }),
    };
    const units = [
      ratingUnit("u", ["a", "b"], { history: [event("x"), event("y")] }),
      ratingUnit("v", ["c"], { history: [event("z")] }),
    ];
    const { phases, shared } = await estimate(method, units);
    expect(phases).toMatchObject({
      summary: { ...exactly(3), tokensIn: 0, tokensOut: 0 },
      tool: { low: 2, high: 6 + 15, tokensIn: 0, tokensOut: 0 },
      answer: { ...exactly(3), tokensIn: 0, tokensOut: 0 },
    });
    expect(shared).toMatchObject({});
  });

  test("that only tools ask are bounded by the longest prompt and reply that were seen", async () => {
    const { phases } = await estimate({
      ...asks("answer", 7),
      plan: plan({ perQuestion: () => ({ answer: exactly(1), tool: { low: 0, high: 5 } }) }),
    });
    expect(phases.tool).toMatchObject({ low: 0, high: 15, tokensIn: 15 * (10 + 2 * 7 + 1000), tokensOut: 15 * 7 });
    expect(phases.tool?.usd).toBeCloseTo(15 * (10 + 2 * 7 + 1000) + 10 * 15 * 7);
  });

  test("that learn a gold are counted of an online run only, and those that hear a turn once a turn", async () => {
    const method: Method = {
      ...personalizing(async () => async () => "5"),
      plan: plan({
        perLearned: () => ({ update: exactly(1) }),
        perObserved: (asked) => (asked ? {} : { tool: exactly(1) }),
      }),
    };
    const [unit] = [ratingUnit("u", ["a", "b"])];
    const before = ["t1", "t2", "t3"].map((id) => ({ id, said: "hello", reply: "hi" }));
    const units = [
      { ...unit!, examples: unit!.examples.map((example, i) => (i === 0 ? { ...example, before } : example)) },
    ];
    const plain = armOf(method, units);
    const online = { ...plain, cell: { ...plain.cell, options: { online: true } } };
    expect((await bounded(plain)).phases).toEqual({ tool: expect.objectContaining(exactly(3)) });
    expect((await bounded(online)).phases.update).toMatchObject(exactly(2));
  });

  test("of what all users share stand by themselves, once, however many users there are", async () => {
    const method: Method = {
      ...personalizing(async (kit) => {
        await kit.shared("table", (cell) => cell.ask("summary", { ...says(prompt), maxTokens: 7 }));
        return async () => "5";
      }),
      plan: plan({ perCell: () => ({ summary: exactly(1), gradient: { low: 0, high: 2 } }) }),
    };
    const { phases, shared } = await estimate(method);
    expect(phases).toMatchObject({});
    expect(shared).toMatchObject({
      summary: { ...exactly(1), tokensIn: 10, tokensOut: 7 },
      gradient: { low: 0, high: 2, tokensIn: 0, tokensOut: 0 },
    });
  });
});

describe("of a run with a shared value", () => {
  const method: Method = {
    ...personalizing(async (kit) => {
      await kit.shared("table", (cell) => cell.ask("summary", { ...says("shared"), maxTokens: 7 }));
      return async (_, kit) => {
        await kit.ask("answer", { ...says(prompt), maxTokens: 9 });
        return "5";
      };
    }),
    plan: plan({ perQuestion: () => ({ answer: exactly(1) }), perCell: () => ({ summary: exactly(1) }) }),
  };
  const units = [ratingUnit("u", ["a", "b"])];

  test("what units ask and what they share are told apart", async () => {
    const { phases, shared } = await bounded(armOf(method, units));
    expect(phases).toMatchObject({ answer: { ...exactly(2), tokensIn: 20, tokensOut: 18 } });
    expect(shared).toMatchObject({ summary: { ...exactly(1), tokensOut: 7 } });
  });
});

describe("tokens", () => {
  const planned = (method: Method, high: number, low = 1): Method => ({
    ...method,
    plan: plan({ perQuestion: () => ({ answer: { low, high } }) }),
  });

  test("are those of prompts as they are and of replies as long as allowed, over all questions", async () => {
    const { phases } = await estimate(planned(asks("answer", 100), 1));
    expect(phases).toMatchObject({ answer: { ...exactly(3), tokensIn: 30, tokensOut: 300 } });
  });

  test("of a later turn hold the earlier replies and observations too, up to the longest loop", async () => {
    const one = [ratingUnit("u", ["a"])];
    const { phases } = await estimate(planned(asks("answer", 100), 3), one);
    // Prompts of 10 tokens, then one reply and one observation (100 + 1000) more, then two.
    expect(phases.answer).toMatchObject({ low: 1, high: 3, tokensIn: 10 + 1110 + 2210, tokensOut: 300 });
    expect(phases.answer?.usd).toBeCloseTo(10 + 1110 + 2210 + 10 * 300);
    const twice = await estimate(planned(asks("answer", 100, 2), 3), one);
    // One and a half turns of two calls: 1.5 times what was walked, and 2 * 1100 * (1.5 * .5 / 2) for what it holds.
    expect(twice.phases.answer).toMatchObject({ low: 1, high: 3, tokensIn: 30 + 825, tokensOut: 300 });
  });

  test("are those walked through where the plan promises no more calls than that, or fewer", async () => {
    const { phases } = await estimate(planned(asks("answer", 100, 2), 2), [ratingUnit("u", ["a"])]);
    expect(phases.answer).toMatchObject({ low: 1, high: 2, tokensIn: 20, tokensOut: 200 });
    const beyond = await estimate(planned(asks("answer", 100, 3), 2), [ratingUnit("u", ["a"])]);
    expect(beyond.phases.answer).toMatchObject({ low: 1, high: 2, tokensIn: 30, tokensOut: 300 });
  });

  test("of replies are handed to the method as text of that length, so that what it builds of them is as long", async () => {
    const seen: number[] = [];
    const method = personalizing(async () => async (_, kit) => {
      const { text, toolCalls } = await kit.ask("answer", { ...says(prompt), maxTokens: 100 });
      seen.push(text.length, toolCalls.length);
      await kit.ask("tool", { ...says(text), maxTokens: 1 });
      return "5";
    });
    const tool = { ...method, plan: plan({ perQuestion: () => ({ answer: exactly(1), tool: exactly(1) }) }) };
    const { phases } = await estimate(tool, [ratingUnit("u", ["a"])]);
    expect(seen).toEqual([400, 0]);
    expect(phases.tool).toMatchObject({ tokensIn: 125, tokensOut: 1 });
  });

  test("of answers are the task's own where the method asks for no other length", async () => {
    const { phases } = await estimate(
      planned(
        personalizing(async () => asking),
        1,
      ),
      [ratingUnit("u", ["a"])],
    );
    expect(phases.answer?.tokensOut).toBe(tasks.get("lamp3").maxAnswerTokens);
  });
});

describe("what was asked for before", () => {
  const method: Method = { ...asks("answer", 100), plan: plan({ perQuestion: () => ({ answer: exactly(1) }) }) };
  const arm = armOf(method, [ratingUnit("u", ["a", "b"])]);

  const sentOf = async (of: Arm, more: Partial<RehearsalSettings> = {}) => (await rehearse(of, settings(more))).sent;

  test("by the arm itself is sent once", async () => {
    expect(await sentOf(arm)).toMatchObject({ calls: 1, tokensIn: 10, tokensOut: 100 });
  });

  test("by an earlier arm is not sent where the run's arms are estimated together, but where an embedder stands in", async () => {
    const asked = new Set<string>();
    await rehearse(arm, settings({ asked }));
    expect(await sentOf(arm, { asked })).toMatchObject({ calls: 0, tokensIn: 0, usd: 0 });
    expect((await sentOf(arm, { asked, standsFor: "another" })).calls).toBe(1);
    expect((await sentOf(armOf(method, [...arm.loaded.units], 1), { asked })).calls).toBe(1);
  });

  test("rests on the replies before: prompts that hold another reply are other requests", async () => {
    const twice = (first: string): Method => ({
      ...personalizing(async () => async (_, kit) => {
        const { text } = await kit.ask("answer", { ...says(first), maxTokens: 20 });
        return (await kit.ask("answer", { ...says(`next: ${text}`), maxTokens: 20 })).text;
      }),
      plan: plan({ perQuestion: () => ({ answer: exactly(2) }) }),
    });
    const [unit] = [ratingUnit("u", ["a"])];
    const asked = new Set<string>();
    await rehearse(armOf(twice("one"), [unit!]), settings({ asked }));
    expect((await sentOf(armOf(twice("one"), [unit!]), { asked })).calls).toBe(0);
    expect((await sentOf(armOf(twice("two"), [unit!]), { asked })).calls).toBe(2);
  });

  test("goes by the model that is asked", async () => {
    const asking: Method = {
      ...method,
      plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ "select@reference": { low: 1, high: 1 } }) }),
      personalize: async () => async (_question, kit) => {
        await kit.ask("select", { ...says("?"), of: "reference" });
        return (await kit.ask("answer", says("?"))).text;
      },
    };
    const planned = armOf(asking, [ratingUnit("u", ["a", "b"])]);
    const options = { ...planned.cell.options, "model.reference": "x/sure" };
    expect((await sentOf({ ...planned, cell: { ...planned.cell, options } })).calls).toBe(2);
  });
});

test("nothing is sent, and the method sees the abilities of its model and the tools of the run", async () => {
  const tool = { name: "clock", description: "", parameters: {}, run: async () => "noon" };
  const seen: unknown[] = [];
  const method = personalizing(async ({ model, tool: find }) => {
    seen.push(model, find("clock"));
    return async () => "5";
  });
  await rehearse(
    armOf(method, [ratingUnit("u", ["a"])]),
    settings({ model: (id) => fillingModel(id, { ...capabilities, tools: false }), tool: () => tool }),
  );
  expect(seen).toEqual([{ id: "test/scripted", capabilities: { ...capabilities, tools: false } }, tool]);
});
