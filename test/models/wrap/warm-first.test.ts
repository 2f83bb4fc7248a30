import { describe, expect, it } from "vitest";
import { cached, requestKey } from "../../../src/models/wrap/cached.js";
import { sampled } from "../../../src/models/wrap/sampled.js";
import { warmFirst } from "../../../src/models/wrap/warm-first.js";
import type { Model, ModelReply } from "../../../src/types.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const tool = { name: "search", description: "Finds.", parameters: { type: "object" } };
const turn = (text: string) => ask(text, { system: "ann ".repeat(600), tools: [tool] });
const cache = { minTokens: 100, bytesPerToken: 4 };

/** A model whose replies are let go by hand, and what it was asked. */
function held(abilities: Parameters<typeof scripted>[1] = { cache }) {
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  const model = scripted((request) => {
    sent.push((request.messages[0] as { content: string }).content);
    return new Promise<ModelReply>((resolve) => waiting.push(() => resolve(replyOf("x"))));
  }, abilities);
  const release = async (): Promise<void> => {
    for (const go of waiting.splice(0)) go();
    await new Promise(setImmediate);
  };
  return { model, sent, release };
}

const start = (model: Model, ...texts: string[]) => {
  const calls = texts.map((text) => model.complete(turn(text), noAbort()));
  return Promise.all(calls);
};

describe("turns that begin alike", () => {
  it("go as they come where the provider has no cache, or the person wants none", () => {
    const { model } = held();
    expect(warmFirst(model, { cache: "off", clock: fakeClock() })).toBe(model);
    const without = scripted(() => replyOf("x"));
    expect(warmFirst(without, { cache: "auto", clock: fakeClock() })).toBe(without);
  });

  it("go side by side while the prefix is warm, and one first again when it was not used for four and a half minutes", async () => {
    const clock = fakeClock();
    const { model: inner, sent, release } = held();
    const model = warmFirst(inner, { cache: "auto", clock });
    const asked = async (...texts: string[]): Promise<number> => {
      const before = sent.length;
      const all = start(model, ...texts);
      await new Promise(setImmediate);
      const atOnce = sent.length - before;
      await release();
      await release();
      await all;
      return atOnce;
    };
    expect(await asked("1", "2", "3")).toBe(1);
    expect(await asked("4", "5")).toBe(2);
    await clock.sleep(269_999, noAbort());
    expect(await asked("6", "7")).toBe(2);
    await clock.sleep(270_000, noAbort());
    expect(await asked("8", "9")).toBe(1);
  });

  it("that wait end with the run: they are not sent when it has stopped meanwhile", async () => {
    const { model: inner, sent, release } = held();
    const model = warmFirst(inner, { cache: "auto", clock: fakeClock() });
    const stop = new AbortController();
    const first = model.complete(turn("1"), noAbort());
    const second = model.complete(turn("2"), stop.signal);
    stop.abort(new Error("stopped"));
    const refused = expect(second).rejects.toThrow("stopped");
    await new Promise(setImmediate);
    await release();
    await Promise.all([first, refused]);
    expect(sent).toEqual(["1"]);
  });
});

it("a stored reply answers its prompt however often it is drawn and wherever it is marked: marks are not part of what is asked", async () => {
  const kept = new Map<string, ModelReply>();
  let sent = 0;
  const inner = scripted(() => {
    sent += 1;
    return replyOf("x");
  });
  const store = {
    get: (key: string) => kept.get(key),
    put: (key: string, _: unknown, reply: ModelReply) => void kept.set(key, reply),
  };
  const model = cached(inner, store, { clock: fakeClock() });
  for (const more of [{ opening: 1 }, {}, { samples: 3 }, { opening: 1, samples: 3 }])
    await model.complete(ask("x", more), noAbort());
  expect(sent).toBe(1);
});

describe("further draws of a prompt that the provider has cached", () => {
  const keyAt = (sample: number) => requestKey("test/scripted", ask("x", { sample }));
  const drawn = async (replies: readonly (ModelReply | Error)[], known: readonly number[] = []) => {
    const kept = new Map(known.map((sample) => [keyAt(sample), replyOf("known")]));
    const sent: (number | undefined)[] = [];
    const inner = scripted(({ sample }) => {
      const reply = replies[Math.min(sent.length, replies.length - 1)]!;
      sent.push(sample);
      if (reply instanceof Error) throw reply;
      return reply;
    });
    const store = {
      get: (key: string) => kept.get(key),
      put: (key: string, _: unknown, reply: ModelReply) => void kept.set(key, reply),
    };
    const reply = await sampled(inner, store).complete(ask("x", { samples: 3 }), noAbort());
    return { reply, sent, kept };
  };
  const warm = (text: string) => replyOf(text, { usage: { in: 10, out: 3, cacheRead: 8, cacheWrite: 8 } });

  it("are bought under their own numbers, but those that are stored", async () => {
    expect([...(await drawn([warm("a")])).kept.keys()]).toEqual([keyAt(1000), keyAt(2000)]);
    expect((await drawn([warm("a")], [1000])).kept.get(keyAt(1000))?.text).toBe("known");
    expect((await drawn([warm("a")], [1000])).sent).toHaveLength(2);
  });

  it("are not bought where they came with the first", async () => {
    const { sent } = await drawn([{ ...warm("a"), others: [replyOf("b"), replyOf("c")] }]);
    expect(sent).toHaveLength(1);
  });

  it("that fail by a fault of the program stop it", async () => {
    await expect(drawn([warm("a"), new TypeError("a bug")])).rejects.toThrow("a bug");
  });
});
