import type { ModelError } from "../../errors.js";
import type { BatchWire, Json, LineReader, ModelRequest, WaveFacts } from "../../types/index.js";
import { failure, malformed, type Speaker } from "../failure.js";
import { readMessagesBody } from "../read-anthropic.js";
import { fieldsOf } from "../read-reply.js";
import { type BatchCalls, createdAfter, idIn, linesById, lostLine, newestFirst } from "./bare-client.js";

/** Anthropic's Message Batches. Only lines that succeed are billed, at half the price. */
export function anthropicBatches(
  calls: BatchCalls,
  speaker: Speaker,
  bodyOf: (request: ModelRequest) => Readonly<Record<string, Json>>,
): BatchWire {
  const resultsOf = async (batch: string, signal: AbortSignal) =>
    linesById(await calls.text(`${PATH}/${encodeURIComponent(batch)}/results`, { signal }));
  return {
    most: { lines: 100_000, bytes: 200_000_000 }, // 256 MB, less what stands around the lines
    line: (id, request) => JSON.stringify({ custom_id: id, params: bodyOf(request) }),
    async create(_wave, lines, signal) {
      const body = `{"requests":[${lines.join(",")}]}`;
      const made = await calls.json("post", PATH, { signal, body });
      return idIn(made, "batch", speaker);
    },
    async find(wave, signal) {
      let isRunning = false;
      for await (const batch of newestFirst(calls, PATH, "after_id", signal)) {
        if (!createdAfter(Date.parse(String(batch.created_at)), wave)) break;
        const { id, processing_status, results_url } = batch;
        if (typeof id !== "string" || sizeOf(batch) !== wave.lines) continue;
        if (processing_status !== "ended") isRunning = true;
        else if (results_url !== null && holds(await resultsOf(id, signal), wave)) return { batch: id };
      }
      return isRunning ? "running" : "none";
    },
    async state(batch, signal) {
      const told = await calls.json("get", `${PATH}/${encodeURIComponent(batch)}`, { signal });
      const status = fieldsOf(told).processing_status;
      if (status === "ended") return { kind: "ended" };
      if (status === "in_progress" || status === "canceling") return { kind: "running" };
      throw malformed(speaker, "processing_status: unknown", told);
    },
    async results(batch, signal) {
      const readers = new Map<string, LineReader>();
      for (const [id, { result }] of await resultsOf(batch, signal))
        readers.set(id, (request) => replyOf(result, request, speaker));
      return readers;
    },
  };
}

const PATH = "/v1/messages/batches";

/** How many requests a batch has: the sum of its counts always is that. */
const sizeOf = (batch: Readonly<Record<string, unknown>>): number =>
  Object.values(fieldsOf(batch.request_counts)).reduce<number>((sum, count) => sum + Number(count), 0);

const holds = (lines: ReadonlyMap<string, unknown>, wave: WaveFacts): boolean =>
  [...lines.keys()].some((id) => id.endsWith(`-${wave.id}`));

function replyOf(served: unknown, request: ModelRequest, speaker: Speaker) {
  const result = fieldsOf(served);
  switch (result.type) {
    case "succeeded": {
      const reply = readMessagesBody(result.message, request);
      if ("misfit" in reply) throw malformed(speaker, reply.misfit, result.message);
      return reply;
    }
    case "errored":
      throw errorOf(result.error, speaker);
    case "expired":
    case "canceled":
      throw lostLine(speaker, result.type);
    default:
      throw malformed(speaker, "result.type: unknown", served);
  }
}

/** Statuses of the error types, as the errors page lists them. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** `{ type: "error", error: { type, message }, request_id }`. */
function errorOf(served: unknown, speaker: Speaker): ModelError {
  const { error, request_id } = fieldsOf(served);
  const { type, message } = fieldsOf(error);
  const name = String(type);
  return failure(speaker, {
    status: STATUSES[name] ?? 500,
    code: name,
    text: typeof message === "string" ? message : name,
    requestId: typeof request_id === "string" ? request_id : undefined,
    bill: "none",
  });
}
