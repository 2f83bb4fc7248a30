import { ModelError } from "../errors.js";
import { boundedText } from "../retry/bounded-body.js";
import { retryAfterMs } from "../retry/retry-after.js";
import { nounOf } from "../text/count.js";

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
export async function requestEmbeddings(
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
