import type { ModelError } from "../../../errors.js";
import type { BatchFacts, BatchWire, ModelReply, ModelRequest } from "../../../types/index.js";
import { type BatchCalls, batchesAt, idIn, linesById, unansweredLine } from "../../wire/batch-calls.js";
import { failure, type ModelAccess, malformed } from "../../wire/failure.js";
import { fieldsOf } from "../../wire/reply.js";
import { readServedReply, type Wire } from "../../wire/sdk.js";

const PATH = "/v1/messages/batches";
const pathOf = (batch: string): string => `${PATH}/${encodeURIComponent(batch)}`;

/** Anthropic's Message Batches. Only lines that succeed are billed, at half the price. */
export function anthropicBatches(calls: BatchCalls, access: ModelAccess, wire: Wire): BatchWire {
  const resultsOf = async (batch: string, signal: AbortSignal) => {
    const text = await calls.text(`${pathOf(batch)}/results`, signal);
    if (text.trim() === "") throw malformed(access, "the results of a batch: nothing", text);
    return linesById(access, text);
  };
  return {
    most: { lines: 100_000, bytes: 200_000_000 }, // 256 MB, less what stands around the lines
    line: (id, request) => JSON.stringify({ custom_id: id, params: wire.body(request) }),
    async create(_facts, lines, signal) {
      const made = await calls.post(PATH, { body: `{"requests":[${lines.join(",")}]}` }, signal);
      return idIn(made, "batch", access);
    },
    /** A batch has no name of ours: it is known by the ids of its lines, which only results name. */
    async find(facts, signal) {
      let isRunning = false;
      for await (const batch of batchesAt(calls, { path: PATH, cursor: "after_id", access }, signal)) {
        const isGone = typeof batch.archived_at === "string"; // after 29 days
        if (isGone || sizeOf(batch, access) !== facts.lines) continue;
        if (batch.processing_status !== "ended") isRunning = true;
        else if (isOf(facts, await resultsOf(batch.id, signal))) return { batch: batch.id };
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
function sizeOf(batch: Readonly<Record<string, unknown>>, access: ModelAccess): number {
  const size = Object.values(fieldsOf(batch.request_counts)).reduce<number>((sum, count) => sum + Number(count), 0);
  if (size > 0) return size;
  throw malformed(access, "request_counts: expected numbers", batch);
}

const isOf = ({ id }: BatchFacts, results: ReadonlyMap<string, unknown>): boolean =>
  [...results.keys()].some((line) => line.endsWith(`-${id}`));

function replyOf(served: unknown, request: ModelRequest, access: ModelAccess, wire: Wire): ModelReply {
  const { type, message, error } = fieldsOf(served);
  if (type === "succeeded") return readServedReply(access, wire, message, request);
  if (type === "errored") throw errorOf(error, access);
  if (type === "expired" || type === "canceled") throw unansweredLine(access, type);
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
