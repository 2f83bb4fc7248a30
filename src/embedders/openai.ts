import { ModelError, UsageError } from "../errors.js";
import { gaveUp, tryModelCall } from "../retry/model-call.js";
import { longWait, type RetryPolicy, retry } from "../retry/retry.js";
import { holdsUrlSecret } from "../secrets/url.js";
import type { Clock, Embedder } from "../types.js";
import { type EmbeddingEndpoint, requestEmbeddings } from "./embedding-endpoint.js";
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
      "embedder openai: OPENAI_API_KEY is not set: set it, or name a compatible server with --set embedder.baseUrl=http://host:port/v1",
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
