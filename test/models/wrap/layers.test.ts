import { describe, expect, test } from "vitest";
import { ModelError } from "../../../src/errors.js";
import { RateDesk } from "../../../src/models/rate/desk.js";
import { type LayerSettings, layered, type ObservedCall, RETRY_DEFAULTS } from "../../../src/models/wrap/layered.js";
import type { RetryEvent } from "../../../src/models/wrap/rated.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Clock, Model, ModelReply } from "../../../src/types.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const random = seeded("layers");
const deskOf = (clock: Clock, concurrency: number) =>
  new RateDesk({ endpoints: {}, concurrency, giveUpAfterMs: 900_000, clock, random });

function layers(model: Model, more: Partial<LayerSettings> = {}) {
  const replies = new Map<string, ModelReply>();
  const observed: ObservedCall[] = [];
  const clock = fakeClock();
  const made = layered(model, {
    unsupported: "drop",
    desk: deskOf(clock, 2),
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
const busy = () => new ModelError("busy", { retryable: true, status: 503 });

describe("a model in all its layers", () => {
  test("tells how many tries a call took, and that one from the store took none", async () => {
    const { model, observed } = layers(failing(2, busy).model);
    await model.complete(ask("q"), noAbort());
    await model.complete(ask("q"), noAbort());
    expect(observed).toMatchObject([
      { attempts: 3, cached: false, failed: false },
      { attempts: 0, cached: true },
    ]);
  });

  test("tells of a call that was never sent that it took no try", async () => {
    const { model, observed } = layers(failing(0, busy).model, { budget: { maxCalls: 0 } });
    await expect(model.complete(ask("q"), noAbort())).rejects.toThrow("--max-calls 0");
    expect(observed).toMatchObject([{ attempts: 0, failed: true }]);
  });

  test("tells of retries, and needs nobody to listen", async () => {
    const retries: RetryEvent[] = [];
    await layers(failing(2, busy).model, { onRetry: (event) => retries.push(event) }).model.complete(
      ask("q"),
      noAbort(),
    );
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    const { observe: _none, ...deaf }: Partial<LayerSettings> = { observe: () => {} };
    expect(await layers(failing(1, busy).model, deaf).model.complete(ask("q"), noAbort())).toMatchObject({
      text: "done",
    });
  });

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
    expect(model.notApplied).toEqual(["temperature"]);
    const strict = layers(
      scripted(() => replyOf("x"), { temperature: false }),
      { unsupported: "error" },
    ).model;
    await expect(strict.complete(ask("q", { temperature: 0 }), noAbort())).rejects.toThrow("does not take temperature");
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
    const desk = deskOf(clock, 2);
    const models = ["test/a", "test/b"].map((id) => layers(slow(id), { desk }).model);
    await Promise.all(models.flatMap((model) => [..."abcd"].map((text) => model.complete(ask(text), noAbort()))));
    expect(most).toBe(2);
  });
});
