import { ModelError } from "../../../errors.js";
import type { BatchState, BatchWire, LineReader, ModelReply, ModelRequest } from "../../../types/index.js";
import { type BatchCalls, batchesAt, idIn, linesById, unansweredLine } from "../../wire/batch-calls.js";
import { failure, type ModelAccess, malformed } from "../../wire/failure.js";
import { fieldsOf } from "../../wire/reply.js";
import { readServedReply, type Wire } from "../../wire/sdk.js";

/** OpenAI's Batch API: a file of lines goes up, one of replies and one of errors come back. Half the price. */
export function openaiBatches(calls: BatchCalls, access: ModelAccess, wire: Wire): BatchWire {
  const endpoint = `/v1${wire.path}`;
  const batchAt = async (batch: string, signal: AbortSignal) =>
    fieldsOf(await calls.get(`/batches/${encodeURIComponent(batch)}`, signal));
  return {
    most: { lines: 50_000, bytes: 190_000_000 },
    firstTokens: 1_000_000,
    line: (id, request) => JSON.stringify({ custom_id: id, method: "POST", url: endpoint, body: wire.body(request) }),
    async create({ id }, lines, signal) {
      const file = await upload(calls, access, [`${id}.jsonl`, `${lines.join("\n")}\n`], signal);
      const asked = { input_file_id: file, endpoint, completion_window: "24h", metadata: { [MARK]: id } };
      const made = await calls.post("/batches", { body: JSON.stringify(asked) }, signal);
      return idIn(made, "batch", access);
    },
    async find(facts, signal) {
      for await (const { id, metadata } of batchesAt(calls, { path: "/batches", cursor: "after", access }, signal))
        if (fieldsOf(metadata)[MARK] === facts.id) return { batch: id };
      return "none";
    },
    async state(batch, signal) {
      const served = await batchAt(batch, signal);
      const state = STATES[String(served.status)];
      if (state === undefined) throw malformed(access, "status: unknown", served);
      return state === "failed" ? refusalOf(served, access) : { kind: state };
    },
    async results(batch, signal) {
      const { output_file_id: output, error_file_id: errors } = await batchAt(batch, signal);
      const readers = new Map<string, LineReader>();
      for (const file of [output, errors]) {
        if (typeof file !== "string" || file === "") continue;
        const lines = linesById(access, await calls.text(`/files/${encodeURIComponent(file)}/content`, signal));
        for (const [id, line] of lines)
          if (!readers.has(id)) readers.set(id, (request) => replyOf(line, request, access, wire));
      }
      return readers;
    },
  };
}

/** The key of a batch's metadata that holds our own id of it. */
const MARK = "lamp_eval_batch";

const STATES: Readonly<Record<string, "running" | "ended" | "failed">> = {
  validating: "running",
  in_progress: "running",
  finalizing: "running",
  cancelling: "running",
  completed: "ended",
  expired: "ended",
  cancelled: "ended",
  failed: "failed",
};

/** Uploads are free, and a file alone starts nothing: what fails here has sent no line. */
async function upload(
  calls: BatchCalls,
  access: ModelAccess,
  [name, text]: readonly [name: string, text: string],
  signal: AbortSignal,
): Promise<string> {
  const boundary = `lines-of-${name.replaceAll(/[^\w-]/g, "-")}`;
  const field = (head: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  const file = field(`name="file"; filename="${name}"\r\ncontent-type: application/jsonl`, text);
  const body = `${field('name="purpose"', "batch")}${file}--${boundary}--\r\n`;
  try {
    const made = await calls.post("/files", { body, type: `multipart/form-data; boundary=${boundary}` }, signal);
    return idIn(made, "file", access);
  } catch (error) {
    throw error instanceof ModelError ? new ModelError(error.message, { ...error, bill: "none" }) : error;
  }
}

/** Returns why a batch was not begun: nothing of it is billed. */
function refusalOf(served: Readonly<Record<string, unknown>>, access: ModelAccess): BatchState {
  const { data } = fieldsOf(served.errors);
  const errors = Array.isArray(data) ? data.map(fieldsOf) : [];
  const { code, message } = errors[0] ?? {};
  const text = typeof message === "string" ? message : "the batch was refused, and nothing says why";
  const error = failure(access, { status: 400, code: String(code ?? ""), text, bill: "none" });
  return { kind: "refused", error, overLimit: errors.some((one) => one.code === "token_limit_exceeded") };
}

function replyOf(
  { response, error: lost }: Readonly<Record<string, unknown>>,
  request: ModelRequest,
  access: ModelAccess,
  wire: Wire,
): ModelReply {
  if (lost !== null && lost !== undefined) throw lostOf(fieldsOf(lost), access);
  const { status_code, request_id: requestId, body } = fieldsOf(response);
  const status = Number(status_code);
  if (status === 200) return readServedReply(access, wire, body, request);
  if (!Number.isInteger(status) || status < 400) throw malformed(access, "response.status_code: unknown", response);
  const { error } = fieldsOf(body);
  const refused = wire.refusal?.(status, error, request);
  if (refused !== undefined) return refused;
  const { code, type, message } = fieldsOf(error);
  const codes = [code, type].filter((part) => typeof part === "string").join(" ");
  const text = typeof message === "string" ? message : `status ${status}`;
  throw failure(access, { status, code: codes, text, requestId });
}

/** `batch_expired`, `batch_cancelled`, `request_timeout`. */
function lostOf({ code, message }: Readonly<Record<string, unknown>>, access: ModelAccess): ModelError {
  if (code === "batch_expired") return unansweredLine(access, "expired");
  if (code === "batch_cancelled") return unansweredLine(access, "canceled");
  const text = typeof message === "string" ? message : String(code);
  return failure(access, { code: String(code), text, retryable: true, bill: "unknown" });
}
