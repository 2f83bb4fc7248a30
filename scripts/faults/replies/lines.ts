import { ModelError } from "../../../src/errors.js";
import { anthropicBatches } from "../../../src/models/providers/anthropic/batches.js";
import { messagesWire } from "../../../src/models/providers/anthropic/messages.js";
import { openaiBatches } from "../../../src/models/providers/openai/batches.js";
import { quirksOf } from "../../../src/models/providers/openai/quirks.js";
import { openWire } from "../../../src/models/providers/openai/wire.js";
import type { BatchCalls } from "../../../src/models/wire/batch-calls.js";
import type { ModelAccess } from "../../../src/models/wire/failure.js";
import { seeded } from "../../../src/random/seeded.js";
import type { BatchWire, Json, ModelRequest } from "../../../src/types/index.js";
import { type FuzzResult, nonsenseIn } from "./fuzz.js";
import { mutated } from "./mutate.js";
import { validReplies } from "./valid.js";

export const lineWires = ["anthropic", "openai"] as const;
type LineWire = (typeof lineWires)[number];

/**
 * `count` results of batches, each with one spoilt line between two intact ones: the intact ones must be read, and the spoilt
 * one be a reply that makes sense, or a ModelError, or missing.
 */
export async function fuzzLines(wire: LineWire, count: number, seed: string): Promise<FuzzResult> {
  const counts = { replies: 0, accepted: 0, refused: 0, estimated: 0 };
  const offences: string[] = [];
  for (let number = 0; number < count; number++) {
    const random = seeded(`${seed}/lines/${wire}/${number}`);
    const valid = linesOf(wire, "spoilt");
    const text = mutated(valid[random.below(valid.length)]!, random).body.toString("utf8");
    const [before, after] = ["before", "after"].map((id) => JSON.stringify(linesOf(wire, id)[0]));
    const offence = await judged(batchesOf(wire, `${before}\n${text}\n${after}\n`), counts);
    counts.replies += 1;
    if (offence !== undefined) offences.push(`${seed}/${wire}/${number}: ${offence}`);
  }
  return { ...counts, offences };
}

const LONGEST_MESSAGE = 1200;
const request: ModelRequest = { messages: [{ role: "user", content: "x" }], maxTokens: 64, sample: 0 };
const access: ModelAccess = {
  model: "some/model",
  keyName: "A_KEY",
  secrets: [],
  billsRepliesOnly: true,
  limitHeaders: [],
};

async function judged(
  batches: BatchWire,
  counts: { accepted: number; refused: number; estimated: number },
): Promise<string | undefined> {
  const readers = await batches.results("b", new AbortController().signal);
  for (const id of ["before", "after"])
    if (readers.get(id)?.(request).text !== "comedy") return `the line ${id} it is lost`;
  try {
    const reply = readers.get("spoilt")?.(request);
    if (reply === undefined) counts.refused += 1;
    else counts.accepted += 1;
    if (reply?.usage.estimated === true) counts.estimated += 1;
    return reply === undefined ? undefined : nonsenseIn(reply);
  } catch (error) {
    counts.refused += 1;
    if (!(error instanceof ModelError)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
    return error.message.length > LONGEST_MESSAGE || error.message.includes("\n") ? error.message : undefined;
  }
}

function batchesOf(wire: LineWire, text: string): BatchWire {
  const calls: BatchCalls = {
    get: async () => ({ output_file_id: "file", error_file_id: null }),
    post: async () => ({}),
    text: async () => text,
  };
  if (wire === "anthropic") return anthropicBatches(calls, access, messagesWire("m", {}));
  return openaiBatches(calls, access, openWire("m", quirksOf(""), {}).line);
}

/** Lines as the providers write them, the first a reply that says `comedy`. */
function linesOf(wire: LineWire, id: string): Json[] {
  const replies = validReplies[wire];
  if (wire === "anthropic") {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" };
    const results: Json[] = [{ type: "errored", error }, { type: "expired" }, { type: "canceled" }];
    const succeeded = replies.map((message) => ({ type: "succeeded", message }));
    return [...succeeded, ...results].map((result) => ({ custom_id: id, result }));
  }
  const answered = (status_code: number, body: Json): Json => ({ status_code, request_id: "req_1", body });
  const failed = [answered(400, { error: { message: "too odd", code: "invalid", param: "x" } })];
  return [
    ...[...replies.map((body) => answered(200, body)), ...failed].map((response) => ({
      ...{ id: "batch_req_1", custom_id: id, response, error: null },
    })),
    { id: "batch_req_1", custom_id: id, response: null, error: { code: "batch_expired", message: "not in time" } },
  ];
}
