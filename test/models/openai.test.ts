import { afterEach, describe, expect, it } from "vitest";
import { openai } from "../../src/models/providers/openai/index.js";
import type { Model } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import { type ProviderServer, type ProviderServerSettings, startProviderServer } from "../helpers/provider-server.js";

let server: ProviderServer | undefined;

async function open(settings: ProviderServerSettings = {}, env: Record<string, string> = {}): Promise<Model> {
  server = await startProviderServer(settings);
  return openai.open("org/some-model", { env, baseUrl: `${server.url}/v1`, concurrency: 4 });
}

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("the openai provider", () => {
  it("sends one plain chat completion, without a key where a base URL is given", async () => {
    const model = await open();
    const reply = await model.complete(
      ask("Which tag?", { system: "Be brief.", temperature: 0, stop: ["\n"], sample: 3 }),
      noAbort(),
    );
    expect(server?.requests[0]?.path).toBe("/v1/chat/completions");
    expect(server?.requests[0]?.body).toEqual({
      model: "org/some-model",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Which tag?" },
      ],
      max_tokens: 64,
      temperature: 0,
      stop: ["\n"],
    });
    expect(reply).toEqual({
      text: "echo: Which tag?",
      toolCalls: [],
      stop: "end",
      usage: { in: 10, out: 3 },
      model: "org/some-model",
    });
  });

  it("carries a whole tool conversation, parallel calls and broken arguments included", async () => {
    const call = (id: string, name: string, args: string) => ({
      id,
      type: "function",
      function: { name, arguments: args },
    });
    const calls = [call("a", "search", '{"q":"cats"}'), call("b", "look", "{broken"), call("c", "stop", "")];
    const model = await open({
      reply: () => ({
        model: "m",
        choices: [{ finish_reason: "stop", message: { content: null, tool_calls: calls } }],
        usage: { prompt_tokens: 5, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 2 } },
      }),
    });
    const tool = { name: "search", description: "Finds.", parameters: { type: "object", properties: {} } };
    const reply = await model.complete(ask("Who?", { tools: [tool], toolChoice: "auto" }), noAbort());
    expect(reply.stop).toBe("tool");
    expect(reply.toolCalls.map((found) => found.arguments)).toEqual([{ q: "cats" }, "{broken", {}]);
    expect(reply.usage).toEqual({ in: 5, out: 7, cacheRead: 2 });
    const assistant = { role: "assistant", content: reply.text, toolCalls: reply.toolCalls } as const;
    const results = reply.toolCalls.map(({ id, name }) => ({ id, name, content: `${name} result` }));
    const next = { ...ask("Who?"), messages: [...ask("Who?").messages, assistant, { role: "tool", results } as const] };
    await model.complete({ ...next, tools: [tool], toolChoice: "none" }, noAbort());
    expect(server?.requests[1]?.body.messages.slice(1)).toEqual([
      { role: "assistant", content: null, tool_calls: [calls[0], call("b", "look", "{}"), call("c", "stop", "{}")] },
      { role: "tool", tool_call_id: "a", content: "search result" },
      {
        role: "tool",
        tool_call_id: "b",
        content: "The arguments of this call were no JSON object: {broken\nlook result",
      },
      { role: "tool", tool_call_id: "c", content: "stop result" },
    ]);
    expect(server?.requests[1]?.body.tool_choice).toBe("none");
    expect(server?.requests[0]?.body.tools).toEqual([{ type: "function", function: tool }]);
  });

  it("gives each call of a turn its own id, where the server gives all the same or none", async () => {
    const tool_calls = ["x", "x", "", "x_1", ""].map((id) => ({ id, function: { name: "look", arguments: "{}" } }));
    const model = await open({
      reply: () => ({ model: "m", choices: [{ finish_reason: "tool_calls", message: { content: null, tool_calls } }] }),
    });
    const { toolCalls } = await model.complete(ask("Who?"), noAbort());
    expect(toolCalls.map(({ id }) => id)).toEqual(["x", "x_1", "call_2", "x_1_3", "call_4"]);
  });

  it("reads log probabilities and keeps reasoning fields out of the text", async () => {
    const top = [
      { token: "A", logprob: -0.1, bytes: null },
      { token: "B", logprob: -2.4, bytes: null },
    ];
    const model = await open({
      reply: () => ({
        model: "m",
        choices: [
          {
            finish_reason: "length",
            message: { content: "A", reasoning_content: "hm", reasoning: "hm" },
            logprobs: { content: [{ token: "A", logprob: -0.1, bytes: null, top_logprobs: top }] },
          },
        ],
      }),
    });
    const reply = await model.complete(ask("12345678", { logprobs: 5 }), noAbort());
    expect(server?.requests[0]?.body).toMatchObject({ logprobs: true, top_logprobs: 5 });
    expect(reply.text).toBe("A");
    expect(reply.stop).toBe("length");
    expect(reply.logprobs).toEqual([
      { token: "A", logprob: -0.1, top: top.map(({ token, logprob }) => ({ token, logprob })) },
    ]);
    expect(reply.usage).toEqual({ in: 2, out: 1, estimated: true });
  });
});
