import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/errors.js";
import { openModel, redacting } from "../../src/models/index.js";
import { redactor } from "../../src/net/secrets.js";
import { boughtOnce } from "../../src/outside/store.js";
import type { BatchWire, ModelReply } from "../../src/types/index.js";
import { ask, noAbort, replyOf, scripted } from "../helpers/model-request.js";
import { startProviderServer } from "../helpers/provider-server.js";

const KEY = "sk-echoed-01234567890";
const clean = (reply: ModelReply) =>
  redacting(
    scripted(() => reply),
    redactor([KEY]),
  ).complete(ask("x"), noAbort());

describe("what a model says", () => {
  it("holds no secret in text, tool arguments, own blocks and name", async () => {
    const reply = replyOf(`it is ${KEY}`, {
      toolCalls: [{ id: "a", name: "look", arguments: { q: [KEY] } }],
      opaque: [{ type: "thinking", thinking: KEY }],
      model: KEY,
    });
    expect(await clean(reply)).toEqual({
      ...reply,
      text: "it is [redacted]",
      toolCalls: [{ id: "a", name: "look", arguments: { q: ["[redacted]"] } }],
      opaque: [{ type: "thinking", thinking: "[redacted]" }],
      model: "[redacted]",
    });
  });

  it("holds none in an error, which is otherwise as it was", async () => {
    const failing = scripted(() => {
      throw new ModelError(`bad key ${KEY}`, { retryable: true, status: 429, retryAfterMs: 7, cause: new Error(KEY) });
    });
    const error = await redacting(failing, redactor([KEY]))
      .complete(ask("x"), noAbort())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: "bad key [redacted]", retryable: true, status: 429, retryAfterMs: 7 });
    expect((error as Error).cause).toBeUndefined();
  });

  it("reaches store and caller in the same words, so that a resume scores the same", async () => {
    const server = await startProviderServer({
      reply: () => ({ choices: [{ finish_reason: "stop", message: { content: `5 ${KEY}` } }] }),
    });
    try {
      const env = { OPENAI_API_KEY: KEY };
      const model = await openModel("openai/m", { env, baseUrl: server.url, concurrency: 1 });
      const asked = boughtOnce(model);
      const [first, second] = [await asked.complete(ask("x"), noAbort()), await asked.complete(ask("x"), noAbort())];
      expect([first.text, second.text]).toEqual(["5 [redacted]", "5 [redacted]"]);
      expect(server.requests).toHaveLength(1);
    } finally {
      await server.close();
    }
  });
});

describe("a batch, and a count of tokens", () => {
  const echo = () => new ModelError(`bad key ${KEY}`, { retryable: false });
  const refuse = () => Promise.reject(echo());
  const wave = { id: "w", sinceMs: 0, lines: 1 };
  const wire: BatchWire = {
    most: { lines: 1, bytes: 1 },
    line: (id) => id,
    create: refuse,
    find: refuse,
    state: refuse,
    results: refuse,
  };
  const through = (more: Partial<BatchWire>) => {
    const { batch } = redacting({ ...scripted(() => replyOf("5")), batch: { ...wire, ...more } }, redactor([KEY]));
    return batch ?? expect.fail("the wrapper keeps the batch");
  };
  const signal = noAbort();

  it("show no key where a call of theirs fails", async () => {
    const batch = through({});
    for (const call of [
      batch.create(wave, [], signal),
      batch.find(wave, signal),
      batch.state("b", signal),
      batch.results("b", signal),
    ])
      await expect(call).rejects.toThrow(/^bad key \[redacted\]$/);
  });

  it("bring lines without a key, whether they are replies or errors, each under its id", async () => {
    const lines: [string, () => ModelReply][] = [
      ["said", () => replyOf(`it is ${KEY}`)],
      [
        "failed",
        () => {
          throw echo();
        },
      ],
    ];
    const read = await through({ results: async () => new Map(lines) }).results("b", signal);
    expect([...read.keys()]).toEqual(["said", "failed"]);
    expect(read.get("said")?.(ask("x")).text).toBe("it is [redacted]");
    expect(() => read.get("failed")?.(ask("x"))).toThrow(/^bad key \[redacted\]$/);
  });
});

describe("a key in the query of an address", () => {
  it.each([
    ["openai/m", "/v1?api-key=query-key-123&api-version=7", "/v1/chat/completions?api-key=query-key-123&api-version=7"],
    ["anthropic/m", "?api-key=query-key-123", "/v1/messages?api-key=query-key-123"],
  ])("of %s goes with the request behind its path", async (id, query, path) => {
    const urls: string[] = [];
    const server = await startProviderServer({ onUrl: (url) => urls.push(url) });
    try {
      const env = { ANTHROPIC_API_KEY: "sk-other-1234567" };
      const model = await openModel(id, { env, baseUrl: `${server.url}${query}`, concurrency: 1 });
      await model.complete(ask("say query-key-123"), noAbort());
      expect(urls).toEqual([path]);
    } finally {
      await server.close();
    }
  });
});
