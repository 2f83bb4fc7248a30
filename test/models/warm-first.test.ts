import { describe, expect, it } from "vitest";
import { repeatedOpenings, warmFirst } from "../../src/models/cache-marks.js";
import type { Model, ModelReply } from "../../src/types/index.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";

const tool = { name: "search", description: "Finds.", parameters: { type: "object" } };
const turn = (text: string, user = "ann ") => ask(text, { system: user.repeat(600), tools: [tool] });
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

describe("single calls that begin alike", () => {
  const long = "demo ".repeat(300);
  const openingsOf = async (inBatches: boolean): Promise<(number | undefined)[]> => {
    const sent: (number | undefined)[] = [];
    const inner = scripted(
      ({ opening }) => {
        sent.push(opening);
        return replyOf("x");
      },
      { cache },
    );
    const model = repeatedOpenings(inner, { inBatches });
    for (const request of [
      ...["1", "2"].map((question) => ask(long + question, { opening: long.length })),
      ask(`${long}3`), // says nothing of what it begins with
      ...["x", "y"].map((question) => ask(question, { opening: 0, system: long })),
      ...["x", "y"].map((question) => ask(`short ${question}`, { opening: 6 })),
    ])
      await model.complete(request, noAbort());
    return sent;
  };

  it("keep their opening from the second on: one call alone pays no write", async () => {
    expect(await openingsOf(false)).toEqual([undefined, long.length, undefined, undefined, 0, undefined, undefined]);
  });

  it("keep none in batches", async () => {
    expect(new Set(await openingsOf(true))).toEqual(new Set([undefined]));
  });
});
