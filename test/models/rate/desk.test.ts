import { expect, it } from "vitest";
import { RateDesk } from "../../../src/models/rate/desk.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Model } from "../../../src/types.js";
import { fakeClock } from "../../helpers/fake-clock.js";
import { replyOf, scripted } from "../../helpers/model-request.js";

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
