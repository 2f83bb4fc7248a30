import { ModelError } from "../../errors.js";
import type { BatchState, BatchWire, LineReader, ModelReply, ModelRequest } from "../../types/index.js";
import { failure, malformed, type Speaker } from "../failure.js";
import { fieldsOf, type Misfit } from "../read-reply.js";
import { moderated } from "../refusal.js";
import { type BatchCalls, createdAfter, idIn, linesById, lostLine, newestFirst } from "./bare-client.js";

/** What a line asks: the endpoint of its wire, what is sent there, and how the body of a reply is read. */
interface LineWire {
  readonly endpoint: "/v1/chat/completions" | "/v1/responses";
  bodyOf(request: ModelRequest): object;
  read(body: unknown, request: ModelRequest): ModelReply | Misfit;
}

/** OpenAI's Batch API: a file of lines goes up, one of replies and one of errors come back. Half the price. */
export function openaiBatches(calls: BatchCalls, speaker: Speaker, wire: LineWire): BatchWire {
  const batchAt = (batch: string, signal: AbortSignal) =>
    calls.json("get", `/batches/${encodeURIComponent(batch)}`, { signal }).then(fieldsOf);
  return {
    most: { lines: 50_000, bytes: 190_000_000 },
    firstTokens: 1_000_000,
    line: (id, request) =>
      JSON.stringify({ custom_id: id, method: "POST", url: wire.endpoint, body: wire.bodyOf(request) }),
    async create(wave, lines, signal) {
      const file = await upload(calls, speaker, { name: `${wave.id}.jsonl`, text: `${lines.join("\n")}\n` }, signal);
      const asked = {
        input_file_id: file,
        endpoint: wire.endpoint,
        completion_window: "24h",
        metadata: { [MARK]: wave.id },
      };
      const made = await calls.json("post", "/batches", { signal, body: JSON.stringify(asked) });
      return idIn(made, "batch", speaker);
    },
    async find(wave, signal) {
      for await (const batch of newestFirst(calls, "/batches", "after", signal)) {
        if (!createdAfter(Number(batch.created_at) * 1000, wave)) break;
        const { id, metadata } = batch;
        if (fieldsOf(metadata)[MARK] === wave.id && typeof id === "string") return { batch: id };
      }
      return "none";
    },
    async state(batch, signal) {
      const told = await batchAt(batch, signal);
      const state = STATES[String(told.status)];
      if (state === undefined) throw malformed(speaker, "status: unknown", told);
      return state === "failed" ? refusal(told, speaker) : { kind: state };
    },
    async results(batch, signal) {
      const { output_file_id, error_file_id } = await batchAt(batch, signal);
      const readers = new Map<string, LineReader>();
      for (const file of [output_file_id, error_file_id]) {
        if (typeof file !== "string" || file === "") continue;
        const text = await calls.text(`/files/${encodeURIComponent(file)}/content`, { signal });
        for (const [id, line] of linesById(text))
          if (!readers.has(id)) readers.set(id, (request) => replyOf(line, request, speaker, wire));
      }
      return readers;
    },
  };
}

/** The key of a batch's metadata that holds the id of its wave. */
const MARK = "lamp_eval_wave";

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
  speaker: Speaker,
  { name, text }: { readonly name: string; readonly text: string },
  signal: AbortSignal,
): Promise<string> {
  const boundary = `lines-of-${name.replaceAll(/[^\w-]/g, "-")}`;
  const field = (head: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${value}\r\n`;
  const file = field(`name="file"; filename="${name}"\r\ncontent-type: application/jsonl`, text);
  const body = `${field('name="purpose"', "batch")}${file}--${boundary}--\r\n`;
  try {
    const made = await calls.json("post", "/files", {
      signal,
      body,
      type: `multipart/form-data; boundary=${boundary}`,
    });
    return idIn(made, "file", speaker);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const { message, retryable, retryAfterMs, status, scope, tooLong } = error;
    throw new ModelError(message, { retryable, retryAfterMs, status, scope, tooLong, bill: "none" });
  }
}

/** Why a batch was not begun: nothing of it is billed. */
function refusal(told: Readonly<Record<string, unknown>>, speaker: Speaker): BatchState {
  const { data } = fieldsOf(told.errors);
  const errors = Array.isArray(data) ? data.map(fieldsOf) : [];
  const overLimit = errors.some(({ code }) => code === "token_limit_exceeded");
  const { code, message } = errors[0] ?? {};
  const text = typeof message === "string" ? message : "the batch was refused, and nothing says why";
  const error = failure(speaker, { status: 400, code: String(code ?? ""), text, bill: "none" });
  return { kind: "refused", error, overLimit };
}

function replyOf(
  { response, error }: Readonly<Record<string, unknown>>,
  request: ModelRequest,
  speaker: Speaker,
  wire: LineWire,
): ModelReply {
  if (error !== null && error !== undefined) throw errorOf(fieldsOf(error), speaker);
  const { status_code, request_id, body } = fieldsOf(response);
  const status = Number(status_code);
  if (status !== 200) {
    if (!Number.isInteger(status) || status < 400) throw malformed(speaker, "response.status_code: unknown", response);
    const refused = moderated(status, fieldsOf(body).error, request);
    if (refused !== undefined) return refused;
    const { code, type, message } = fieldsOf(fieldsOf(body).error);
    throw failure(speaker, {
      status,
      code: [code, type].filter((part) => typeof part === "string").join(" "),
      text: typeof message === "string" ? message : `status ${status}`,
      requestId: typeof request_id === "string" ? request_id : undefined,
    });
  }
  const reply = wire.read(body, request);
  if ("misfit" in reply) throw malformed(speaker, reply.misfit, body);
  return reply;
}

/** `batch_expired`, `batch_cancelled`, `request_timeout`. */
function errorOf({ code, message }: Readonly<Record<string, unknown>>, speaker: Speaker): ModelError {
  if (code === "batch_expired") return lostLine(speaker, "expired");
  if (code === "batch_cancelled") return lostLine(speaker, "canceled");
  const text = typeof message === "string" ? message : String(code);
  return failure(speaker, { code: String(code), text, retryable: true, bill: "unknown" });
}
