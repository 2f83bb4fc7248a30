import { createRequire } from "node:module";
import type { OpenAI } from "openai";
import { ModelError, UsageError } from "../errors.js";
import { clientUrl, sendableKey } from "../models/wire/address.js";
import { malformed, type Speaker } from "../models/wire/failure.js";
import { keepAliveFetch } from "../models/wire/http.js";
import { sdkFailure } from "../models/wire/sdk.js";
import { gaveUp, tryModelCall } from "../net/model-call.js";
import { longWait, type RetryPolicy, retry } from "../net/retry.js";
import { holdsUrlSecret } from "../net/url.js";
import { nounOf } from "../text/count.js";
import type { Clock, Embedder } from "../types/index.js";
import { type EmbedderProvider, type EmbedderSettings, unitLength } from "./provider.js";

/** Of the SDK's 150 files each takes longer to import. */
const load = createRequire(import.meta.url);

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
  let client: OpenAI | undefined;
  const opened = (): OpenAI => {
    client ??= openClient(endpoint);
    return client;
  };

  async function request(texts: readonly string[]): Promise<readonly Float32Array[]> {
    try {
      const client = opened();
      return await retried(() => requestEmbeddings(client, endpoint, texts), {
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
  const baseURL =
    baseUrl === undefined
      ? addressOf("OPENAI_BASE_URL", env.OPENAI_BASE_URL ?? OFFICIAL_URL)
      : addressOf("embedder.baseUrl", baseUrl);
  const apiKey = env.OPENAI_API_KEY?.trim();
  if (!apiKey && new URL(baseURL).hostname === new URL(OFFICIAL_URL).hostname)
    throw new UsageError(
      "embedder openai: OPENAI_API_KEY is not set; set it, or name a compatible server with --set embedder.baseUrl=http://host:port/v1",
    );
  return {
    id: `openai/${model}`,
    model,
    baseURL,
    env,
    ...(apiKey ? { apiKey: sendableKey(apiKey, "OPENAI_API_KEY") } : {}),
  };
}

function addressOf(source: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${source}=${address}: not an address; write it like http://localhost:8000/v1`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(`${source}: a login inside the address is not sent; put the key into OPENAI_API_KEY`);
  if (holdsUrlSecret(address))
    throw new UsageError(
      `${source}: a key inside the address would be written into records; put it into OPENAI_API_KEY`,
    );
  return address;
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

/** One served model. */
export interface EmbeddingEndpoint {
  /** `provider/model-id`, for messages. */
  readonly id: string;
  /** The model's name on the wire. */
  readonly model: string;
  /** The address without `/embeddings`. */
  readonly baseURL: string;
  /** Absent: no authorization header is sent. */
  readonly apiKey?: string;
  /** Most time of one request, milliseconds. */
  readonly deadlineMs: number;
  /** Names the proxies. */
  readonly env: EmbedderSettings["env"];
}

function openClient({ apiKey, baseURL, deadlineMs, env }: EmbeddingEndpoint): OpenAI {
  const { OpenAI: Client } = load("openai") as typeof import("openai");
  return new Client({
    apiKey: apiKey ?? "none",
    ...(apiKey === undefined ? { defaultHeaders: { Authorization: null } } : {}),
    ...clientUrl(baseURL),
    organization: null,
    project: null,
    maxRetries: 0,
    timeout: deadlineMs,
    logLevel: "off",
    fetch: keepAliveFetch(CONNECTIONS, undefined, env),
  });
}

const CONNECTIONS = 8;

/**
 * Sends one request, once. Returns vectors in the order of `texts`, as the server gives them. Throws ModelError.
 * Source: https://platform.openai.com/docs/api-reference/embeddings/create
 */
async function requestEmbeddings(
  client: OpenAI,
  { id, model, baseURL, apiKey = "" }: EmbeddingEndpoint,
  texts: readonly string[],
): Promise<readonly Float32Array[]> {
  const speaker: Speaker = { model: id, keyName: "OPENAI_API_KEY", secrets: [apiKey], address: baseURL };
  let reply: unknown;
  try {
    const input = texts.map((text) => (text === "" ? " " : text)); // an empty input is refused (400)
    reply = await client.post<unknown>("/embeddings", { body: { model, input, encoding_format: "float" } });
  } catch (error) {
    const fix = fixOf((error as { status?: unknown }).status);
    throw sdkFailure(speaker, error, new AbortController().signal, fix === undefined ? {} : { fix });
  }
  const vectors = readEmbeddings(reply, texts.length);
  if (typeof vectors === "string") throw malformed(speaker, vectors, reply);
  return vectors;
}

function fixOf(status: unknown): string | undefined {
  if (status === 404) return "check the model id in --set embedder=openai/MODEL and --set embedder.baseUrl";
  if (status === 400 || status === 413 || status === 422)
    return "if a text is too long for the model, let its server truncate or take a model with a longer context";
  return undefined;
}

/**
 * The vectors in an /embeddings reply, in the order of the request: by `index` where the server gives it, else as they
 * stand. A string says what is wrong with the reply.
 */
function readEmbeddings(reply: unknown, count: number): readonly Float32Array[] | string {
  const { data } = Object(reply) as { data?: unknown };
  if (!Array.isArray(data)) return 'no list "data"';
  if (data.length !== count)
    return `${data.length} ${nounOf(data.length, "vector")} for ${count} ${nounOf(count, "text")}`;
  const vectors: Float32Array[] = new Array(count);
  for (const [position, entry] of data.entries()) {
    const { index = position, embedding } = Object(entry) as { index?: unknown; embedding?: unknown };
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= count)
      return `no text has the index ${JSON.stringify(index)}`;
    if (vectors[index] !== undefined) return `two vectors have the index ${index}`;
    if (!isVector(embedding)) return `vector ${index} is not a list of finite numbers`;
    vectors[index] = Float32Array.from(embedding);
  }
  const lengths = new Set(vectors.map((vector) => vector.length));
  return lengths.size > 1 ? `vectors of different lengths: ${[...lengths].join(", ")}` : vectors;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => Number.isFinite(part));
}
