import { describe, expect, it } from "vitest";
import { adapted } from "../../../src/models/wrap/adapted.js";
import type { ModelRequest } from "../../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../../helpers/model-request.js";

const NONE = { temperature: false, stop: false, logprobs: false, prefill: false, tools: false };

function recording(capabilities: Parameters<typeof scripted>[1]) {
  const sent: ModelRequest[] = [];
  const model = scripted((request) => {
    sent.push(request);
    return replyOf("x");
  }, capabilities);
  return { model, sent };
}

describe("adapted", () => {
  it("passes on untouched what the model takes", async () => {
    const { model, sent } = recording({});
    const request = ask("x", { temperature: 0, stop: ["\n"], logprobs: 5 });
    const fitting = adapted(model);
    await fitting.complete(request, noAbort());
    expect(sent[0]).toBe(request);
  });

  it("leaves out what the model does not take, and tells of it", async () => {
    const { model, sent } = recording({ temperature: false, logprobs: false });
    const told: string[] = [];
    const fitting = adapted(model, (name) => told.push(name));
    await fitting.complete(ask("x", { temperature: 0, logprobs: 5, stop: ["."] }), noAbort());
    expect(sent).toEqual([ask("x", { stop: ["."] })]);
    expect(told).toEqual(["logprobs", "temperature"]);
  });

  it("never drops tools or a prefilled reply", async () => {
    const fitting = adapted(recording(NONE).model);
    const tools = [{ name: "t", description: "d", parameters: {} }];
    await expect(fitting.complete(ask("x", { tools }), noAbort())).rejects.toThrow(/agent.protocol=text-react/);
    const messages = [...ask("x").messages, { role: "assistant", content: "Tag:" } as const];
    await expect(fitting.complete(ask("x", { messages }), noAbort())).rejects.toThrow(/no prefilled reply/);
  });

  it("passes on tools and a prefilled reply where the model takes them, and a user's last turn always", async () => {
    const tools = [{ name: "t", description: "d", parameters: {} }];
    const messages = [...ask("x").messages, { role: "assistant", content: "Tag:" } as const];
    const { model, sent } = recording({});
    await adapted(model).complete(ask("x", { tools, messages }), noAbort());
    const plain = recording(NONE);
    const dialogue = [...messages, { role: "user", content: "y" } as const];
    await adapted(plain.model).complete(ask("x", { messages: dialogue }), noAbort());
    expect([sent.length, plain.sent.length]).toEqual([1, 1]);
  });
});
