import type { ModelError } from "../../../errors.js";
import type { BatchWire, ModelReply, ModelRequest, WaveFacts } from "../../../types/index.js";
import { type BatchCalls, createdAfter, idIn, linesById, lostLine, newestFirst } from "../../wire/batch-calls.js";
import { failure, type ModelAccess, malformed } from "../../wire/failure.js";
import { fieldsOf } from "../../wire/reply.js";
import { readReply, type Wire } from "../../wire/sdk.js";

const PATH = "/v1/messages/batches";
const pathOf = (batch: string): string => `${PATH}/${encodeURIComponent(batch)}`;

/** Anthropic's Message Batches. Only lines that succeed are billed, at half the price. */
export function anthropicBatches(calls: BatchCalls, access: ModelAccess, wire: Wire): BatchWire {
  const resultsOf = async (batch: string, signal: AbortSignal) =>
    linesById(access, await calls.text(`${pathOf(batch)}/results`, signal));
  return {
    most: { lines: 100_000, bytes: 200_000_000 }, // 256 MB, less what stands around the lines
    line: (id, request) => JSON.stringify({ custom_id: id, params: wire.body(request) }),
    async create(_wave, lines, signal) {
      const made = await calls.post(PATH, { body: `{"requests":[${lines.join(",")}]}` }, signal);
      return idIn(made, "batch", access);
    },
    async find(wave, signal) {
      let isRunning = false;
      for await (const batch of newestFirst(calls, PATH, "after_id", signal)) {
        if (!createdAfter(Date.parse(String(batch.created_at)), wave)) break;
        const { id, processing_status: status, results_url: url } = batch;
        if (typeof id !== "string" || sizeOf(batch) !== wave.lines) continue;
        if (status !== "ended") isRunning = true;
        else if (url !== null && holds(await resultsOf(id, signal), wave)) return { batch: id };
      }
      return isRunning ? "running" : "none";
    },
    async state(batch, signal) {
      const told = await calls.get(pathOf(batch), signal);
      const status = fieldsOf(told).processing_status;
      if (status === "ended") return { kind: "ended" };
      if (status === "in_progress" || status === "canceling") return { kind: "running" };
      throw malformed(access, "processing_status: unknown", told);
    },
    async results(batch, signal) {
      const lines = await resultsOf(batch, signal);
      return new Map([...lines].map(([id, { result }]) => [id, (request) => replyOf(result, request, access, wire)]));
    },
  };
}

/** Returns how many requests a batch has: the sum of its counts always is that. */
const sizeOf = (batch: Readonly<Record<string, unknown>>): number =>
  Object.values(fieldsOf(batch.request_counts)).reduce<number>((sum, count) => sum + Number(count), 0);

const holds = (lines: ReadonlyMap<string, unknown>, wave: WaveFacts): boolean =>
  [...lines.keys()].some((id) => id.endsWith(`-${wave.id}`));

function replyOf(served: unknown, request: ModelRequest, access: ModelAccess, wire: Wire): ModelReply {
  const { type, message, error } = fieldsOf(served);
  if (type === "succeeded") return readReply(access, wire, message, request);
  if (type === "errored") throw errorOf(error, access);
  if (type === "expired" || type === "canceled") throw lostLine(access, type);
  throw malformed(access, "result.type: unknown", served);
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
function errorOf(served: unknown, access: ModelAccess): ModelError {
  const { error, request_id: requestId } = fieldsOf(served);
  const { type, message } = fieldsOf(error);
  const code = String(type);
  const text = typeof message === "string" ? message : code;
  return failure(access, { status: STATUSES[code] ?? 500, code, text, requestId, bill: "none" });
}
