import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { validReplies, type Wire } from "../../scripts/faults/replies/valid.js";
import { ModelError } from "../../src/errors.js";
import { anthropic } from "../../src/models/providers/anthropic/index.js";
import { bedrock } from "../../src/models/providers/bedrock/index.js";
import { openai } from "../../src/models/providers/openai/index.js";
import type { Json, ModelReply } from "../../src/types/index.js";
import { ask, noAbort } from "../helpers/model-request.js";

let served = "";
const server = http.createServer((incoming, outgoing) => {
  incoming.resume().on("end", () => {
    outgoing.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(served) });
    outgoing.end(served);
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const KEY = "shape-secret-0123456789";
const ENV = { ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY, AWS_REGION: "us-east-1", AWS_BEARER_TOKEN_BEDROCK: KEY };
const providers = { anthropic, bedrock, openai, responses: openai };

/** What the client makes of a 200 with this body, JSON text or a value. */
async function replyTo(wire: Wire, body: Json | undefined): Promise<ModelReply> {
  served = typeof body === "string" ? body : JSON.stringify(body);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api = wire === "responses" ? wire : "chat";
  const model = await providers[wire].open("m", { env: ENV, baseUrl, concurrency: 1, api });
  return model.complete(ask("12345678"), noAbort());
}

/** The ModelError that it ends with. */
async function refusalOf(wire: Wire, body: Json): Promise<ModelError> {
  const error = await replyTo(wire, body).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
}

/** The wire's first valid reply, with what stands at a path exchanged; `undefined` takes it away. */
function changed(wire: Wire, path: readonly (string | number)[], value: unknown, from = 0): Json {
  const body = structuredClone(validReplies[wire][from]) as Json;
  let parent = body as Record<string | number, Json>;
  for (const key of path.slice(0, -1)) parent = parent[key] as Record<string | number, Json>;
  parent[path.at(-1)!] = value as Json;
  return body;
}

const MESSAGE = ["choices", 0, "message"];
const CALLS = [...MESSAGE, "tool_calls"];
const CONTENT = ["output", "message", "content"];
const TOKEN = ["choices", 0, "logprobs", "content"];

describe("a reply of an odd shape", () => {
  const odd: readonly [Wire, string, Json][] = [
    ["openai", "the body", "null"],
    ["openai", "the body", "[]"],
    ["openai", "choices[0]", changed("openai", ["choices", 0], null)],
    ["openai", "choices[0].message.content", changed("openai", [...MESSAGE, "content"], 5)],
    ["openai", "choices[0].message.content[0]", changed("openai", [...MESSAGE, "content"], [null])],
    ["openai", "choices[0].message.tool_calls[0]", changed("openai", CALLS, [null])],
    ["openai", "tool_calls[0].function.name", changed("openai", [...CALLS, 0, "function", "name"], "", 1)],
    ["openai", "tool_calls[0].function.arguments", changed("openai", [...CALLS, 0, "function", "arguments"], 5, 1)],
    ["openai", "logprobs.content[0].logprob", changed("openai", [...TOKEN, 0, "logprob"], "-1", 4)],
    ["openai", "logprobs.content[0].logprob", changed("openai", [...TOKEN, 0, "logprob"], 0.5, 4)],
    ["openai", "logprobs.content[0].top_logprobs[1]", changed("openai", [...TOKEN, 0, "top_logprobs", 1], null, 4)],
    ["anthropic", "content[0].text", changed("anthropic", ["content", 0, "text"], undefined)],
    ["anthropic", "content[2].input", changed("anthropic", ["content", 2, "input"], [1], 1)],
    ["anthropic", "content[2].id", changed("anthropic", ["content", 2, "id"], undefined, 1)],
    ["bedrock", "output.message", changed("bedrock", ["output", "message"], undefined)],
    ["bedrock", "content[2].toolUse.name", changed("bedrock", [...CONTENT, 2, "toolUse", "name"], undefined, 1)],
  ];

  it.each([
    ["output", ["output"], null],
    ["output[0]", ["output", 0], null],
    ["output[0].content[0].text", ["output", 0, "content", 0, "text"], 5],
    ["output: no message", ["output"], []],
    ['status: "in_progress"', ["status"], "in_progress"],
    ["output[2].name", ["output", 2, "name"], "", 1],
    ["output[2].call_id", ["output", 2, "call_id"], undefined, 1],
    ["output[2].arguments", ["output", 2, "arguments"], 5, 1],
  ] as readonly [string, readonly (string | number)[], unknown, number?][])(
    "on the responses wire fails that call and names %s",
    async (place, path, value, from = 0) => {
      const error = await refusalOf("responses", changed("responses", path, value, from));
      expect(error).toMatchObject({ retryable: true, scope: "call", status: undefined });
      expect(error.message).toContain(place);
    },
  );

  it.each(odd)("on the %s wire fails that call, which may pass, and names %s", async (wire, place, body) => {
    const error = await refusalOf(wire, body);
    expect(error).toMatchObject({ retryable: true, scope: "call", status: undefined });
    expect(error.message).toContain("malformed reply: ");
    expect(error.message).toContain(place);
    expect(error.message.length).toBeLessThan(600);
  });

  it("says what was served, without the key in it", async () => {
    const { message } = await refusalOf("openai", { choices: null, echo: KEY });
    expect(message).toContain('it begins {"choices":null,"echo":"[redacted]"}');
  });

  it("nested deeper than any reply is refused, not walked", async () => {
    const deep = "[".repeat(50_000) + "]".repeat(50_000);
    for (const body of [`{"choices": ${deep}}`, `{"error": ${deep}}`])
      expect((await refusalOf("openai", body)).retryable).toBe(true);
  });
});

describe("what servers leave out", () => {
  it("a model that does not say who it is has no name, rather than one that is none", async () => {
    for (const model of [undefined, null])
      for (const wire of ["openai", "anthropic"] as const) {
        expect((await replyTo(wire, changed(wire, ["model"], model))).model).toBe("");
      }
  });

  it("a tool call without an id gets one, so that its result can be told", async () => {
    const { toolCalls } = await replyTo("openai", changed("openai", [...CALLS, 1, "id"], undefined, 1));
    expect(toolCalls.map(({ id }) => id)).toEqual(["a", "call_1"]);
  });

  it.each([
    ['"Marie Curie"', "Marie Curie"],
    ["[1]", "[1]"],
    ["null", "null"],
    ["5", "5"],
    [{ q: 1 }, { q: 1 }],
    [null, {}],
  ])("arguments %j are read as %j", async (given, read) => {
    const path = [...CALLS, 0, "function", "arguments"];
    const { toolCalls } = await replyTo("openai", changed("openai", path, given, 1));
    expect(toolCalls[0]?.arguments).toEqual(read);
  });
});

describe("usage", () => {
  const ESTIMATE = { in: 2, out: 2 }; // characters / 4 of what is asked ("12345678") and answered ("comedy")
  const strange: readonly unknown[] = ["500", -1, 0.5, 1e300, true, [5], {}, null, undefined];
  const fields: readonly [Wire, string, string][] = [
    ["openai", "prompt_tokens", "completion_tokens"],
    ["anthropic", "input_tokens", "output_tokens"],
    ["bedrock", "inputTokens", "outputTokens"],
  ];

  it.each(fields)("on the %s wire is estimated and marked where %s or %s is no count", async (wire, sent, got) => {
    const told = wire === "openai" ? { in: 10, out: 3 } : { in: 14, out: 3 };
    for (const value of strange) {
      const { usage: first } = await replyTo(wire, changed(wire, ["usage", sent], value));
      expect(first, `${sent} ${value}`).toMatchObject({ in: ESTIMATE.in, out: told.out, estimated: true });
      const { usage: second } = await replyTo(wire, changed(wire, ["usage", got], value));
      expect(second, `${got} ${value}`).toMatchObject({ in: told.in, out: ESTIMATE.out, estimated: true });
    }
  });

  it("never has more cached tokens than tokens, which would cost less than nothing", async () => {
    const path = ["usage", "prompt_tokens_details", "cached_tokens"];
    expect((await replyTo("openai", changed("openai", path, 11))).usage).toEqual({
      in: 10,
      out: 3,
      thinking: 1,
      estimated: true,
    });
  });
});
