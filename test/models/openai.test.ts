import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ModelError, UsageError } from "../../src/errors.js";
import { openai } from "../../src/models/providers/openai/index.js";
import type { Model } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import { type ProviderServer, type ProviderServerSettings, startProviderServer } from "../helpers/provider-server.js";

const KEY = "sk-test-secret-1234";
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

  it("sends the key of the environment as a bearer token", async () => {
    const model = await open({}, { OPENAI_API_KEY: KEY });
    await model.complete(ask("x"), noAbort());
    expect(server?.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it("names the variable and the flag when there is neither key nor base URL", async () => {
    const opening = openai.open("gpt-4o", { env: {}, concurrency: 1 });
    await expect(opening).rejects.toThrow(UsageError);
    await expect(opening).rejects.toThrow(/OPENAI_API_KEY.*--base-url/);
  });

  it("refuses a base URL that is none", async () => {
    await expect(openai.open("m", { env: {}, baseUrl: "localhost:8000", concurrency: 1 })).rejects.toThrow(
      /--base-url localhost:8000/,
    );
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

  it("reports an overloaded backend inside a 200 body as retryable", async () => {
    const model = await open({ reply: () => ({ error: { message: "Overloaded", code: 529 } }) });
    await expect(model.complete(ask("x"), noAbort())).rejects.toMatchObject({ status: 529, retryable: true });
  });
});

describe("failures of the openai provider", () => {
  const failWith = async (settings: ProviderServerSettings, env = {}): Promise<ModelError> => {
    const model = await open(settings, env);
    const error = await model.complete(ask("x"), noAbort()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ModelError);
    return error as ModelError;
  };

  it.each([408, 409, 425, 429, 500, 502, 503, 529])("status %i may pass", async (status) => {
    const error = await failWith({ fault: () => ({ kind: "status", status }) });
    expect(error).toMatchObject({ status, retryable: true, scope: "call" });
  });

  it.each([
    [400, "call", /--set model\.omit=/],
    [401, "stop", /OPENAI_API_KEY/],
    [403, "stop", /OPENAI_API_KEY/],
    [404, "stop", /model id.*--base-url/],
    [413, "call", /history\.limit/],
    [422, "call", /--set model\.omit=/],
  ])("status %i fails at once, scope %s, and says what to fix", async (status, scope, fix) => {
    const error = await failWith({ fault: () => ({ kind: "status", status, message: "the provider's words" }) });
    expect(error).toMatchObject({ status, retryable: false, scope });
    expect(error.message).toMatch(fix);
    expect(error.message).toContain("the provider's words");
    expect(error.message).toContain("request id req_0");
  });

  it("a server error about arguments that it cannot parse is not tried again", async () => {
    const message = "Failed to parse tool call arguments as JSON";
    const error = await failWith({ fault: () => ({ kind: "status", status: 500, message }) });
    expect(error).toMatchObject({ status: 500, retryable: false, scope: "call" });
  });

  it.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Input is too long for requested model.",
    "the request exceeds the available context size",
    "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
    "`inputs` tokens + `max_new_tokens` must be <= 4096",
  ])("a refusal that says %s advises to show less, not to drop a parameter", async (message) => {
    const { message: said } = await failWith({ fault: () => ({ kind: "status", status: 400, message }) });
    expect(said).toMatch(/rag\.maxTokens.*history\.limit/);
    expect(said).not.toContain("model.omit");
  });

  it.each([
    [429, "insufficient_quota", "You exceeded your current quota"],
    [429, undefined, "Rate limit reached on requests per day (RPD)"],
    [400, undefined, "Your credit balance is too low"],
    [402, undefined, "Payment required"],
    [429, undefined, "Quota exceeded: GenerateRequestsPerDayPerProjectPerModel-FreeTier. Please retry in 40.5s."],
    [400, undefined, "You have reached your specified workspace API usage limits."],
    [400, undefined, "Incorrect API key provided"],
    [400, undefined, "Model Not Exist"],
    [400, undefined, "org/none is not a valid model ID"],
    [400, undefined, "Invalid model: open-mixtral-1"],
  ])("status %i with code %s and words %s stops the run", async (status, code, message) => {
    const fault = { kind: "status" as const, status, message, ...(code ? { code } : {}) };
    const error = await failWith({ fault: () => fault });
    expect(error).toMatchObject({ status, retryable: false, scope: "stop" });
  });

  it("a quota of the minute that is worded like one of the account may pass", async () => {
    const message =
      "You exceeded your current quota, please check your plan and billing details. Please retry in 34.07s.";
    const error = await failWith({ fault: () => ({ kind: "status", status: 429, message }) });
    expect(error).toMatchObject({ retryable: true, scope: "call" });
  });

  it.each(["Invalid model parameter: top_k", "unsupported value"])(
    "a refusal that says %s is one of its call",
    async (message) => {
      const error = await failWith({ fault: () => ({ kind: "status", status: 400, message }) });
      expect(error).toMatchObject({ retryable: false, scope: "call" });
    },
  );

  it.each([["cut"], ["malformed"], ["html"]] as const)("a %s body may pass", async (kind) => {
    expect(await failWith({ fault: () => ({ kind }) })).toMatchObject({ retryable: true, status: undefined });
  });

  it("a web page is one, whatever stands on it; JSON that is called HTML is read", async () => {
    const page = (token: string) => `<!doctype html><title>Sign in</title><input value="${token}">`;
    const served = createServer(({ url }, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      response.end(url?.startsWith("/json") ? JSON.stringify(completion) : page(String(Math.random())));
    });
    await new Promise<void>((resolve) => served.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(served.address() as AddressInfo).port}`;
    const at = (path: string) => openai.open("m", { env: {}, baseUrl: `${address}/${path}`, concurrency: 1 });
    const failed = await (await at("page")).complete(ask("x"), noAbort()).catch((error: unknown) => error);
    expect(failed).toMatchObject({
      isPage: true,
      retryable: true,
      message: expect.stringContaining("a web page, no JSON"),
    });
    expect(await (await at("json")).complete(ask("x"), noAbort())).toMatchObject({ text: "comedy" });
    served.close();
  });

  const completion = { choices: [{ finish_reason: "stop", message: { role: "assistant", content: "comedy" } }] };
  const choice = (one: object) => ({ ...completion, choices: [one] });
  it.each([
    [
      "a choice with an error",
      choice({ error: { code: 502, message: "the backend broke" }, finish_reason: "error", message: { content: "" } }),
      /502 the backend broke/,
    ],
    [
      "a choice that ended in an error",
      choice({ finish_reason: "error", message: { content: "" } }),
      /finish_reason error/,
    ],
    [
      "a choice that says nothing",
      choice({ finish_reason: null, message: { role: "assistant", content: null } }),
      /without content/,
    ],
    ["no choice", { choices: [] }, /choices\[0\]: none/],
  ])("%s is a failed try, not an empty answer", async (_, reply, message) => {
    const error = await failWith({ reply: () => reply });
    expect(error).toMatchObject({ retryable: true, bill: "due", message: expect.stringMatching(message) });
  });

  it("a server that is not there may come back", async () => {
    const gone = await startProviderServer();
    await gone.close();
    const model = await openai.open("m", { env: {}, baseUrl: gone.url, concurrency: 1 });
    await expect(model.complete(ask("x"), noAbort())).rejects.toMatchObject({ retryable: true });
    await expect(model.complete(ask("x"), noAbort())).rejects.toThrow(/ECONNREFUSED/);
  });

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "120", "retry-after": "7" }, 120],
    [{ "retry-after": "Sat, 21 Nov 2026 10:00:09 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }, 9000],
    [{ "retry-after": "Sat, 21 Nov 2026 09:00:00 GMT", date: "Sat, 21 Nov 2026 10:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ])("reads the wait out of %j", async (headers, waitMs) => {
    const error = await failWith({ fault: () => ({ kind: "status", status: 429, headers }) });
    expect(error.retryAfterMs).toBe(waitMs);
  });

  it.each([false, true])("reads the wait of Gemini's RetryInfo, in a list of one: %s", async (listed) => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
    const body = {
      error: { code: 429, message: "Resource has been exhausted", status: "RESOURCE_EXHAUSTED", details },
    };
    const served = listed ? [body] : body;
    const error = await failWith({ fault: () => ({ kind: "status", status: 429, served }) });
    expect(error).toMatchObject({
      retryAfterMs: 34_500,
      throttled: true,
      message: expect.stringContaining("exhausted"),
    });
  });

  it("never shows the key, even when the server echoes it", async () => {
    const message = `Incorrect API key provided: ${KEY} (${encodeURIComponent(KEY)})`;
    const error = await failWith({ fault: () => ({ kind: "status", status: 401, message }) }, { OPENAI_API_KEY: KEY });
    const everything = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    expect(everything).toContain("[redacted]");
    expect(everything).not.toContain(KEY);
  });

  it("an abort comes back as its own reason", async () => {
    const model = await open({ fault: () => ({ kind: "hang" }) });
    const controller = new AbortController();
    const call = model.complete(ask("x"), controller.signal);
    setTimeout(() => controller.abort(new Error("Ctrl-C")), 20);
    await expect(call).rejects.toThrow("Ctrl-C");
  });
});
