import { describe, expect, it } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { type CallFact, cached, isFromStore, type ResponseStore, requestKey } from "../../../src/models/wrap/cached.js";
import type { Model, ModelReply } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

function memory(): ResponseStore & { readonly size: number } {
  const replies = new Map<string, ModelReply>();
  return {
    get: (key) => replies.get(key),
    put: (key, _request, reply) => void replies.set(key, reply),
    get size() {
      return replies.size;
    },
  };
}

function counting(answer: () => Promise<ModelReply> | ModelReply = () => replyOf("x")) {
  const state = { calls: 0 };
  const model: Model = scripted(() => {
    state.calls++;
    return answer();
  });
  return { model, state };
}

describe("cached", () => {
  it("sends an equal request once, and says which reply came from the store", async () => {
    const { model, state } = counting();
    const facts: CallFact[] = [];
    const store = memory();
    const kept = cached(model, store, (fact) => facts.push(fact));
    const first = await kept.complete(ask("q"), noAbort());
    const second = await kept.complete(ask("q"), noAbort());
    expect(state.calls).toBe(1);
    expect(second).toEqual(first);
    expect([isFromStore(first), isFromStore(second)]).toEqual([false, true]);
    expect(facts.map(({ cached: free, failed }) => [free, failed])).toEqual([
      [false, false],
      [true, false],
    ]);
    expect(facts[0]?.key).toBe(requestKey(model.id, ask("q")));
  });

  it.each([
    ["text", ask("other")],
    ["sample number", ask("q", { sample: 1 })],
    ["system prompt", ask("q", { system: "s" })],
    ["temperature", ask("q", { temperature: 0 })],
    ["answer budget", ask("q", { maxTokens: 65 })],
    ["stop texts", ask("q", { stop: ["\n"] })],
    ["log probabilities", ask("q", { logprobs: 1 })],
    ["tools", ask("q", { tools: [{ name: "t", description: "d", parameters: {} }] })],
    ["tool choice", ask("q", { toolChoice: "none" })],
  ])("a different %s is a different key", (_field, request) => {
    expect(requestKey("m", request)).not.toBe(requestKey("m", ask("q")));
  });

  it("another model is another key, the order of fields is not", () => {
    expect(requestKey("m", ask("q"))).not.toBe(requestKey("n", ask("q")));
    const { messages, maxTokens, sample } = ask("q");
    expect(requestKey("m", { sample, maxTokens, messages })).toBe(requestKey("m", ask("q")));
  });

  it("tells what each call took, of equal ones which was sent, and which failed", async () => {
    const clock = fakeClock(1000);
    const facts: CallFact[] = [];
    const model = scripted(async ({ sample }, signal) => {
      await clock.sleep(30, signal);
      if (sample === 1) throw new ModelError("down", { retryable: true });
      return replyOf("x");
    });
    const kept = cached(model, memory(), (fact) => facts.push(fact));
    await Promise.all([kept.complete(ask("q"), noAbort()), kept.complete(ask("q"), noAbort())]);
    await expect(kept.complete(ask("q", { sample: 1 }), noAbort())).rejects.toThrow("down");
    expect(facts.map(({ cached: free, failed }) => ({ free, failed }))).toEqual([
      { free: false, failed: false },
      { free: true, failed: false }, // asked when the first was nearly answered
      { free: false, failed: true },
    ]);
  });

  it("fails equal calls in flight together, once", async () => {
    const { model, state } = counting(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      throw new ModelError("down", { retryable: false });
    });
    const kept = cached(model, memory());
    const both = [kept.complete(ask("q"), noAbort()), kept.complete(ask("q"), noAbort())];
    for (const { status } of await Promise.allSettled(both)) expect(status).toBe("rejected");
    expect(state.calls).toBe(1);
  });

  it("sends equal requests that are in flight together once", async () => {
    const { model, state } = counting(() => new Promise((resolve) => setImmediate(() => resolve(replyOf("x")))));
    const kept = cached(model, memory());
    await Promise.all(Array.from({ length: 10 }, () => kept.complete(ask("q"), noAbort())));
    expect(state.calls).toBe(1);
  });

  it("keeps refusals and never errors", async () => {
    const store = memory();
    const refusing = cached(
      scripted(() => replyOf("", { stop: "refusal" })),
      store,
    );
    await refusing.complete(ask("q"), noAbort());
    expect(store.size).toBe(1);
    let calls = 0;
    const recovering = scripted(() => {
      if (++calls === 1) throw new ModelError("down", { retryable: true });
      return replyOf("up");
    });
    const kept = cached(recovering, store);
    await expect(kept.complete(ask("r"), noAbort())).rejects.toThrow("down");
    expect(store.size).toBe(1);
    expect((await kept.complete(ask("r"), noAbort())).text).toBe("up");
  });

  it("an abort by one caller does not take an equal call of another down", async () => {
    const model = scripted(
      (_request, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          setTimeout(() => resolve(replyOf("x")), 20);
        }),
    );
    const kept = cached(model, memory());
    const controller = new AbortController();
    const first = kept.complete(ask("q"), controller.signal);
    const second = kept.complete(ask("q"), noAbort());
    controller.abort(new Error("Ctrl-C"));
    await expect(first).rejects.toThrow("Ctrl-C");
    expect((await second).text).toBe("x");
  });
});
