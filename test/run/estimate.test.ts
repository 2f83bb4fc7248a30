import { describe, expect, test } from "vitest";
import { requestKey } from "../../src/log/entry.js";
import type { Arm } from "../../src/plan/types.js";
import { type EstimateInputs, estimateArms } from "../../src/run/estimate.js";
import type { CallPlan, Method, ModelRequest } from "../../src/types/index.js";
import { answering, armOf, asking, personalizing, ratingUnit, says } from "../helpers/engine-run.js";
import { wordEmbedder } from "../helpers/kit.js";
import { replyOf, scripted } from "../helpers/model-request.js";

const { capabilities } = scripted(() => expect.unreachable());
const means = (more: Partial<EstimateInputs> = {}): EstimateInputs => ({
  model: (id) => ({ ...scripted(() => expect.unreachable()), id }),
  replyModel: scripted(({ maxTokens }) => replyOf("word ".repeat(maxTokens))),
  bytesPerToken: () => 4,
  find: () => undefined,
  embedder: () => ({ embedder: wordEmbedder }),
  tool: () => undefined,
  price: (_, { in: tokensIn, out }) => tokensIn + 10 * out,
  ...more,
});
/** The bounds of the phases of one arm; tokens as of the most. */
async function bounded(arm: Arm, more: Partial<EstimateInputs> = {}) {
  const { arms } = await estimateArms([arm], means(more));
  const named = arms[0]!.map(({ phase, callsLow: low, callsHigh: high, ...most }) => {
    return [phase, { ...most, low, high }] as const;
  });
  return Object.fromEntries(named);
}
const plan =
  (more: Partial<CallPlan>): (() => CallPlan) =>
  () => ({ perUnit: () => ({}), perQuestion: () => ({}), ...more });
const exactly = (calls: number) => ({ low: calls, high: calls });
const event = (id: string) => ({ id, fields: { id }, content: id, document: id, label: "5" });

/** 32 bytes: at most 10 tokens by the least bytes that an unknown model's token may have (3.2). */
const prompt = "x".repeat(32);
const asks = (maxTokens: number, calls = 1, high = 1): Method => ({
  ...answering(async (_, kit) => {
    for (let call = 0; call < calls; call++) await kit.ask("answer", { ...says(prompt), maxTokens });
    return "5";
  }),
  plan: plan({ perQuestion: () => ({ answer: { low: 1, high } }) }),
});
const one = [ratingUnit("u", ["a"])];
const three = [ratingUnit("u", ["a", "b"]), ratingUnit("v", ["c"])];

describe("bounds of calls", () => {
  test("are those of the plan, for each user by the history, and for each question", async () => {
    const method: Method = {
      ...answering(async () => "5"),
      plan: plan({
        perUnit: (history) => ({ summary: exactly(history.length), tool: { low: 1, high: 3 } }),
        perQuestion: () => ({ answer: exactly(1), tool: { low: 0, high: 5 } }),
      }),
    };
    const units = [
      ratingUnit("u", ["a", "b"], { history: [event("x"), event("y")] }),
      ratingUnit("v", ["c"], { history: [event("z")] }),
    ];
    expect(await bounded(armOf(method, units))).toMatchObject({
      summary: { ...exactly(3), tokensIn: 0, tokensOut: 0 },
      tool: { low: 2, high: 6 + 15, tokensIn: 0, tokensOut: 0 },
      answer: { ...exactly(3), tokensIn: 0, tokensOut: 0 },
    });
  });

  test("count the learning of a gold in an online run only, and each turn of a dialogue that nobody is asked about", async () => {
    const method: Method = {
      ...answering(async () => "5"),
      plan: plan({
        perLearned: () => ({ update: exactly(1) }),
        perObserved: (asked) => (asked ? {} : { tool: exactly(1) }),
      }),
    };
    const before = ["t1", "t2", "t3"].map((id) => ({ id, said: "hello", reply: "hi" }));
    const [unit] = [ratingUnit("u", ["a", "b"])];
    const examples = unit!.examples.map((example, i) => (i === 0 ? { ...example, before } : example));
    const arm = armOf(method, [{ ...unit!, examples }]);
    const online = { ...arm, spec: { ...arm.spec, options: { online: true } } };
    expect(await bounded(arm)).toEqual({ tool: expect.objectContaining(exactly(3)) });
    expect((await bounded(online)).update).toMatchObject(exactly(2));
  });

  test("count what all users share once", async () => {
    const method: Method = {
      ...personalizing(async (kit) => {
        await kit.shared("table", (armKit) => armKit.ask("summary", { ...says(prompt), maxTokens: 7 }));
        return asking;
      }),
      plan: plan({
        perQuestion: () => ({ answer: exactly(1) }),
        perArm: () => ({ summary: exactly(1), gradient: { low: 0, high: 2 } }),
      }),
    };
    expect(await bounded(armOf(method, three))).toMatchObject({
      answer: exactly(3),
      "summary (shared)": { ...exactly(1), tokensIn: 10, tokensOut: 7 },
      "gradient (shared)": { low: 0, high: 2, tokensIn: 2 * (10 + 2 * 64 + 1000), tokensOut: 2 * 64 },
    });
  });
});

describe("bounds of tokens", () => {
  test("are prompts as they are and replies as long as allowed, of the model that is asked", async () => {
    const { answer } = await bounded(armOf(asks(100), three));
    expect(answer).toMatchObject({ ...exactly(3), tokensIn: 30, tokensOut: 300 });
    const thinking: Partial<EstimateInputs> = {
      model: (id) => ({
        ...scripted(() => expect.unreachable()),
        id,
        capabilities: id === "x/thinker" ? { ...capabilities, thinking: "always" } : capabilities,
      }),
    };
    const method: Method = {
      ...answering(async (_, kit) => {
        await kit.ask("select", { ...says("?"), of: "reference", maxTokens: 5 });
        return "5";
      }),
      plan: plan({ perQuestion: () => ({ "select@reference": exactly(1) }) }),
    };
    const arm = armOf(method, one);
    const of = async (reference: string) => {
      const spec = { ...arm.spec, options: { "model.reference": reference } };
      return (await bounded({ ...arm, spec }, thinking))["select@reference"]?.tokensOut;
    };
    expect(await of("x/thinker")).toBeGreaterThan(1000);
    expect(await of("x/other")).toBe(5);
  });

  test("of a later turn hold the earlier replies and observations, up to the longest loop", async () => {
    // Prompts of 10 tokens, then one reply and one observation (100 + 1000) more, then two.
    const { answer } = await bounded(armOf(asks(100, 1, 3), one));
    expect(answer).toMatchObject({ low: 1, high: 3, tokensIn: 10 + 1110 + 2210, tokensOut: 300 });
    expect(answer?.usd).toBeCloseTo(10 + 1110 + 2210 + 10 * 300);
    // One and a half turns of two calls: 1.5 times what was executed, and 2 * 1100 * (1.5 * .5 / 2) for what it holds.
    const twice = await bounded(armOf(asks(100, 2, 3), one));
    expect(twice.answer).toMatchObject({ low: 1, high: 3, tokensIn: 30 + 825, tokensOut: 300 });
    const beyond = await bounded(armOf(asks(100, 3, 2), one));
    expect(beyond.answer).toMatchObject({ low: 1, high: 3, tokensIn: 30, tokensOut: 300 });
  });

  test("of calls that only tools make go by the longest prompt and reply", async () => {
    const method = {
      ...asks(7),
      plan: plan({ perQuestion: () => ({ answer: exactly(1), tool: { low: 0, high: 5 } }) }),
    };
    const { tool } = await bounded(armOf(method, three));
    expect(tool).toMatchObject({ low: 0, high: 15, tokensIn: 15 * (10 + 2 * 7 + 1000), tokensOut: 15 * 7 });
    expect(tool?.usd).toBeCloseTo(15 * (10 + 2 * 7 + 1000) + 10 * 15 * 7);
  });
});

describe("equal requests", () => {
  const arm = armOf(asks(100), [ratingUnit("u", ["a", "b"])]);
  const named = (of: Arm, id: string): Arm => ({ ...of, spec: { ...of.spec, id } });
  const sent = async (arms: readonly Arm[], more: Partial<EstimateInputs> = {}) =>
    (await estimateArms(arms, means(more))).total;
  const expected = async (...of: Parameters<typeof sent>) => (await sent(...of)).expected.calls;

  test("are expected to be sent once, of one arm or of several; repeats and arms of an embedder that is stood in for ask others", async () => {
    expect(await sent([arm])).toMatchObject({ callsHigh: 2, tokensIn: 20, tokensOut: 200, expected: { calls: 1 } });
    expect(await expected([arm, named(arm, "other")])).toBe(1);
    expect(await expected([arm, armOf(arm.method, [...arm.loaded.units], 1)])).toBe(2);
    const embedder: EstimateInputs["embedder"] = ({ spec }) => ({
      embedder: wordEmbedder,
      ...(spec.id === "other" ? { standsFor: "x" } : {}),
    });
    expect(await expected([arm, named(arm, "other")], { embedder })).toBe(2);
  });
});

describe("replies at hand", () => {
  const method: Method = { ...answering(asking), plan: plan({ perQuestion: () => ({ answer: exactly(1) }) }) };
  const units = ["u", "v", "w"].map((user) =>
    ratingUnit(
      user,
      ["1", "2", "3"].map((n) => `${user}${n}`),
    ),
  );
  const arm = armOf(method, units);

  test("are not asked for again, and say how long the others are", async () => {
    const known = new Map<string, number>();
    await estimateArms([arm], means({ find: (key) => void known.set(key, known.get(key) ?? known.size) })); // in the order of the questions
    const reply = (tokens: number) => replyOf("5", { usage: { in: 1, out: tokens } });
    const first = (count: number) => (key: string) => (known.get(key)! < count ? reply(50) : undefined);
    const [some, few, all] = await Promise.all(
      [7, 4, 9].map((count) => estimateArms([arm], means({ find: first(count) }))),
    );
    expect(some).toMatchObject({ atHand: 7, total: { callsHigh: 2 } });
    expect(some!.total.expected).toMatchObject({ calls: 2, tokensOut: 100 });
    expect(few).toMatchObject({ atHand: 4, total: { expected: { calls: 5 } } });
    expect(few!.total.expected.tokensOut).not.toBe(250); // too few to go by
    expect(all).toMatchObject({ atHand: 9, arms: [[]], total: { callsHigh: 0, usd: 0, expected: { calls: 0 } } });
  });

  test("are found by the request as it is sent: without parameters that the model does not take", async () => {
    const wanted = { messages: says("q").messages, maxTokens: 9, sample: 0 } as ModelRequest;
    const find: EstimateInputs["find"] = (key) =>
      key === requestKey("test/scripted", wanted) ? replyOf("5") : undefined;
    const hot: Method = {
      ...answering(async (_, kit) => (await kit.ask("answer", { ...says("q"), maxTokens: 9, temperature: 1 })).text),
      plan: method.plan,
    };
    const model: EstimateInputs["model"] = (id) => ({
      ...scripted(() => expect.unreachable()),
      id,
      capabilities: { ...capabilities, temperature: false },
    });
    expect((await estimateArms([armOf(hot, one)], means({ find, model }))).atHand).toBe(1);
  });
});

test("a request that the model cannot take ends the estimate as it would end the run", async () => {
  const method = answering(async (_, kit) => {
    const tools = [{ name: "t", description: "", parameters: {} }];
    return (await kit.ask("answer", { ...says("?"), tools })).text;
  });
  const model: EstimateInputs["model"] = (id) => ({
    ...scripted(() => expect.unreachable()),
    id,
    capabilities: { ...capabilities, tools: false },
  });
  await expect(estimateArms([armOf(method, one)], means({ model }))).rejects.toThrow("takes no tools");
});
