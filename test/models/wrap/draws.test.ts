import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { warmFirst } from "../../../src/models/cache-marks.js";
import { requestKey } from "../../../src/models/wrap/cached.js";
import { sampled } from "../../../src/models/wrap/sampled.js";
import type { ModelReply, ModelRequest } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

function memory() {
  const kept = new Map<string, ModelReply>();
  return {
    kept,
    get: (key: string) => kept.get(key),
    put: (key: string, _request: ModelRequest, reply: ModelReply) => void kept.set(key, reply),
  };
}
const keyAt = (sample: number) => requestKey("test/scripted", ask("x", { sample }));

describe("several draws of one prompt", () => {
  it("are one request where the wire gives them together, each stored under its own number", async () => {
    const store = memory();
    const sent: ModelRequest[] = [];
    const model = sampled(
      scripted((request) => {
        sent.push(request);
        return { ...replyOf("one"), others: [replyOf("two"), replyOf("three")] };
      }),
      store,
    );
    const reply = await model.complete(ask("x", { samples: 3 }), noAbort());
    expect(reply).toEqual(replyOf("one"));
    expect(sent).toHaveLength(1);
    expect(store.kept.get(keyAt(1000))?.text).toBe("two");
    expect(store.kept.get(keyAt(2000))?.text).toBe("three");
  });

  it("are not bought again where their turn comes before the first has been answered", async () => {
    const store = memory();
    const sent: number[] = [];
    let answer = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const bare = scripted(async ({ sample }) => {
      sent.push(sample);
      if (sample === 0) await asked;
      return { ...replyOf(`${sample}`), ...(sample === 0 ? { others: [replyOf("two")] } : {}) };
    });
    const model = sampled({ ...bare, capabilities: { ...bare.capabilities, samples: true } }, store);
    const first = model.complete(ask("x", { samples: 3 }), noAbort());
    const [second, third] = [1000, 2000].map((sample) => model.complete(ask("x", { sample }), noAbort()));
    answer();
    expect((await first).text).toBe("0");
    expect((await second)?.text).toBe("two");
    expect((await third)?.text).toBe("2000"); // the server gave fewer than were asked for
    expect(sent).toEqual([0, 2000]);
  });

  it("are bought at once while the prompt is in the provider's cache, and one by one where there is none", async () => {
    const usage = { in: 10, out: 3, cacheWrite: 8 };
    for (const [first, calls] of [
      [replyOf("a", { usage }), 3],
      [replyOf("a"), 1],
    ] as const) {
      let sent = 0;
      const store = memory();
      const model = sampled(
        scripted(() => {
          sent++;
          return first;
        }),
        store,
      );
      await model.complete(ask("x", { samples: 3 }), noAbort());
      expect(sent).toBe(calls);
      expect(store.kept.size).toBe(calls - 1);
    }
  });

  it("wait for the first where that writes the prompt into a cache, and none is bought twice", async () => {
    const [cache, prompt] = [{ minTokens: 100, bytesPerToken: 4 }, "long ".repeat(100)];
    for (const [capabilities, inBatches, waits] of [
      [{ cache }, false, true],
      [{ cache }, true, false],
      [{}, false, false],
    ] as const) {
      const store = memory();
      const sent: number[] = [];
      const open: (() => void)[] = [];
      const usage = { in: 10, out: 3, cacheRead: 8 };
      const model = sampled(
        scripted(async ({ sample }) => {
          sent.push(sample);
          await new Promise<void>((resolve) => void open.push(resolve));
          return replyOf(`${sample}`, { usage });
        }, capabilities),
        store,
        { inBatches },
      );
      const calls = [{ samples: 3 }, { sample: 1000 }, { sample: 2000 }].map((more) =>
        model.complete(ask(prompt, more), noAbort()),
      );
      await new Promise(setImmediate);
      expect(sent).toEqual(waits ? [0] : [0, 1000, 2000]);
      for (let round = 0; round < 3; round++) {
        for (const go of open.splice(0)) go();
        await new Promise(setImmediate);
      }
      expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["0", "1000", "2000"]);
      expect(sent).toEqual([0, 1000, 2000]);
    }
  });

  it("that fail leave the first as it is: their own turn comes later", async () => {
    const usage = { in: 10, out: 3, cacheRead: 8 };
    const model = sampled(
      scripted((request) => {
        if (request.sample > 0) throw new ModelError("no", { retryable: false });
        return replyOf("a", { usage });
      }),
      memory(),
    );
    expect((await model.complete(ask("x", { samples: 2 }), noAbort())).text).toBe("a");
  });
});

describe("calls that begin with one cached prefix", () => {
  const tool = { name: "search", description: "Finds.", parameters: { type: "object" } };
  const turn = (text: string, system: string) => ask(text, { system: system.repeat(600), tools: [tool] });
  const cache = { minTokens: 100, bytesPerToken: 4 };

  it("wait for the reply of the first, and no others do", async () => {
    const order: string[] = [];
    const release: (() => void)[] = [];
    const inner = scripted(
      (request) =>
        new Promise((resolve) => {
          const text = (request.messages[0] as { content: string }).content;
          order.push(text);
          release.push(() => resolve(replyOf(text)));
        }),
      { cache },
    );
    const model = warmFirst(inner, { cache: "auto", clock: fakeClock() });
    const texts = [
      turn("a1", "ann "),
      turn("a2", "ann "),
      turn("b1", "bob "),
      ask("single", { system: "ann ".repeat(600) }),
    ];
    const calls = texts.map((request) => model.complete(request, noAbort()));
    await new Promise(setImmediate);
    expect(order).toEqual(["a1", "b1", "single"]);
    for (const go of release.splice(0)) go();
    await new Promise(setImmediate);
    expect(order).toEqual(["a1", "b1", "single", "a2"]);
    for (const go of release) go();
    await Promise.all(calls);
  });

  it("go on with the next where the first fails", async () => {
    let sent = 0;
    const inner = scripted(
      () => {
        if (sent++ === 0) throw new ModelError("no", { retryable: false });
        return replyOf("x");
      },
      { cache },
    );
    const model = warmFirst(inner, { cache: "auto", clock: fakeClock() });
    const calls = ["1", "2", "3"].map((text) => model.complete(turn(text, "ann "), noAbort()));
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
  });
});
