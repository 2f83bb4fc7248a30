import { describe, expect, test } from "vitest";
import { ModelError } from "../../../src/errors.js";
import type { CallFact } from "../../../src/models/wrap/cached.js";
import { seeded } from "../../../src/random/seeded.js";
import { type LayerSettings, layered, RETRY_DEFAULTS } from "../../../src/run/outside/layers.js";
import { Paces } from "../../../src/run/outside/paces.js";
import type { Clock, Model, ModelReply } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const random = seeded("layers");
const pacesOf = (clock: Clock, concurrency: number) =>
  new Paces({ endpoints: {}, concurrency, giveUpAfterMs: 900_000, clock, random });

function layers(model: Model, more: Partial<LayerSettings> = {}) {
  const replies = new Map<string, ModelReply>();
  const observed: CallFact[] = [];
  const clock = fakeClock();
  const made = layered(model, {
    paces: pacesOf(clock, 2),
    store: { get: (key) => replies.get(key), put: (key, _request, reply) => void replies.set(key, reply) },
    clock,
    random,
    observe: (call) => observed.push(call),
    ...more,
  });
  return { model: made, observed, clock };
}

/** Fails so often, then answers. */
function failing(times: number, error: () => Error) {
  const state = { calls: 0 };
  const model = scripted(() => {
    if (++state.calls <= times) throw error();
    return replyOf("done");
  });
  return { model, state };
}
const busy = () => new ModelError("busy", { retryable: true, status: 408 });

describe("a model in all its layers", () => {
  test("tries as often as the defaults say, or as it is told", async () => {
    const usual = failing(100, busy);
    await expect(layers(usual.model).model.complete(ask("q"), noAbort())).rejects.toThrow("gave up after 6 tries");
    expect(usual.state.calls).toBe(RETRY_DEFAULTS.attempts);
    const told = failing(100, busy);
    const { model } = layers(told.model, { retry: { attempts: 2 } });
    await expect(model.complete(ask("q"), noAbort())).rejects.toThrow("gave up after 2 tries");
  });

  test("drops what the model does not take before it looks into the store", async () => {
    const { model, observed } = layers(scripted(() => replyOf("x"), { temperature: false }));
    await model.complete(ask("q", { temperature: 0 }), noAbort());
    await model.complete(ask("q"), noAbort());
    expect(observed.map(({ cached }) => cached)).toEqual([false, true]);
  });

  test("sends no more at one time than a server may be sent, whatever the models", async () => {
    let [now, most] = [0, 0];
    const slow = (id: string): Model => ({
      ...scripted(async () => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now--;
        return replyOf("x");
      }),
      id,
    });
    const clock = fakeClock();
    const paces = pacesOf(clock, 2);
    const models = ["test/a", "test/b"].map((id) => layers(slow(id), { paces }).model);
    await Promise.all(models.flatMap((model) => [..."abcd"].map((text) => model.complete(ask(text), noAbort()))));
    expect(most).toBe(2);
  });

  test("without paces tries a refusal like any failure, since no rate is kept", async () => {
    const refused = () => new ModelError("slow", { retryable: true, status: 429, throttled: true });
    const { model } = failing(100, refused);
    await expect(layers(model, { paces: undefined }).model.complete(ask("q"), noAbort())).rejects.toThrow(
      "gave up after 6 tries",
    );
  });

  test("gives the model up where its server refuses for longer than it waits", async () => {
    const clock = fakeClock();
    const paces = new Paces({ endpoints: {}, concurrency: 2, giveUpAfterMs: 1_000, clock, random });
    const refused = () => new ModelError("slow", { retryable: true, status: 429, throttled: true, retryAfterMs: 700 });
    const { model } = layers(failing(100, refused).model, { clock, paces });
    await expect(model.complete(ask("q"), noAbort())).rejects.toMatchObject({
      scope: "model",
      message: expect.stringContaining("--give-up-after"),
    });
  });

  test.each([
    [undefined, 1],
    ["auto", 1],
    ["off", 2],
  ] as const)("with cache %s sends %i of two turns at once that share a prefix", async (cache, atOnce) => {
    let sent = 0;
    const release: (() => void)[] = [];
    const inner = scripted(
      () => {
        sent += 1;
        return new Promise<ModelReply>((resolve) => release.push(() => resolve(replyOf("x"))));
      },
      { cache: { minTokens: 100, bytesPerToken: 4 } },
    );
    const { model } = layers(inner, { paces: undefined, ...(cache === undefined ? {} : { cache }) });
    const tools = [{ name: "search", description: "Finds.", parameters: { type: "object" } }];
    const calls = ["1", "2"].map((text) => model.complete(ask(text, { system: "ann ".repeat(600), tools }), noAbort()));
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    expect(sent).toBe(atOnce);
    while (sent < 2 || release.length > 0) {
      release.shift()?.();
      await new Promise(setImmediate);
    }
    await Promise.all(calls);
  });
});
