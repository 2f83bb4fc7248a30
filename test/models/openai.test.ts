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

describe("openai.api=completions", () => {
  const columns = {
    tokens: [" a", " b"],
    token_logprobs: [-0.2, -1],
    top_logprobs: [{ " a": -0.2, " c": -2 }, { " b": -1 }],
  };
  const content = [{ token: " a", logprob: -0.2, top_logprobs: [{ token: " a", logprob: -0.2 }] }];
  const answering = async (logprobs: object) => {
    const choices = [{ text: " a b", finish_reason: "length", logprobs }];
    const usage = { prompt_tokens: 5, completion_tokens: 2 };
    server = await startProviderServer({ reply: () => ({ model: "m", choices, usage }) });
    return openai.open("org/base", { env: {}, baseUrl: `${server.url}/v1`, concurrency: 4, api: "completions" });
  };

  it("sends the prompt as it is and reads the columns of log probabilities, the wire in every arm", async () => {
    const model = await answering(columns);
    const reply = await model.complete(ask("x {y}\n", { logprobs: 20, temperature: 0.7, maxTokens: 2 }), noAbort());
    const sent = { model: "org/base", prompt: "x {y}\n", max_tokens: 2, temperature: 0.7, logprobs: 20 };
    expect(server?.requests[0]).toMatchObject({ path: "/v1/completions", body: expect.anything() });
    expect(server?.requests[0]?.body).toEqual(sent);
    const both = [
      { token: " a", logprob: -0.2 },
      { token: " c", logprob: -2 },
    ];
    expect(reply).toEqual({
      ...{ text: " a b", toolCalls: [], stop: "length", usage: { in: 5, out: 2 }, model: "m" },
      logprobs: [
        { token: " a", logprob: -0.2, top: both },
        { token: " b", logprob: -1, top: [{ token: " b", logprob: -1 }] },
      ],
    });
    expect([model.settled, model.capabilities.tools]).toEqual([{ "openai.api": "completions" }, false]);
  });

  it("joins turns by blank lines, a begun answer at once; reads log probabilities in the form of chat, as llama.cpp gives them", async () => {
    const model = await answering({ content });
    const turns = ["Who?", "I.", "Why?", " be"].map((text, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content: text,
    }));
    const reply = await model.complete({ ...ask("x", { system: "S" }), messages: turns as never }, noAbort());
    expect(server?.requests[0]?.body.prompt).toBe("S\n\nWho?\n\nI.\n\nWhy? be");
    expect(reply.logprobs).toEqual([{ token: " a", logprob: -0.2, top: [{ token: " a", logprob: -0.2 }] }]);
  });
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

  it("knows its tools behind prefixes and suffixes of a server, and leaves other names alone", async () => {
    const names = [
      "search",
      "functions.search",
      "search<|channel|>json",
      "functions.search:0",
      "research",
      "look.search",
    ];
    const tool_calls = names.map((name) => ({ function: { name, arguments: {} } }));
    const model = await open({ reply: () => ({ choices: [{ finish_reason: "stop", message: { tool_calls } }] }) });
    const tools = ["search", "look"].map((name) => ({ name, description: "d", parameters: { type: "object" } }));
    const { toolCalls } = await model.complete(ask("x", { tools }), noAbort());
    expect(toolCalls.map(({ name }) => name)).toEqual([...Array(4).fill("search"), "research", "look.search"]);
  });

  it.each([
    ["0.0125", 0.0125],
    ["0.0", undefined],
    ["None", undefined],
  ])("takes the cost in a header of LiteLLM's proxy as billed: %s", async (cost, billedUsd) => {
    const body = { choices: [{ message: { content: "x" } }], usage: { prompt_tokens: 5, completion_tokens: 2 } };
    const model = await open({ route: () => ({ status: 200, body, headers: { "x-litellm-response-cost": cost } }) });
    expect((await model.complete(ask("x"), noAbort())).usage.billedUsd).toBe(billedUsd);
  });

  it.each([
    ["chat", "plain", "seed"],
    ["completions", "plain", "seed"],
    ["chat", "mistral", "random_seed"],
    ["chat", "openrouter", undefined],
    ["responses", "plain", undefined],
  ] as const)("on the wire %s of %s: each draw has a seed of its own, in %s", async (api, quirks, field) => {
    server = await startProviderServer({ reply: () => ({}) });
    const opening = { env: {}, baseUrl: `${server.url}/v1`, concurrency: 1, api, quirks, seed: 7 };
    const model = await openai.open("m", opening);
    for (const request of [ask("x"), ask("x"), ask("x", { sample: 1 }), ask("y")])
      await model.complete(request, noAbort()).catch(() => undefined); // no reply
    const seeds = server.requests.map(({ body }) => field && body[field]);
    expect(new Set(seeds).size).toBe(field === undefined ? 1 : 3);
    expect([seeds[1], Object.keys(server.requests[0]?.body).filter((name) => name.includes("seed"))]).toEqual([
      seeds[0],
      [field ?? []].flat(),
    ]);
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
