import { ModelError, UsageError } from "../errors.js";
import { boundedText } from "../net/bounded-body.js";
import { gaveUp, tryModelCall } from "../net/model-call.js";
import { longWait, type RetryPolicy, retry } from "../net/retry.js";
import { retryAfterMs } from "../net/retry-after.js";
import { holdsUrlSecret } from "../net/url.js";
import { nounOf } from "../text/count.js";
import type { Clock, Embedder } from "../types/index.js";
import { type EmbedderProvider, type EmbedderSettings, unitLength } from "./provider.js";

const OFFICIAL_URL = "https://api.openai.com/v1";
/** Text Embeddings Inference takes no more by default; OpenAI takes 2048. */
const BATCH_TEXTS = 32;
const DEADLINE_MS = 120_000;

/** OpenAI and every server with its /embeddings endpoint: vLLM, Ollama, llama.cpp, LM Studio, Text Embeddings Inference. */
export const openai: EmbedderProvider = {
  name: "openai",
  summary: "OpenAI, or any server with its /embeddings (--set embedder.baseUrl=http://host:port/v1)",
  costly: true,
  async open(id, settings) {
    if (id === "")
      throw new UsageError('embedder "openai/": no model named, write it like openai/text-embedding-3-small');
    return openEndpoint({ ...endpointOf(id, settings), deadlineMs: DEADLINE_MS }, settings);
  },
};

/** An embedder over one endpoint. `dimensions` is 0 until the first reply tells it. */
export function openEndpoint(
  endpoint: EmbeddingEndpoint,
  settings: Pick<EmbedderSettings, "similarity" | "clock" | "tell">,
): Embedder {
  let dimensions = 0;

  async function request(texts: readonly string[]): Promise<readonly Float32Array[]> {
    try {
      return await retried(() => requestEmbeddings(endpoint, texts), {
        id: endpoint.id,
        clock: settings.clock,
        tell: settings.tell,
      });
    } catch (error) {
      if (texts.length === 1 || !isAboutSize(error)) throw error;
      const half = Math.ceil(texts.length / 2);
      return [...(await request(texts.slice(0, half))), ...(await request(texts.slice(half)))];
    }
  }

  const { similarity = "cosine" } = settings;
  return {
    id: similarity === "cosine" ? endpoint.id : `${endpoint.id}#${similarity}`,
    get dimensions() {
      return dimensions;
    },
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (let i = 0; i < texts.length; i += BATCH_TEXTS)
        for (const vector of await request(texts.slice(i, i + BATCH_TEXTS))) {
          dimensions ||= vector.length;
          if (vector.length !== dimensions) throw changed(endpoint.id, dimensions, vector.length);
          vectors.push(similarity === "cosine" ? unitLength(vector) : vector);
        }
      return vectors;
    },
  };
}

function endpointOf(model: string, { env, baseUrl }: EmbedderSettings): Omit<EmbeddingEndpoint, "deadlineMs"> {
  const url =
    baseUrl === undefined
      ? addressOf("OPENAI_BASE_URL", env.OPENAI_BASE_URL ?? OFFICIAL_URL)
      : addressOf("embedder.baseUrl", baseUrl);
  const apiKey = env.OPENAI_API_KEY?.trim();
  if (!apiKey && url.hostname === new URL(OFFICIAL_URL).hostname)
    throw new UsageError(
      "embedder openai: OPENAI_API_KEY is not set; set it, or name a compatible server with --set embedder.baseUrl=http://host:port/v1",
    );
  return { id: `openai/${model}`, model, url, ...(apiKey ? { apiKey } : {}) };
}

function addressOf(source: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${source}=${address}: not an address; write it like http://localhost:8000/v1`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(`${source}: a login inside the address is not sent; put the key into OPENAI_API_KEY`);
  if (holdsUrlSecret(address))
    throw new UsageError(
      `${source}: a key inside the address would be written into records; put it into OPENAI_API_KEY`,
    );
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/embeddings`;
  return url;
}

/** Servers word "too many texts" and "a text too long" with these; halves tell which, and isolate the text. */
function isAboutSize(error: unknown): boolean {
  return error instanceof ModelError && [400, 413, 422].includes(error.status ?? 0);
}

function changed(id: string, before: number, now: number): ModelError {
  return new ModelError(`${id}: the vectors' length changed from ${before} to ${now}; is the model still the same?`, {
    retryable: false,
    scope: "stop",
  });
}

const POLICY: RetryPolicy = { tries: 5, firstWaitMs: 1000, longestWaitMs: 60_000 };

interface Patience {
  /** Who is asked, for messages. */
  readonly id: string;
  readonly clock: Pick<Clock, "sleep"> | undefined;
  /** Hears of long waits. */
  readonly tell?: ((line: string) => void) | undefined;
}

/** Repeats a call that fails with a retryable ModelError, as POLICY says. Without a clock a call is tried once. */
async function retried<T>(call: () => Promise<T>, { id, clock, tell }: Patience): Promise<T> {
  if (clock === undefined) return call();
  const { signal } = new AbortController();
  return retry(() => tryModelCall(call), {
    policy: POLICY,
    gaveUp,
    wait(failed) {
      const line = longWait(id, failed);
      if (line !== undefined) tell?.(line);
      return clock.sleep(failed.waitMs, signal);
    },
  });
}

/** One served model: where it stands and how requests to it are let in. */
export interface EmbeddingEndpoint {
  /** `provider/model-id`, for messages. */
  readonly id: string;
  /** The model's name on the wire. */
  readonly model: string;
  /** The whole address, `/embeddings` included. */
  readonly url: URL;
  /** Absent: no authorization header is sent. */
  readonly apiKey?: string;
  /** Most time of one request, headers and body, milliseconds. */
  readonly deadlineMs: number;
}

/**
 * Sends one request, once. Vectors come in the order of `texts`, as the server gives them.
 * Throws ModelError, whose message never holds the key.
 * Source: https://platform.openai.com/docs/api-reference/embeddings/create
 */
async function requestEmbeddings(
  endpoint: EmbeddingEndpoint,
  texts: readonly string[],
): Promise<readonly Float32Array[]> {
  const reply = await post(endpoint, {
    model: endpoint.model,
    input: texts.map((text) => (text === "" ? " " : text)), // an empty input is refused (400)
    encoding_format: "float",
  });
  if (!reply.ok) throw refused(endpoint, reply);
  const vectors = readEmbeddings(reply.body, texts.length);
  if (typeof vectors !== "string") return vectors;
  throw new ModelError(`${endpoint.id}: malformed reply of ${endpoint.url.origin}: ${redact(vectors, endpoint)}`, {
    retryable: true,
  });
}

interface HttpReply {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

async function post(endpoint: EmbeddingEndpoint, body: object): Promise<HttpReply> {
  const { apiKey, deadlineMs, id, url } = endpoint;
  try {
    const reply = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify(body),
      redirect: "manual", // a 3xx is refused like any status that cannot pass
      signal: AbortSignal.timeout(deadlineMs),
    });
    return { ok: reply.ok, status: reply.status, headers: reply.headers, body: await boundedText(reply) };
  } catch (error) {
    const late = error instanceof Error && error.name === "TimeoutError";
    const what = late ? `no complete reply within ${deadlineMs / 1000} s` : reasonOf(error);
    throw new ModelError(`${id}: ${url.origin}: ${what}`, { retryable: true, cause: error });
  }
}

/** Node's fetch says only "fetch failed" and keeps the reason in `cause`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.cause.name : error.message;
}

const LONGEST_QUOTE = 300;
const SPENT = /insufficient_quota|exceeded your current quota|billing/i;

function refused(endpoint: EmbeddingEndpoint, { status, headers, body }: HttpReply): ModelError {
  const retryable = (status >= 500 || status === 408 || status === 409 || status === 429) && !SPENT.test(body);
  const stops = [401, 402, 403, 404].includes(status) || (status === 429 && !retryable);
  const quote = redact(wordsOf(body), endpoint).replace(/\s+/g, " ").trim().slice(0, LONGEST_QUOTE);
  const fix = retryable ? undefined : fixOf(status);
  return new ModelError(
    `${endpoint.id}: ${endpoint.url.origin}: ${status} ${quote}${fix === undefined ? "" : `; ${fix}`}`,
    { retryable, status, retryAfterMs: retryAfterMs(headers), scope: stops ? "stop" : "call" },
  );
}

function wordsOf(body: string): string {
  const message = /"(?:message|detail)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(body)?.[1];
  return message === undefined ? body : String(JSON.parse(message));
}

function fixOf(status: number): string | undefined {
  if (status === 401 || status === 403) return "check OPENAI_API_KEY and what it may use";
  if (status === 404) return "check the model id in --set embedder=openai/MODEL and --set embedder.baseUrl";
  if (status === 402 || status === 429) return "raise the account's limit, then run again to resume";
  if (status === 400 || status === 413 || status === 422)
    return "if a text is too long for the model, let its server truncate or take a model with a longer context";
  return undefined;
}

function redact(text: string, { apiKey }: EmbeddingEndpoint): string {
  return apiKey === undefined ? text : text.replaceAll(apiKey, "[redacted]");
}

/**
 * The vectors in an /embeddings reply, in the order of the request: by `index` where the server gives it, else as they
 * stand. A string says what is wrong with the reply.
 */
function readEmbeddings(body: string, count: number): readonly Float32Array[] | string {
  const data = dataOf(body);
  if (typeof data === "string") return data;
  if (data.length !== count)
    return `${data.length} ${nounOf(data.length, "vector")} for ${count} ${nounOf(count, "text")}`;
  const vectors: Float32Array[] = new Array(count);
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = entry as { index?: unknown; embedding?: unknown };
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
      return `no text has the index ${JSON.stringify(index)}`;
    if (vectors[index] !== undefined) return `two vectors have the index ${index}`;
    if (!isVector(embedding)) return `vector ${index} is not a list of finite numbers`;
    vectors[index] = Float32Array.from(embedding);
  }
  const lengths = new Set(vectors.map((vector) => vector.length));
  return lengths.size > 1 ? `vectors of different lengths: ${[...lengths].join(", ")}` : vectors;
}

const LONGEST_BODY_QUOTE = 200;

function dataOf(body: string): readonly object[] | string {
  const quote = body.replace(/\s+/g, " ").slice(0, LONGEST_BODY_QUOTE);
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return `not JSON: ${quote}`;
    throw error;
  }
  const data = (parsed as { data?: unknown } | null)?.data;
  if (!Array.isArray(data)) return `no list "data": ${quote}`;
  return data.every((entry) => typeof entry === "object" && entry !== null) ? data : `"data" holds non-objects`;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => Number.isFinite(part));
}
