import { afterEach, describe, expect, it } from "vitest";
import { openai } from "../../src/models/providers/openai/index.js";
import { allQuirks } from "../../src/models/providers/openai/quirks.js";
import type { Model, ProviderSettings } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import {
  type Fault,
  type ProviderServer,
  type ServedRequest,
  startProviderServer,
} from "../helpers/provider-server.js";

let server: ProviderServer | undefined;

async function open(
  fault: (request: ServedRequest) => Fault | undefined,
  more: Partial<ProviderSettings> = {},
): Promise<Model> {
  server = await startProviderServer({ fault });
  return openai.open("m", { env: {}, baseUrl: `${server.url}/v1`, concurrency: 4, ...more });
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const refuse = (status: number, message: string): Fault => ({ kind: "status", status, message });
const bodies = () => server?.requests.map(({ body }) => body) ?? [];

describe("what an endpoint refuses", () => {
  it.each([
    ["Unsupported value: 'temperature' does not support 0.1 with this model.", undefined, "temperature"],
    ["unknown field `stop`", undefined, "stop"],
    ["Encrypted content is not supported with this model.", "stop", "stop"],
  ])("ends the run with the option that leaves the field out: %s", async (message, param, field) => {
    const served = { error: { message, ...(param === undefined ? {} : { param }) } };
    const refusing = () => ({ kind: "status", status: 400, served }) as const;
    const model = await open(refusing);
    await expect(model.complete(ask("x", { temperature: 0.1, stop: ["END"] }), noAbort())).rejects.toMatchObject({
      scope: "stop",
      message: expect.stringContaining(`use --set model.omit=${field} to leave it out`),
    });
    expect(bodies()).toHaveLength(1);
    await server?.close();
    const without = await open(({ body }) => (field in body ? refusing() : undefined), { omit: [field] });
    await without.complete(ask("x", { temperature: 0.1, stop: ["END"] }), noAbort());
    expect(bodies()[0]).not.toHaveProperty(field);
  });

  it.each([
    "'max_tokens' is too large: 4096. This model's maximum context length is 2048 tokens",
    "The temperature of the discussion is too high for our filter",
    "stop",
  ])("other words of a field change nothing: %s", async (text) => {
    const model = await open(() => refuse(400, text));
    await expect(model.complete(ask("x", { temperature: 0.1, stop: ["END"] }), noAbort())).rejects.toMatchObject({
      retryable: false,
      message: expect.not.stringContaining("model.omit=t"),
    });
  });
});

describe("quirks of hosts", () => {
  it("are records, each found by its name or host", () => {
    expect(allQuirks.get("mistral", "quirks").hosts?.test("api.mistral.ai")).toBe(true);
    expect(() => allQuirks.get("mistrall", "quirks")).toThrow(/mistral/);
  });

  it.each([
    ["mistral", { tool_calls: [{ id: expect.stringMatching(/^[a-zA-Z0-9]{9}$/) }] }, {}],
    ["groq", {}, { max_completion_tokens: 64 }],
    ["openrouter", {}, { provider: { require_parameters: true } }],
    ["vllm", {}, { chat_template_kwargs: { enable_thinking: false } }],
    ["deepseek", {}, { thinking: { type: "disabled" } }],
    ["together", {}, { logprobs: 3 }],
  ])("%s is sent what it takes", async (quirks, turn, fields) => {
    const model = await open(() => undefined, { quirks });
    const calls = [{ id: "call_0", name: "search", arguments: {} }];
    const results = [{ id: "call_0", name: "search", content: "found" }];
    const messages = [
      ...ask("Who?").messages,
      { role: "assistant", content: "", toolCalls: calls },
      { role: "tool", results },
    ] as const;
    const tools = [{ name: "search", description: "Finds.", parameters: { type: "object" } }];
    const logprobs = model.capabilities.logprobs ? { logprobs: 3 } : {};
    await model.complete({ ...ask("x", { tools, effort: "none", ...logprobs }), messages }, noAbort());
    const [body] = bodies();
    expect(body).toMatchObject(fields);
    expect(body.messages[1]).toMatchObject(turn);
    expect(body.messages[2].tool_call_id).toBe(body.messages[1].tool_calls[0].id);
  });
});
