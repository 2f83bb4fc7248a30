import { expect, it } from "vitest";
import { openModel } from "../../../src/models/index.js";
import { RateDesk } from "../../../src/models/rate/desk.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Model } from "../../../src/types.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { replyOf, scripted } from "../../helpers/model-request.js";
import { startProviderServer } from "../../helpers/provider-server.js";

const model = (id: string, address?: string): Model => ({
  ...scripted(() => replyOf("x")),
  id,
  ...(address === undefined ? {} : { address }),
});

it("a further model at a server of its own has limits of its own; others of one server and class share them", () => {
  const desk = new RateDesk({
    endpoints: { lab: { provider: "openai", baseUrl: "http://lab/v1" } },
    baseUrl: "http://first/v1",
    giveUpAfterMs: 1_000,
    clock: fakeClock(0),
    random: seeded("desk"),
  });
  const first = desk.controllerOf(model("openai/m"));
  expect(desk.controllerOf(model("openai/m-2026-01-01"))).toBe(first); // a date is no other class
  expect(desk.controllerOf(model("openai/m", "http://judge/v1"))).not.toBe(first);
  expect(desk.controllerOf(model("lab/m"))).not.toBe(first);
  expect(desk.controllerOf(model("openai/other"))).not.toBe(first);
  const opus = desk.controllerOf(model("anthropic/claude-opus-4-7"));
  expect(desk.controllerOf(model("anthropic/claude-opus-4-8"))).toBe(opus); // one class at Anthropic
  expect(desk.controllerOf(model("anthropic/claude-sonnet-4-6"))).not.toBe(opus);
  expect(desk.controllerOf(model("anthropic/claude-opus-5"))).not.toBe(opus);
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
    const random = seeded("desk");
    const desk = new RateDesk({ endpoints: {}, baseUrl, concurrency, giveUpAfterMs: 1, clock: fakeClock(0), random });
    await desk.readSlots(opened, new AbortController().signal);
    await server.close();
    expect(desk.widthOf(opened)).toBe(width);
  }
});
