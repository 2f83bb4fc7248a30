import { expect, it } from "vitest";
import { openModel } from "../../../src/models/index.js";
import { Limiters } from "../../../src/models/rate/limiters.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Model } from "../../../src/types/index.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { replyOf, scripted } from "../../helpers/model-request.js";
import { startProviderServer } from "../../helpers/provider-server.js";

const model = (id: string, address?: string): Model => ({
  ...scripted(() => replyOf("x")),
  id,
  ...(address === undefined ? {} : { address }),
});

it("a further model at a server of its own has limits of its own; others of one server and class share them", () => {
  const limiters = new Limiters({
    endpoints: { lab: { provider: "openai", baseUrl: "http://lab/v1" } },
    baseUrl: "http://first/v1",
    giveUpAfterMs: 1_000,
    clock: fakeClock(0),
    random: seeded("limiters"),
  });
  const first = limiters.of(model("openai/m"));
  expect(limiters.of(model("openai/m-2026-01-01"))).toBe(first); // a date is no other class
  expect(limiters.of(model("openai/m", "http://judge/v1"))).not.toBe(first);
  expect(limiters.of(model("lab/m"))).not.toBe(first);
  expect(limiters.of(model("openai/other"))).not.toBe(first);
  const opus = limiters.of(model("anthropic/claude-opus-4-7"));
  expect(limiters.of(model("anthropic/claude-opus-4-8"))).toBe(opus); // one class at Anthropic
  expect(limiters.of(model("anthropic/claude-sonnet-4-6"))).not.toBe(opus);
  expect(limiters.of(model("anthropic/claude-opus-5"))).not.toBe(opus);
});

it("takes as many calls at once as a llama.cpp server of this machine works on, unless somebody says", async () => {
  for (const [concurrency, props, width] of [
    [undefined, { total_slots: 3 }, 3],
    [undefined, undefined, 8],
    [5, { total_slots: 3 }, 5],
  ] as const) {
    const server = await startProviderServer({ record: (path) => (path === "/props" ? props : undefined) });
    const baseUrl = `${server.url}/v1`;
    const opened = await openModel("openai/llama", { env: {}, concurrency: 64, baseUrl });
    const random = seeded("limiters");
    const limiters = new Limiters({
      endpoints: {},
      baseUrl,
      concurrency,
      giveUpAfterMs: 1,
      clock: fakeClock(0),
      random,
    });
    await limiters.readSlots(opened, new AbortController().signal);
    await server.close();
    expect(limiters.widthOf(opened)).toBe(width);
  }
});

it("a server of this machine that takes the question for its slots and never answers holds no run up", async () => {
  const hung: Model = { ...model("openai/m"), slots: () => new Promise(() => {}) };
  const limiters = new Limiters({
    endpoints: {},
    baseUrl: "http://localhost:1/v1",
    giveUpAfterMs: 1,
    clock: fakeClock(0),
    random: seeded("limiters"),
  });
  await limiters.readSlots(hung, new AbortController().signal);
  expect(limiters.widthOf(hung)).toBe(8);
});
