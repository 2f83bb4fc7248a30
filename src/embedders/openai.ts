import type { OpenAI } from "openai";
import { fatalError, type ModelError, UsageError } from "../errors.js";
import { openClient } from "../models/providers/openai/index.js";
import { clientUrl, keepAliveFetch, sendableKey, serverAddress } from "../models/wire/http.js";
import type { Served } from "../models/wire/reply.js";
import { readWhole, sdkFailure } from "../models/wire/sdk.js";
import { longWaitMessage, type RetryPolicy, retry } from "../net/retry.js";
import { holdsUrlSecret } from "../net/secrets.js";
import { countOf } from "../text/count.js";
import { type EmbedderProvider, type EmbedderSettings, unitLength } from "./provider.js";

const OFFICIAL_URL = "https://api.openai.com/v1";
const KEY = "OPENAI_API_KEY";
const ADDRESS = "embedder.baseUrl";
/** Text Embeddings Inference takes no more by default; OpenAI takes 2048. */
const BATCH_TEXTS = 32;
const DEADLINE_MS = 120_000;
const CONNECTIONS = 8;
const POLICY: RetryPolicy = { tries: 5, firstWaitMs: 1000, longestWaitMs: 60_000 };

/**
 * OpenAI and every server with its /embeddings endpoint: vLLM, Ollama, llama.cpp, LM Studio, Text Embeddings Inference.
 * Source: https://platform.openai.com/docs/api-reference/embeddings/create
 */
export const openai: EmbedderProvider = {
  name: "openai",
  summary: "OpenAI, or any server with its /embeddings (--set embedder.baseUrl=http://host:port/v1)",
  costly: true,
  async open(model, settings) {
    if (model === "")
      throw new UsageError('embedder "openai/": no model named, write it like openai/text-embedding-3-small');
    const { env, similarity = "cosine", deadlineMs = DEADLINE_MS } = settings;
    const baseURL = serverAddress(settings, "OPENAI_BASE_URL", ADDRESS) ?? OFFICIAL_URL;
    if (holdsUrlSecret(baseURL))
      throw new UsageError(`${ADDRESS}: a login or key inside the address would be written down; put it into ${KEY}`);
    const apiKey = sendableKey(env[KEY]?.trim() ?? "", KEY);
    if (apiKey === "" && new URL(baseURL).hostname === new URL(OFFICIAL_URL).hostname)
      throw new UsageError(
        `embedder openai: ${KEY} is not set; set it, or name a compatible server with --set ${ADDRESS}=http://host:port/v1`,
      );
    const id = `openai/${model}`;
    const access = { model: id, keyName: KEY, secrets: [apiKey], billsRepliesOnly: false, limitHeaders: [] };
    let client: OpenAI | undefined;
    let dimensions = 0;

    async function request(texts: readonly string[]): Promise<readonly Float32Array[]> {
      client ??= openClient({
        apiKey: apiKey || "none",
        ...(apiKey === "" ? { defaultHeaders: { Authorization: null } } : {}),
        ...clientUrl(baseURL),
        ...{ organization: null, project: null, maxRetries: 0, timeout: deadlineMs, logLevel: "off" },
        fetch: keepAliveFetch(CONNECTIONS, env),
      });
      const input = texts.map((text) => (text === "" ? " " : text)); // an empty input is refused (400)
      const body = { model, input, encoding_format: "float" };
      const served = await client.post<unknown>("/embeddings", { body }).catch((error: unknown) => {
        throw sdkFailure(access, error, new AbortController().signal, fixOf(Object(error).status));
      });
      return readWhole(access, served, (reply) => readVectors(reply, texts.length));
    }

    return {
      id: similarity === "cosine" ? id : `${id}#${similarity}`,
      /** 0 until the first reply tells it. */
      get dimensions() {
        return dimensions;
      },
      async embed(texts) {
        const vectors: Float32Array[] = [];
        for (let i = 0; i < texts.length; i += BATCH_TEXTS) {
          const batch = texts.slice(i, i + BATCH_TEXTS);
          for (const vector of await retried(id, settings, () => request(batch))) {
            dimensions ||= vector.length;
            if (vector.length !== dimensions) throw changed(id, dimensions, vector.length);
            vectors.push(similarity === "cosine" ? unitLength(vector) : vector);
          }
        }
        return vectors;
      },
    };
  },
};

/** Repeats a call that fails with a retryable ModelError, as POLICY says. Without a clock a call is tried once. */
function retried<T>(id: string, { clock, tell }: EmbedderSettings, call: () => Promise<T>): Promise<T> {
  if (clock === undefined) return call();
  return retry(call, {
    policy: POLICY,
    wait(failed) {
      const line = longWaitMessage(id, failed);
      if (line !== undefined) tell?.(line);
      return clock.sleep(failed.waitMs, new AbortController().signal);
    },
  });
}

function fixOf(status: unknown): string | undefined {
  if (status === 404) return `check the model id in --set embedder=openai/MODEL and --set ${ADDRESS}`;
  if (status !== 400 && status !== 413 && status !== 422) return undefined;
  return "if a text is too long for the model, let its server truncate or take a model with a longer context";
}

const changed = (id: string, before: number, now: number): ModelError =>
  fatalError(`${id}: the vectors' length changed from ${before} to ${now}; is the model still the same?`);

/** Returns the vectors in the order of the request: by `index` where the server gives it, else as they stand. */
function readVectors(body: Served, count: number): readonly Float32Array[] {
  const data = body.field("data").list();
  if (data.length !== count) body.refuse(`${countOf(data.length, "vector")} for ${countOf(count, "text")}`);
  const vectors: Float32Array[] = new Array(count);
  for (const [position, one] of data.entries()) {
    const embedding = one.field("embedding");
    const numbers = embedding.list().map(({ value }) => value);
    const index = one.field("index").value ?? position;
    if (!numbers.every((value) => Number.isFinite(value))) embedding.refuse("not a list of finite numbers");
    if (numbers.length === 0) embedding.refuse("an empty vector");
    if (!Number.isInteger(index) || Number(index) < 0 || Number(index) >= count)
      one.refuse(`no text has the index ${index}`);
    if (vectors[Number(index)] !== undefined) one.refuse(`two vectors have the index ${index}`);
    vectors[Number(index)] = Float32Array.from(numbers as number[]);
  }
  const lengths = new Set(vectors.map(({ length }) => length));
  return lengths.size > 1 ? body.refuse(`vectors of different lengths: ${[...lengths].join(", ")}`) : vectors;
}
