import { afterEach, describe, expect, it } from "vitest";
import { openai } from "../../src/models/openai.js";
import { allQuirks } from "../../src/models/quirks.js";
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

/** Sends until it is taken, as the layer of retries does. */
async function sendUntilTaken(model: Model, request = ask("x", { temperature: 0.1 })): Promise<number> {
  for (let tries = 1; ; tries++) {
    const error = await model.complete(request, noAbort()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return tries;
    if ((error as { retryable?: boolean }).retryable !== true) throw error;
  }
}

describe("what an endpoint refuses", () => {
  it("the limit's field goes under its other name from then on", async () => {
    const model = await open(({ body }) =>
      body.max_tokens === undefined
        ? undefined
        : refuse(
            400,
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
          ),
    );
    expect(await sendUntilTaken(model)).toBe(2);
    expect(await sendUntilTaken(model, ask("y"))).toBe(1);
    expect(bodies().at(-1)).toMatchObject({ max_completion_tokens: 64 });
    expect(model.endpoint?.facts).toEqual({
      api: "chat",
      changed: ["max_tokens is max_completion_tokens"],
    });
    expect(model.endpoint?.notApplied).toEqual([]);
  });

  it("reasoning is asked for encrypted of any server of Responses, until one refuses; log probabilities stay", async () => {
    const encrypted = "reasoning.encrypted_content";
    const plain = ({ body }: ServedRequest): Fault | undefined =>
      body.include?.includes(encrypted)
        ? {
            kind: "status",
            status: 400,
            served: { error: { message: "Encrypted content is not supported with this model.", param: "include" } },
          }
        : undefined;
    const model = await open(plain, { api: "responses" });
    expect(await sendUntilTaken(model, ask("x", { logprobs: 2 }))).toBe(2);
    expect(bodies().map(({ include }) => include)).toEqual([
      [encrypted, "message.output_text.logprobs"],
      ["message.output_text.logprobs"],
    ]);
    expect(await sendUntilTaken(model, ask("y"))).toBe(1);
    expect(bodies().at(-1)?.include).toBeUndefined();
    expect(model.endpoint?.facts.changed).toEqual(["without encrypted reasoning"]);
  });

  it("a temperature is left out by --unsupported drop, and said; else it ends the run", async () => {
    const picky = ({ body }: ServedRequest) =>
      body.temperature === undefined
        ? undefined
        : refuse(
            400,
            "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.",
          );
    const model = await open(picky, { unsupported: "drop" });
    expect(await sendUntilTaken(model)).toBe(2);
    expect(model.endpoint?.notApplied).toEqual(["temperature"]);
    await server?.close();
    const strict = await open(picky);
    await expect(sendUntilTaken(strict)).rejects.toMatchObject({
      scope: "stop",
      message: expect.stringContaining("--unsupported drop"),
    });
  });

  it("--unsupported error names the parameter that is refused, asks nothing more, and keeps it not as left out", async () => {
    const picky = ({ body }: ServedRequest) => {
      const first = ["temperature", "stop", "reasoning_effort"].find((name) => body[name] !== undefined);
      return first === undefined ? undefined : refuse(400, `unknown field \`${first}\``);
    };
    const request = ask("x", { temperature: 0.1, stop: ["END"], effort: "low" });
    const model = await open(picky, { unsupported: "error" });
    await expect(sendUntilTaken(model, request)).rejects.toMatchObject({
      scope: "stop",
      message: expect.stringMatching(/unknown field `temperature`.*takes no temperature: --unsupported drop/),
    });
    expect(bodies()).toHaveLength(1);
    expect(model.endpoint?.notApplied).toEqual([]);
    expect(model.endpoint?.facts.changed).toBeUndefined();
  });

  it("several fields are left out one by one, in as many more tries", async () => {
    const model = await open(
      ({ body }) => {
        if (body.stop !== undefined) return refuse(422, "stop: Extra inputs are not permitted");
        if (body.temperature !== undefined) return refuse(400, "unknown field `temperature`");
        return body.max_tokens === undefined ? undefined : refuse(400, "unrecognized request argument: max_tokens");
      },
      { unsupported: "drop" },
    );
    expect(await sendUntilTaken(model, ask("x", { temperature: 0.1, stop: ["END"] }))).toBe(4);
    const learned = model.endpoint?.facts;
    const again = await openai.open("m", { env: {}, baseUrl: `${server?.url}/v1`, concurrency: 1 });
    again.endpoint?.recall(learned!);
    expect(await sendUntilTaken(again, ask("z", { temperature: 0.1, stop: ["END"] }))).toBe(1);
  });

  it.each([
    "'max_tokens' is too large: 4096. This model's maximum context length is 2048 tokens",
    "The temperature of the discussion is too high for our filter",
    "stop",
  ])("other words of a field change nothing: %s", async (text) => {
    const model = await open(() => refuse(400, text), { unsupported: "drop" });
    await expect(model.complete(ask("x", { temperature: 0.1, stop: ["END"] }), noAbort())).rejects.toMatchObject({
      retryable: false,
    });
    expect(model.endpoint?.facts).toEqual({ api: "chat" });
  });
});

describe("quirks of hosts", () => {
  it("are records that name their source, each found by its name or host", () => {
    for (const { source, name } of allQuirks.all) expect(source.length, name).toBeGreaterThan(20);
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

it("several draws of a prompt are one request, whose tokens are shared out to the last", async () => {
  const says = (content: string) => ({ index: 0, finish_reason: "stop", message: { role: "assistant", content } });
  server = await startProviderServer({
    reply: () => ({
      model: "m",
      choices: [says("a short one"), says("a much longer reply than the first one"), says("x")],
      usage: { prompt_tokens: 100, completion_tokens: 23 },
    }),
  });
  const model = await openai.open("m", { env: {}, baseUrl: `${server.url}/v1`, concurrency: 1 });
  const { others = [], ...first } = await model.complete(ask("x", { samples: 3, temperature: 0.5 }), noAbort());
  expect(server.requests[0]?.body.n).toBe(3);
  expect([first, ...others].map(({ text }) => text)).toEqual([
    "a short one",
    "a much longer reply than the first one",
    "x",
  ]);
  const usages = [first, ...others].map(({ usage }) => usage);
  expect(usages.reduce((sum, usage) => sum + usage.in, 0)).toBe(100);
  expect(usages.reduce((sum, usage) => sum + usage.out, 0)).toBe(23);
  await model.complete(ask("x", { samples: 3, temperature: 0 }), noAbort());
  expect(server.requests[1]?.body.n).toBeUndefined();
});
