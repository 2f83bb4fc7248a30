import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { adapted, unsupportedParameters } from "../../../src/models/wrap/adapted.js";
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
    const fitting = adapted(model, { policy: "error" });
    await fitting.complete(request, noAbort());
    expect(sent[0]).toBe(request);
  });

  it("error: refuses before anything is sent and names the flag", async () => {
    const { model, sent } = recording({ temperature: false });
    const call = adapted(model, { policy: "error" }).complete(ask("x", { temperature: 0 }), noAbort());
    await expect(call).rejects.toThrow(UsageError);
    await expect(call).rejects.toThrow(/does not take temperature.*--unsupported drop/);
    expect(sent).toEqual([]);
  });

  it("drop: leaves the parameter out of what is sent and says so", async () => {
    const { model, sent } = recording({ temperature: false, logprobs: false });
    const fitting = adapted(model, { policy: "drop" });
    await fitting.complete(ask("x", { temperature: 0, logprobs: 5, stop: ["."] }), noAbort());
    expect(sent).toEqual([ask("x", { stop: ["."] })]);
  });

  it("never drops tools or a prefilled reply", async () => {
    const fitting = adapted(recording(NONE).model, { policy: "drop" });
    const tools = [{ name: "t", description: "d", parameters: {} }];
    await expect(fitting.complete(ask("x", { tools }), noAbort())).rejects.toThrow(/agent.protocol=text-react/);
    const messages = [...ask("x").messages, { role: "assistant", content: "Tag:" } as const];
    await expect(fitting.complete(ask("x", { messages }), noAbort())).rejects.toThrow(/no prefilled reply/);
  });

  it("passes on tools and a prefilled reply where the model takes them, and a user's last turn always", async () => {
    const tools = [{ name: "t", description: "d", parameters: {} }];
    const messages = [...ask("x").messages, { role: "assistant", content: "Tag:" } as const];
    const { model, sent } = recording({});
    await adapted(model, { policy: "error" }).complete(ask("x", { tools, messages }), noAbort());
    const plain = recording(NONE);
    const dialogue = [...messages, { role: "user", content: "y" } as const];
    await adapted(plain.model, { policy: "error" }).complete(ask("x", { messages: dialogue }), noAbort());
    expect([sent.length, plain.sent.length]).toEqual([1, 1]);
  });

  it("can be asked beforehand", () => {
    const { capabilities } = scripted(() => replyOf("x"), NONE);
    expect(unsupportedParameters(capabilities, { temperature: 0, stop: ["x"] })).toEqual(["stop", "temperature"]);
  });
});
