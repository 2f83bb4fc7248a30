import { describe, expect, it } from "vitest";
import type { EmbedderSettings } from "../../src/embedders/index.js";
import { openEmbedder } from "../../src/embedders/index.js";
import { ModelError, UsageError } from "../../src/errors.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { embeddingsServer, rightAnswer, vectorOf } from "./embeddings-server.js";

const KEY = "sk-test-0123456789";

function open(baseUrl: string, more: Partial<EmbedderSettings> = {}) {
  return openEmbedder("openai/small", { env: { OPENAI_API_KEY: KEY }, baseUrl, similarity: "dot", ...more });
}

/** The ModelError that a call ends with. */
async function failureOf(call: Promise<unknown>): Promise<ModelError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ModelError) return error;
  throw new Error(`expected a ModelError, got ${error}`);
}

const error = (message: string, code?: string) => ({ error: { message, type: "some", code: code ?? null } });

describe("the openai embedder", () => {
  it("sends model, texts and key, and puts the vectors in order of index", async () => {
    const server = await embeddingsServer();
    const embedder = await open(server.url);
    const vectors = await embedder.embed(["bb", "a", "cccc"]);
    expect(vectors.map((vector) => [...vector])).toEqual(["bb", "a", "cccc"].map(vectorOf));
    expect(server.requests).toMatchObject([
      {
        path: "/v1/embeddings",
        headers: { authorization: `Bearer ${KEY}` },
        body: { model: "small", input: ["bb", "a", "cccc"], encoding_format: "float" },
      },
    ]);
    expect(embedder.dimensions).toBe(2);
  });

  it("scales vectors to length 1 unless told otherwise, under different ids", async () => {
    const { url } = await embeddingsServer();
    const cosine = await open(url, { similarity: "cosine" });
    const dot = await open(url);
    expect(Math.hypot(...(await cosine.embed(["abc"]))[0]!)).toBeCloseTo(1, 6);
    expect([cosine.id, dot.id]).toEqual(["openai/small", "openai/small#dot"]);
  });

  it("cuts many texts into batches and asks nothing for none", async () => {
    const server = await embeddingsServer();
    const texts = Array.from({ length: 70 }, (_, i) => `text ${"x".repeat(i)}`);
    const embedder = await open(server.url);
    expect(await embedder.embed([])).toEqual([]);
    const vectors = await embedder.embed(texts);
    expect(vectors.map((vector) => [...vector])).toEqual(texts.map(vectorOf));
    expect(server.requests.map(({ body }) => body.input.length)).toEqual([32, 32, 6]);
  });

  it("sends a space for an empty text, which servers refuse", async () => {
    const server = await embeddingsServer();
    await (await open(server.url)).embed(["", "a"]);
    expect(server.requests[0]?.body.input).toEqual([" ", "a"]);
  });

  it("sends no key that it does not have, and refuses OpenAI itself without one", async () => {
    const server = await embeddingsServer();
    await (await open(server.url, { env: {} })).embed(["a"]);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    const opened = openEmbedder("openai/text-embedding-3-small", { env: {} });
    await expect(opened).rejects.toThrow(UsageError);
    await expect(opened).rejects.toThrow("OPENAI_API_KEY is not set");
  });

  it.each([
    ["localhost:8000", "embedder.baseUrl localhost:8000: not a URL"],
    ["http://user:secret@host/v1", "embedder.baseUrl: a login or key inside the address would be written down"],
  ])("refuses the address %s", async (url, message) => {
    const opened = open(url);
    await expect(opened).rejects.toThrow(UsageError);
    await expect(opened).rejects.toThrow(message);
    await expect(opened).rejects.not.toThrow("secret");
  });

  it.each([
    [401, error(`bad key ${KEY}`), "stop", "401 bad key [redacted]; check OPENAI_API_KEY and what it may use"],
    [404, error("no such model"), "stop", "check the model id in --set embedder=openai/MODEL"],
    [429, error("You exceeded your current quota", "insufficient_quota"), "stop", "raise the account's limit"],
    [400, error("too long"), "call", "if a text is too long for the model"],
  ] as const)("tries a %i that cannot pass only once", async (status, body, scope, message) => {
    const server = await embeddingsServer(() => ({ status, body }));
    const failure = await failureOf((await open(server.url, { clock: fakeClock() })).embed(["a"]));
    expect(failure).toMatchObject({ retryable: false, scope, status });
    expect(failure.message).toContain(message);
    expect(failure.message).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it.each(["file:///etc/passwd", "http://127.0.0.1:9/"])(
    "is not sent on to %s, and does not try again",
    async (location) => {
      const server = await embeddingsServer(() => ({ status: 302, headers: { location }, body: "" }));
      const failure = await failureOf((await open(server.url, { clock: fakeClock() })).embed(["a"]));
      expect(failure).toMatchObject({ retryable: false, status: 302 });
      expect(server.requests).toHaveLength(1);
    },
  );

  const oneShort = (data: ReturnType<typeof rightAnswer>["data"]) => data.slice(1);
  it.each([
    ["1 vector for 2 texts", oneShort],
    ["two vectors have the index 0", (data) => data.map((entry) => ({ ...entry, index: 0 }))],
    ["no text has the index 7", (data) => data.map((entry) => ({ ...entry, index: entry.index + 6 }))],
    ["not a list of finite numbers", (data) => data.map((entry) => ({ ...entry, embedding: [1, null] }))],
    ["expected a list", (data) => data.map((entry) => ({ ...entry, embedding: "AAAA" }))],
    [
      "vectors of different lengths: 2, 1",
      (data) => data.map((entry) => ({ ...entry, embedding: [1, 2].slice(entry.index) })),
    ],
  ] as readonly (readonly [string, (data: ReturnType<typeof rightAnswer>["data"]) => unknown])[])(
    "tries again after a reply with a fault: %s",
    async (fault, spoil) => {
      const server = await embeddingsServer((request) => {
        if (request.index > 1) return undefined;
        const right = rightAnswer(request);
        return { body: { ...right, data: spoil(right.data) } };
      });
      const failure = await failureOf((await open(server.url)).embed(["aa", "b"]));
      expect(failure).toMatchObject({ retryable: true, scope: "call" });
      expect(failure.message).toContain(fault);
      const clock = fakeClock();
      const again = await (await open(server.url, { clock })).embed(["aa", "b"]);
      expect(clock.sleeps).toEqual([1000]);
      expect(again.map((vector) => [...vector])).toEqual(["aa", "b"].map(vectorOf));
    },
  );

  it("stops when vectors change their length within a run", async () => {
    const server = await embeddingsServer(({ index }) =>
      index === 0 ? undefined : { body: { data: [{ index: 0, embedding: [1, 2, 3] }] } },
    );
    const embedder = await open(server.url);
    await embedder.embed(["a"]);
    const failure = await failureOf(embedder.embed(["b"]));
    expect(failure).toMatchObject({ retryable: false, scope: "stop" });
    expect(failure.message).toContain("length changed from 2 to 3");
  });
});
