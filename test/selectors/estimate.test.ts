import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { rums } from "../../src/methods/rums.js";
import { type EntropyKind, estimator, kindOf } from "../../src/selectors/rums/estimate.js";
import type { RumsOptions } from "../../src/selectors/rums/options.js";
import type { ModelReply, TaskBrief, TokenLogprob } from "../../src/types/index.js";
import { fakeKit } from "../helpers/kit.js";
import { knobs, movies } from "../methods/workflow-fixtures.js";

type Reply = string | Partial<ModelReply>;

const token = (shares: Readonly<Record<string, number>>): TokenLogprob => {
  const top = Object.entries(shares).map(([text, share]) => ({ token: text, logprob: Math.log(share) }));
  return { ...top[0]!, top };
};
const task: TaskBrief = { ...movies, labels: ["comedy", "thriller", "true story", "war"] };
const half = -2 * 0.5 * Math.log(0.5);

/** What an estimator of this kind makes of a model with these replies, and what it asked. */
async function estimate(
  kind: EntropyKind,
  given: Record<string, string | number>,
  reply: (call: number, text: string) => Reply,
  capabilities: { readonly prefill?: boolean; readonly temperature?: boolean } = {},
) {
  const armKit = fakeKit({
    task,
    capabilities: { logprobs: true, ...capabilities },
    script: ({ text }, call) => reply(call, text),
  });
  const options = knobs(rums, given) as RumsOptions;
  const found = await estimator(kind, options, armKit.question("q"))("prompt");
  return { found, armKit, requests: armKit.calls.map(({ request }) => request) };
}

describe("which entropy is measured", () => {
  const kind = (wanted: string, alternatives: number, labels: readonly string[] = ["a"]) =>
    kindOf(knobs(rums, { "rums.entropy": wanted }) as RumsOptions, alternatives, {
      task: { ...task, labels },
      models: fakeKit({ task, script: () => "" }).kit.models,
    });

  test("auto: labels where the task has them, else tokens, and samples where no logprobs come", () => {
    expect([kind("auto", 20), kind("auto", 1, []), kind("auto", 0), kind("auto", 0, [])]).toEqual([
      "label",
      "token",
      "sample",
      "sample",
    ]);
  });

  test("what is named is taken, or refused with what to do: the run stops", () => {
    expect([kind("sample", 0), kind("sample", 20), kind("token", 20), kind("label", 20)]).toEqual([
      "sample",
      "sample",
      "token",
      "label",
    ]);
    const refused = (wanted: string, alternatives: number, labels: readonly string[]): unknown => {
      try {
        return kind(wanted, alternatives, labels);
      } catch (error) {
        return error;
      }
    };
    for (const error of [refused("label", 20, []), refused("token", 0, ["a"]), refused("label", 0, ["a"])]) {
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ scope: "stop", retryable: false });
    }
    expect(refused("token", 20, [])).toBe("token");
  });
});

describe("entropy over labels", () => {
  test("is that of the labels' shares made to sum to one; what is no label is told as the rest", async () => {
    const { found, armKit, requests } = await estimate("label", {}, () => ({
      logprobs: [token({ com: 0.4, war: 0.4, x: 0.2 })],
    }));
    expect(found).toEqual({ entropy: expect.closeTo(half, 12), unseen: expect.closeTo(0.2, 12) });
    expect(requests).toMatchObject([
      { maxTokens: 4, logprobs: 20, temperature: 0, messages: [{ role: "user", content: "prompt" }] },
    ]);
    expect(armKit.incidents.get("labels-untold")).toBeUndefined();
    const much = await estimate("label", {}, () => ({ logprobs: [token({ com: 0.7, x: 0.3 })] }));
    expect([much.found?.entropy, much.armKit.incidents.get("labels-untold")]).toEqual([0, 1]);
  });

  test("labels with one beginning are told apart by a begun answer, the likeliest beginning first", async () => {
    const { found, requests, armKit } = await estimate(
      "label",
      {},
      (call) => ({ logprobs: [call === 0 ? token({ t: 0.8, war: 0.2 }) : token({ hri: 0.5, rue: 0.5 })] }),
      { prefill: true },
    );
    expect(requests[1]?.messages).toEqual([
      { role: "user", content: "prompt" },
      { role: "assistant", content: "t" },
    ]);
    expect(requests[1]).toMatchObject({ maxTokens: 4, logprobs: 20, temperature: 0 });
    const shares = [0.4, 0.4, 0.2];
    expect(found?.entropy).toBeCloseTo(-shares.reduce((sum, share) => sum + share * Math.log(share), 0), 9);
    expect(armKit.incidents.size).toBe(0);
  });

  const evenly = -[0.4, 0.4, 0.2].reduce((sum, share) => sum + share * Math.log(share), 0);

  test.each([
    ["the model takes no begun answer", { prefill: false }, 1],
    ["the begun answer tells nothing", { prefill: true }, 2],
  ])("else they share it evenly, and that is counted: %s", async (_why, capabilities, calls) => {
    const reply = (call: number): Reply =>
      call === 0 ? { logprobs: [token({ t: 0.8, war: 0.2 })] } : { text: "hriller" };
    const { found, armKit, requests } = await estimate("label", {}, reply, capabilities);
    expect(found?.entropy).toBeCloseTo(evenly, 9);
    expect([requests.length, armKit.incidents.get("labels-split-evenly")]).toEqual([calls, 1]);
  });
});

describe("entropy over tokens", () => {
  test("asks for N continuations of T tokens at the temperature, each a draw of its own", async () => {
    const { found, requests } = await estimate(
      "token",
      { "rums.samples": 3, "rums.tokens": 7, "rums.temperature": 0.4 },
      () => ({
        logprobs: [token({ a: 0.5, b: 0.5 })],
      }),
    );
    expect(found).toEqual({ entropy: expect.closeTo(half, 12), unseen: 0 });
    expect(
      requests.map(({ maxTokens, temperature, draw, logprobs }) => [maxTokens, temperature, draw, logprobs]),
    ).toEqual([
      [7, 0.4, 0, 20],
      [7, 0.4, 1, 20],
      [7, 0.4, 2, 20],
    ]);
  });

  test("replies without logprobs are left out and counted; all of them: not known", async () => {
    const one = await estimate("token", { "rums.samples": 2 }, (call) =>
      call === 0 ? "mute" : { logprobs: [token({ a: 0.5, b: 0.5 })] },
    );
    expect([one.found?.entropy, one.armKit.incidents.get("logprobs-missing")]).toEqual([expect.closeTo(half, 12), 1]);
    const all = await estimate("token", { "rums.samples": 2 }, () => "mute");
    expect([all.found, all.armKit.incidents.get("logprobs-missing")]).toEqual([undefined, 1]);
    const none = await estimate("token", { "rums.samples": 2 }, () => ({ logprobs: [token({ a: 1 })] }));
    expect(none.armKit.incidents.size).toBe(0);
  });

  test.each<[string, Partial<ModelReply>]>([
    ["words without a token", { text: "comedy", logprobs: [] }],
    [
      "a token without alternatives",
      { text: "comedy", logprobs: [token({ a: 1 }), { token: "b", logprob: -2, top: [] }] },
    ],
  ])("%s are no certainty: not known, and counted", async (_name, reply) => {
    const { found, armKit } = await estimate("token", { "rums.samples": 1 }, () => reply);
    expect([found, armKit.incidents.get("logprobs-missing")]).toEqual([undefined, 1]);
    const first = { logprobs: reply.logprobs!.slice(1) };
    const label = await estimate("label", {}, () => ({ ...reply, ...first }));
    expect([label.found, label.armKit.incidents.get("logprobs-missing")]).toEqual([undefined, 1]);
  });

  test("more than .2 left untold is counted, as one token", async () => {
    const untold = (share: number) =>
      estimate("token", { "rums.samples": 1 }, () => ({ logprobs: [token({ a: 1 - share })] }));
    expect((await untold(0.1)).armKit.incidents.size).toBe(0);
    const much = await untold(0.5);
    expect([much.found?.entropy, much.armKit.incidents.get("tail-over-0.2")]).toEqual([
      expect.closeTo(Math.log(2), 9),
      1,
    ]);
  });
});

describe("entropy of counted answers", () => {
  test("asks for 20 answers, folds letter case and blanks, and marks itself once", async () => {
    const { found, armKit, requests } = await estimate(
      "sample",
      { "rums.temperature": 0.9 },
      (call) => ["War", " war ", "peace", "Peace\n"][call % 4]!,
    );
    expect(found).toEqual({ entropy: expect.closeTo(Math.log(2) + 1 / 40, 12), unseen: 0 });
    expect(requests.map(({ temperature, draw, logprobs }) => [temperature, draw, logprobs])).toEqual(
      Array.from({ length: 20 }, (_, draw) => [0.9, draw, undefined]),
    );
    expect(armKit.incidents.get("entropy-of-samples")).toBe(1);
  });
});
