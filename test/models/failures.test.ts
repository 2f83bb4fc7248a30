import { afterEach, describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors.js";
import { openModel, providers } from "../../src/models/index.js";
import type { Model, ProviderSettings } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";
import {
  type Fault,
  type ProviderServer,
  type ProviderServerSettings,
  startProviderServer,
} from "../helpers/provider-server.js";

const KEY = "key-test-secret-1234";
const TOKEN = "aws-test-session-token-1234";
const env = {
  ...{ ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, AWS_REGION: "eu-central-1" },
  ...{ AWS_ACCESS_KEY_ID: "AKIATESTTESTTEST", AWS_SECRET_ACCESS_KEY: KEY, AWS_SESSION_TOKEN: TOKEN },
};
const wires = {
  messages: ["anthropic", "claude-haiku-5-5", {}],
  converse: ["bedrock", "anthropic.claude-haiku-5-5", {}],
  chat: ["openai", "some-model", { api: "chat" }],
  responses: ["openai", "gpt-6-luna", { api: "responses" }],
} as const satisfies Record<string, readonly [string, string, Partial<ProviderSettings>]>;
type Wire = keyof typeof wires;
const all = Object.keys(wires) as Wire[];

let server: ProviderServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

function modelAt(wire: Wire, url: string): Promise<Model> {
  const [provider, id, more] = wires[wire];
  const baseUrl = provider === "openai" ? `${url}/v1` : url;
  return providers.get(provider).open(id, { env, baseUrl, concurrency: 4, ...more });
}

async function failWith(wire: Wire, settings: ProviderServerSettings): Promise<ModelError> {
  server = await startProviderServer(settings);
  const error = await (await modelAt(wire, server.url))
    .complete(ask("x"), noAbort())
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}
const refused = (wire: Wire, status: number, more: Partial<Fault & { readonly kind: "status" }> = {}) =>
  failWith(wire, { fault: () => ({ kind: "status", status, message: "the provider's words", ...more }) });

describe.each(all)("a failure on the %s wire", (wire) => {
  it.each([
    [408, true, "call"],
    [429, true, "call"],
    [500, true, "call"],
    [503, true, "call"],
    [400, false, "call"],
    [403, false, "stop"],
    [404, false, "stop"],
  ])(
    "of status %i: retryable %s, scope %s, with the provider's words and request id",
    async (status, retryable, scope) => {
      const error = await refused(wire, status);
      expect(error).toMatchObject({ status, retryable, scope, throttled: status === 429 });
      expect(error.message).toMatch(/the provider's words.*request id req_0/);
    },
  );

  it("says for how long to wait", async () => {
    expect((await refused(wire, 429, { headers: { "retry-after": "3" } })).retryAfterMs).toBe(3000);
  });

  it.each(["cut", "malformed"] as const)("of a %s body may pass", async (kind) => {
    expect(await failWith(wire, { fault: () => ({ kind }) })).toMatchObject({ retryable: true, status: undefined });
  });

  it.each([200, 403, 502])(
    "of a web page with status %i says so, and ends the run unless the server is down",
    async (status) => {
      const page = "<!doctype html><title>Sign in</title><p>secret words</p>";
      const error = await failWith(wire, { fault: () => ({ kind: "html", status, page }) });
      expect(error).toMatchObject({ retryable: status === 502, scope: status === 502 ? "call" : "stop" });
      expect(error.message).toMatch(/a web page in the place of JSON( \(Sign in\))?/);
      expect(error.message).not.toContain("secret words");
    },
  );

  it("of a server that is not there may pass", async () => {
    const gone = await startProviderServer();
    await gone.close();
    const call = (await modelAt(wire, gone.url)).complete(ask("x"), noAbort());
    await expect(call).rejects.toMatchObject({
      retryable: true,
      bill: "none",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("never shows a part of the login, and names what to check", async () => {
    const message = `The token ${TOKEN} with ${encodeURIComponent(KEY)} and ${KEY} of ${env.AWS_ACCESS_KEY_ID} is invalid`;
    server = await startProviderServer({ fault: () => ({ kind: "status", status: 403, message }) });
    const [provider, id, more] = wires[wire];
    const baseUrl = provider === "openai" ? `${server.url}/v1` : server.url;
    const model = await openModel(`${provider}/${id}`, { env, baseUrl, concurrency: 1, ...more });
    const error = (await model.complete(ask("x"), noAbort()).catch((thrown: unknown) => thrown)) as ModelError;
    const everything = `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;
    for (const secret of [KEY, TOKEN]) expect(everything).not.toContain(secret);
    expect(error.message).toMatch(
      /check (ANTHROPIC_API_KEY|OPENAI_API_KEY|the AWS credentials in use for eu-central-1)/,
    );
  });
});

it.each(all)(
  "half of a surrogate pair leaves as U+FFFD on the %s wire; escapes that a text spells stay",
  async (wire) => {
    server = await startProviderServer();
    const model = await modelAt(wire, server.url);
    await model.complete(ask("half \ud83d, whole \u{1f600}, spelled \\ud83d", { system: "\udc00\udc00" }), noAbort());
    const sent = JSON.stringify(server.requests[0]?.body);
    expect(sent).toContain("half \ufffd, whole \u{1f600}, spelled \\\\ud83d");
    expect(sent).toContain('"\ufffd\ufffd"');
  },
);

describe("what is to be done", () => {
  it.each([
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "prompt is too long: 210000 tokens > 200000 maximum",
    "Input is too long for requested model.",
    "the request exceeds the available context size",
    "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
    "`inputs` tokens + `max_new_tokens` must be <= 4096",
  ])("is to show less, not to drop a parameter, where a refusal says %s", async (message) => {
    const { message: said, tooLong } = await refused("chat", 400, { message });
    expect([tooLong, said]).toEqual([true, expect.stringMatching(/rag\.maxTokens.*history\.limit/)]);
    expect(said).not.toContain("model.omit");
  });

  it.each([
    ["chat", 429, "insufficient_quota", "You exceeded your current quota"],
    ["chat", 429, "", "Rate limit reached on requests per day (RPD)"],
    ["chat", 402, "", "Payment required"],
    ["chat", 429, "", "Quota exceeded: GenerateRequestsPerDayPerProjectPerModel-FreeTier. Please retry in 40.5s."],
    ["chat", 400, "", "You have reached your specified workspace API usage limits."],
    ["chat", 400, "", "Incorrect API key provided"],
    ["chat", 400, "", "Model Not Exist"],
    ["chat", 400, "", "org/none is not a valid model ID"],
    ["chat", 400, "", "Invalid model: open-mixtral-1"],
    ["chat", 400, "budget_exceeded", "Budget has been exceeded! Current cost: 0.2, Max budget: 0.1"],
    ["chat", 422, "", "ExceededBudget: User=u crossed budget"],
    ["messages", 429, "", "Budget has been exceeded! Team=t", "raise the budget at the gateway"],
    ["chat", 400, "no_db_connection", "No connected db.", "check OPENAI_API_KEY"],
    ["chat", 400, "", "System role not supported", "--set model.system=fold"],
    ["chat", 500, "", "Jinja Exception: System role not supported", "--set model.system=fold"],
  ] as const)(
    "is to stop the run: %s, status %i, code %j, words %s",
    async (wire, status, code, message, fix?: string) => {
      const error = await refused(wire, status, { message, ...(code ? { code } : {}) });
      expect(error).toMatchObject({
        status,
        retryable: false,
        scope: "stop",
        message: expect.stringContaining(fix ?? ""),
      });
    },
  );

  it.each([
    ["chat", 429, "", "You exceeded your current quota, please check your plan. Please retry in 34.07s.", true],
    ["messages", 429, "ramp_limit_exceeded", "Slow down.", true],
    ["chat", 400, "", "Invalid model parameter: top_k", false],
    ["chat", 400, "", "unsupported value", false],
  ] as const)(
    "is nothing to stop for: %s, status %i, code %j, words %s",
    async (wire, status, code, message, retryable) => {
      const error = await refused(wire, status, { message, ...(code ? { code } : {}) });
      expect(error).toMatchObject({ retryable, scope: "call" });
    },
  );

  it("is what the server advises in x-should-retry", async () => {
    const error = await refused("messages", 500, { headers: { "x-should-retry": "false" } });
    expect(error).toMatchObject({ retryable: false, scope: "call" });
  });

  it.each([false, true])("is to wait as Gemini's RetryInfo says, in a list of one: %s", async (listed) => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.5s" }];
    const body = { error: { code: 429, message: "Resource has been exhausted", details } };
    const error = await refused("chat", 429, { served: listed ? [body] : body });
    expect(error).toMatchObject({ retryAfterMs: 34_500, message: expect.stringContaining("exhausted") });
  });
});

describe("a reply that is none", () => {
  const completion = { choices: [{ finish_reason: "stop", message: { role: "assistant", content: "comedy" } }] };
  const choice = (one: object) => ({ ...completion, choices: [one] });
  const backend = { code: 502, message: "the backend broke" };

  it.each([
    ["an error", { error: { message: "Overloaded", code: 529 } }, /529 Overloaded/],
    [
      "an error in a choice",
      choice({ error: backend, finish_reason: "error", message: { content: "" } }),
      /502 the backend/,
    ],
    ["a choice that says nothing", choice({ finish_reason: "stop", message: { content: null } }), /without content/],
    ["no choice", { choices: [] }, /choices\[0\]: none/],
  ])("holds %s: a failed try, not an empty answer", async (_, reply, message) => {
    const error = await failWith("chat", { reply: () => reply });
    expect(error).toMatchObject({ retryable: true, bill: "due", message: expect.stringMatching(message) });
  });

  it("is no page where JSON is called HTML", async () => {
    server = await startProviderServer({ fault: () => ({ kind: "html", page: JSON.stringify(completion) }) });
    expect(await (await modelAt("chat", server.url)).complete(ask("x"), noAbort())).toMatchObject({ text: "comedy" });
  });
});

describe("the end of a reply", () => {
  const bodies: Readonly<Record<Wire, (word: unknown) => Record<string, unknown>>> = {
    chat: (finish_reason) => ({ choices: [{ finish_reason, message: { content: "x" } }] }),
    messages: (stop_reason) => ({ content: [{ type: "text", text: "x" }], stop_reason }),
    converse: (stopReason) => ({ output: { message: { role: "assistant", content: [{ text: "x" }] } }, stopReason }),
    responses: (reason) => ({
      output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "x" }] }],
      status: ["completed", "failed"].includes(String(reason)) ? reason : "incomplete",
      incomplete_details: { reason },
    }),
  };
  const of = (wire: Wire, word: unknown) => ({ reply: () => bodies[wire](word) });

  it.each([
    ["chat", "eos", "end"],
    ["chat", undefined, "end"],
    ["chat", "model_length", "length"],
    ["chat", "content_filter: PROHIBITED_CONTENT", "refusal"],
    ["messages", "end_turn", "end"],
    ["messages", "model_context_window_exceeded", "length"],
    ["messages", "stop_sequence", "stop-sequence"],
    ["messages", "refusal", "refusal"],
    ["converse", "guardrail_intervened", "refusal"],
    ["converse", "max_tokens", "length"],
    ["responses", "completed", "end"],
    ["responses", "max_output_tokens", "length"],
  ] as const)("on the %s wire: %s is read as %s", async (wire, word, stop) => {
    server = await startProviderServer(of(wire, word));
    expect(await (await modelAt(wire, server.url)).complete(ask("y"), noAbort())).toMatchObject({ text: "x", stop });
  });

  it.each([
    ["chat", "insufficient_system_resource", true],
    ["chat", "function_call_filter: MALFORMED_FUNCTION_CALL", true],
    ["chat", "abort", true],
    ["chat", null, true],
    ["chat", "constructor", false],
    ["messages", null, true],
    ["messages", "something_new", false],
    ["converse", "malformed_model_output", true],
    ["converse", "something_new", false],
    ["responses", "failed", true],
    ["responses", "something_new", false],
  ] as const)("on the %s wire: %s fails the call and is quoted; may pass: %s", async (wire, word, retryable) => {
    const error = await failWith(wire, of(wire, word));
    expect(error).toMatchObject({ ...{ retryable, bill: "due", scope: "call" }, status: undefined });
    expect(error.message).toContain(JSON.stringify(word));
  });
});
