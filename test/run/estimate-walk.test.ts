import { describe, expect, test } from "vitest";
import { type RehearsalSettings, rehearse } from "../../src/run/rehearse.js";
import { fillingModel } from "../../src/run/stand-ins.js";
import type { Method, ModelRequest, Turn } from "../../src/types/index.js";
import { answering, armOf, personalizing, ratingUnit, says } from "../helpers/engine-run.js";
import { wordEmbedder } from "../helpers/kit.js";
import { ask, noAbort, scripted } from "../helpers/model-request.js";

const { capabilities } = scripted(() => expect.unreachable());
const settings: RehearsalSettings = {
  embedder: wordEmbedder,
  tool: () => undefined,
  model: (id) => fillingModel(id, capabilities),
  asked: new Set(),
  price: () => 0,
};
const one = [ratingUnit("u", ["a", "b"])];
const asksOnce: Method = {
  ...answering(async (_, kit) => (await kit.ask("answer", { ...says("x".repeat(32)), maxTokens: 7 })).text),
  plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
};

describe("the walk of an estimate", () => {
  test("shows a method the files that options name", async () => {
    const seen: unknown[] = [];
    const method = personalizing(async (kit) => {
      seen.push(kit.file("weights"));
      return async () => "5";
    });
    await rehearse(armOf(method, one), { ...settings, files: new Map([["weights", "of last week"]]) });
    expect(seen).toEqual(["of last week"]);
    await expect(rehearse(armOf(method, one), settings)).rejects.toThrow();
  });

  test("lets dialogues go as a run does: turns that nobody is asked about, then the question with its reply", async () => {
    const observed: [Turn, boolean][] = [];
    const answer = Object.assign(async () => "my reply", {
      observe: async (turn: Turn, asked: boolean) => void observed.push([turn, asked]),
    });
    const before: Turn[] = [{ id: "t1", said: "hello", reply: "hi" }];
    const [unit] = one;
    const units = [
      { ...unit!, examples: unit!.examples.map((example, i) => (i === 0 ? { ...example, before } : example)) },
    ];
    const arm = armOf(
      personalizing(async () => answer),
      units,
    );
    await rehearse(arm, settings);
    expect(observed).toEqual([]);
    const task = { ...arm.loaded.task, dialogue: true as const };
    await rehearse({ ...arm, loaded: { ...arm.loaded, task } }, settings);
    expect(observed).toEqual([
      [before[0], false],
      [{ id: "a", said: "a", reply: "my reply" }, true],
      [{ id: "b", said: "b", reply: "my reply" }, true],
    ]);
  });

  test("needs no method that listens to a dialogue", async () => {
    const [unit] = one;
    const before: Turn[] = [{ id: "t1", said: "hello", reply: "hi" }];
    const arm = armOf(asksOnce, [{ ...unit!, examples: unit!.examples.map((example) => ({ ...example, before })) }]);
    const task = { ...arm.loaded.task, dialogue: true as const };
    const { phases } = await rehearse({ ...arm, loaded: { ...arm.loaded, task } }, settings);
    expect(phases.answer?.calls).toBe(2);
  });

  test("bounds the calls of a further model by that model's abilities", async () => {
    const method: Method = {
      ...personalizing(async () => async (_, kit) => {
        await kit.ask("select", { ...says("?"), of: "reference", maxTokens: 5 });
        return "5";
      }),
      plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ "select@reference": { low: 1, high: 1 } }) }),
    };
    const plain = armOf(method, [ratingUnit("u", ["a"])]);
    const arm = { ...plain, cell: { ...plain.cell, options: { "model.reference": "x/thinker" } } };
    const tokensOut = async (thinker: string) => {
      const model = (id: string) =>
        fillingModel(id, id === thinker ? { ...capabilities, thinking: "always" } : capabilities);
      return (await rehearse(arm, { ...settings, model })).phases["select@reference"]?.tokensOut;
    };
    expect(await tokensOut("x/thinker")).toBeGreaterThan(1000);
    expect(await tokensOut("x/other")).toBe(5);
  });
});

describe("replies of the walk", () => {
  const of = (more: Partial<ModelRequest>, labels?: readonly string[], text = "x") =>
    fillingModel("test/m", capabilities, labels).complete(ask(text, more), noAbort());

  test("are as long as allowed, and counted", async () => {
    const model = fillingModel("test/m", capabilities);
    const reply = await model.complete(ask("x".repeat(32), { maxTokens: 10 }), noAbort());
    expect(reply).toMatchObject({ stop: "end", model: "test/m", usage: { in: 10, out: 10, estimated: true } });
    expect(reply.text).toBe("word ".repeat(8));
    expect(reply).not.toHaveProperty("logprobs");
  });

  test("have probabilities where they are asked for and the model tells them: one for each token, of the labels in their order", async () => {
    const { logprobs = [] } = await of({ logprobs: 3, maxTokens: 4 }, ["a", "b", "c", "d"]);
    expect(logprobs).toHaveLength(4);
    expect(logprobs[0]?.token).toBe("a");
    expect(logprobs[0]?.top.map(({ token }) => token)).toEqual(["a", "b", "c"]);
    const sum = logprobs[0]!.top.reduce((total, { logprob }) => total + Math.exp(logprob), 0);
    expect(sum).toBeCloseTo(1, 12);
    expect(logprobs[0]!.top[1]!.logprob).toBe(logprobs[0]!.top[2]!.logprob);
    for (const labels of [undefined, [], ["only"]])
      expect((await of({ logprobs: 2 }, labels)).logprobs?.[0]?.top.map(({ token }) => token)).toEqual([
        "word",
        "other",
      ]);
    const without = fillingModel("test/m", { ...capabilities, logprobs: false });
    expect(await without.complete(ask("x", { logprobs: 2 }), noAbort())).not.toHaveProperty("logprobs");
  });

  test("are the surer the longer the prompt is, so that whoever chooses by them chooses as much as may be", async () => {
    const surest = async (text: string) =>
      Math.exp((await of({ logprobs: 2 }, ["a", "b"], text)).logprobs![0]!.logprob);
    expect(await surest("")).toBe(0.5);
    expect(await surest("x".repeat(100))).toBeCloseTo(2 / 3, 12);
    expect(await surest("x".repeat(10_000))).toBeCloseTo(1 - 1 / 102, 12);
  });
});
