import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { requestKey } from "../../../src/models/wrap/cached.js";
import { sampled } from "../../../src/models/wrap/sampled.js";
import type { ModelReply, ModelRequest } from "../../../src/types/index.js";
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
