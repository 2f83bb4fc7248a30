import { sha256 } from "../../src/text/content-id.js";
import { messageBatchBreaches, openaiBatchBreaches } from "./batch-rules.js";
import { replyBody } from "./provider-replies.js";
import { type Routed, startProviderServer } from "./provider-server.js";

/** What becomes of a line. `malformed`: half a line comes back; `missing`: none; both are billed. */
export type Fate = "succeeded" | "expired" | "canceled" | "invalid" | "overloaded" | "malformed" | "missing";

/**
 * What becomes of a sending; of an own status: nothing is taken. `refused`: 429, nothing taken; `failed`: 500, nothing taken; `lost`: taken, and 500; `cut`: taken,
 * and the connection breaks; `over-limit`: taken, and refused later (OpenAI).
 */
export type Sending =
  | ("taken" | "refused" | "failed" | "lost" | "cut" | "over-limit")
  | { readonly status: number; readonly message: string };

/** Where a process may die: a sending arrives, is taken, its id was told and the batch is looked at, its results are read. */
export type Moment = "arrived" | "taken" | "look" | "results";

export interface BatchServerSettings {
  fate?(line: ServedLine): Fate;
  /** `n`: sendings before this one. */
  sending?(n: number): Sending;
  /** How often a batch is looked at before it has ended. Default 2. */
  readonly looks?: number;
  onMoment?(moment: Moment): void;
  /** What a reading of results is answered instead, 200. `n`: readings before this one. */
  spoilt?(n: number): string | undefined;
  /** What a reading of the list of batches is answered instead, 200. `n`: readings before this one. */
  list?(n: number): string | undefined;
  /** Replaces the rating: the body of the reply to a body, alone or in a line. */
  answer?(body: Body): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: the bodies of two protocols
type Body = any;

interface ServedLine {
  readonly id: string;
  /** What would be sent to the endpoint itself. */
  readonly body: Body;
  /** Batches before this one, and lines before it in its own. */
  readonly batch: number;
  readonly number: number;
}

interface ServedBatch {
  readonly id: string;
  readonly lines: readonly ServedLine[];
  readonly metadata: Body;
  looks: number;
  isOver: boolean;
}

export interface BatchServer {
  readonly url: string;
  readonly batches: readonly ServedBatch[];
  /** Requests that came one by one. */
  readonly single: number;
  /** How often each body was billed, by its JSON. */
  readonly billed: ReadonlyMap<string, number>;
  /** Tokens billed in batches. */
  readonly tokens: { readonly in: number; readonly out: number };
  /** Breaches of the documentation. */
  readonly breaches: readonly string[];
  close(): Promise<void>;
}

/**
 * A local server with Anthropic's Message Batches and OpenAI's files and batches, beside the endpoints that answer at once.
 * Equal bodies get equal replies, both ways; results come in another order than they were asked in.
 */
export async function startBatchServer(settings: BatchServerSettings = {}): Promise<BatchServer> {
  const {
    fate = () => "succeeded",
    sending = () => "taken",
    looks = 2,
    onMoment = () => undefined,
    spoilt = () => undefined,
    answer = replyTo,
  } = settings;
  const batches: ServedBatch[] = [];
  let readings = 0;
  const files = new Map<string, string>();
  const billed = new Map<string, number>();
  const tokens = { in: 0, out: 0 };
  const breaches: string[] = [];
  const fates = new Map<string, Fate>();
  let [sendings, single, listings] = [0, 0, 0];

  const fateOf = (line: ServedLine): Fate => {
    const known = fates.get(line.id);
    if (known !== undefined) return known;
    const drawn = fate(line);
    fates.set(line.id, drawn);
    if (drawn === "succeeded" || drawn === "malformed" || drawn === "missing") bill(line.body);
    return drawn;
  };
  const bill = (body: Body): void => {
    const key = JSON.stringify(body);
    billed.set(key, (billed.get(key) ?? 0) + 1);
    tokens.in += tokensOf(body);
    tokens.out += 1;
  };
  const take = (lines: readonly { custom_id: string; body: Body }[], metadata: Body, isOver: boolean): ServedBatch => {
    const number = batches.length;
    const served = lines.map(({ custom_id, body }, n) => ({ id: custom_id, body, batch: number, number: n }));
    const batch = { id: `batch_${number}`, lines: served, metadata, looks: 0, isOver };
    batches.push(batch);
    if (!isOver) for (const line of served) fateOf(line); // it is billed whether anybody collects it or not
    onMoment("taken");
    return batch;
  };
  const hasEnded = (batch: ServedBatch): boolean => batch.isOver || batch.looks > looks;
  /** What a sending comes to: the batch as served, or how it went wrong. */
  const create = (take_: (isOver: boolean) => unknown): Routed => {
    onMoment("arrived");
    const how = sending(sendings++);
    if (typeof how === "object") return { status: how.status, body: problem(how.message) };
    if (how === "refused") return { status: 429, body: problem("slow down"), headers: { "retry-after": "7" } };
    if (how === "failed") return { status: 500, body: problem("broken") };
    const body = take_(how === "over-limit");
    if (how === "cut") return "cut";
    return how === "lost" ? { status: 500, body: problem("broken") } : { status: 200, body };
  };
  const results = (batch: ServedBatch, show: (line: ServedLine, fate: Fate) => unknown): string => {
    onMoment("results");
    const other = spoilt(readings++);
    if (other !== undefined) return other;
    return shuffled(batch.lines)
      .map((line) => ({ line, fate: fateOf(line) }))
      .filter(({ fate: how }) => how !== "missing")
      .map(({ line, fate: how }) => {
        const text = JSON.stringify(show(line, how));
        return how === "malformed" ? text.slice(0, text.length / 2) : text;
      })
      .join("\n");
  };
  const look = (id: string | undefined): ServedBatch | undefined => {
    const batch = batches.find((one) => one.id === id);
    if (batch !== undefined) batch.looks += 1;
    onMoment("look");
    return batch;
  };

  function served(method: string, path: string, text: string): Routed {
    if (method === "GET" && path.endsWith("/batches")) {
      const other = settings.list?.(listings++);
      if (other !== undefined) return { status: 200, text: other };
    }
    const [, id, rest] = /\/batches\/([^/]+)(\/results)?$/.exec(path) ?? [];
    if (path === "/v1/messages/batches" && method === "POST") {
      const body = JSON.parse(text);
      breaches.push(...messageBatchBreaches(body));
      const lines = body.requests.map((line: Body) => ({ custom_id: line.custom_id, body: line.params }));
      return create((isOver) => messageBatch(take(lines, {}, isOver), false));
    }
    if (path.startsWith("/v1/messages/batches")) {
      if (id === undefined) {
        const data = batches.map((batch) => messageBatch(batch, hasEnded(batch))).reverse();
        for (const batch of batches) batch.looks += 1;
        return { status: 200, body: { data, has_more: false, first_id: data[0]?.id ?? null, last_id: null } };
      }
      const batch = rest === undefined ? look(id) : batches.find((one) => one.id === id);
      if (batch === undefined) return { status: 404, body: problem("no such batch") };
      if (rest === undefined) return { status: 200, body: messageBatch(batch, hasEnded(batch)) };
      return { status: 200, text: results(batch, (line, how) => messageResult(line, how, answer)) };
    }
    if (path === "/v1/files") {
      const [, lines = ""] = /filename="[^"]*"\r\ncontent-type: [^\r]*\r\n\r\n([\s\S]*)\r\n--/i.exec(text) ?? [];
      if (!/name="purpose"\r\n\r\nbatch\r\n/.test(text)) breaches.push("purpose: batch");
      files.set(`file-${files.size}`, lines);
      return { status: 200, body: { id: `file-${files.size - 1}`, object: "file", purpose: "batch" } };
    }
    if (path === "/v1/batches" && method === "POST") {
      const body = JSON.parse(text);
      const lines = (files.get(body.input_file_id) ?? "")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      breaches.push(...openaiBatchBreaches(body, lines));
      return create((isOver) => openaiBatch(take(lines, body.metadata, isOver), false));
    }
    if (path === "/v1/batches") {
      const data = batches.map((batch) => openaiBatch(batch, hasEnded(batch))).reverse();
      return { status: 200, body: { object: "list", data, has_more: false } };
    }
    if (path.startsWith("/v1/batches/")) {
      const batch = look(id);
      if (batch === undefined) return { status: 404, body: problem("no such batch") };
      return { status: 200, body: openaiBatch(batch, hasEnded(batch)) };
    }
    const [, kind, of] = /^\/v1\/files\/(output|errors)-(.+)\/content$/.exec(path) ?? [];
    const batch = batches.find((one) => one.id === of);
    if (batch !== undefined) {
      const isError = (how: Fate): boolean => how !== "succeeded" && how !== "malformed";
      const mine = batch.lines.filter((line) => isError(fateOf(line)) === (kind === "errors"));
      return { status: 200, text: results({ ...batch, lines: mine }, (line, how) => openaiResult(line, how, answer)) };
    }
    if (text === "") return { status: 404, body: problem("no such record") };
    single += 1;
    return { status: 200, body: answer(JSON.parse(text)) };
  }

  const server = await startProviderServer({ route: served });
  return {
    url: server.url,
    ...{ batches, billed, tokens, breaches },
    get single() {
      return single;
    },
    close: () => server.close(),
  };
}

const problem = (message: string) => ({ type: "error", error: { type: "api_error", message } });

/** In an order of its own, the same each time. */
const shuffled = (lines: readonly ServedLine[]): ServedLine[] =>
  [...lines].sort((a, b) => (sha256(a.id) < sha256(b.id) ? -1 : 1));

/** Later than all that a test sends: virtual clocks run ahead. */
const NOW = "2027-06-01T00:00:00Z";

const messageBatch = ({ id, lines }: ServedBatch, ended: boolean) => ({
  id,
  type: "message_batch",
  processing_status: ended ? "ended" : "in_progress",
  request_counts: {
    processing: ended ? 0 : lines.length,
    succeeded: ended ? lines.length : 0,
    errored: 0,
    canceled: 0,
    expired: 0,
  },
  created_at: NOW,
  expires_at: NOW,
  ended_at: ended ? NOW : null,
  archived_at: null,
  cancel_initiated_at: null,
  results_url: ended ? `https://elsewhere.invalid/${id}/results` : null,
});

const openaiBatch = ({ id, metadata, lines, isOver }: ServedBatch, ended: boolean) => ({
  ...{ id, object: "batch", endpoint: "/v1/chat/completions", completion_window: "24h", metadata },
  status: isOver ? "failed" : ended ? "completed" : "in_progress",
  created_at: Date.parse(NOW) / 1000,
  errors: isOver
    ? { object: "list", data: [{ code: "token_limit_exceeded", message: "Enqueued token limit reached", line: null }] }
    : null,
  output_file_id: ended && !isOver ? `output-${id}` : null,
  error_file_id: ended && !isOver ? `errors-${id}` : null,
  request_counts: { total: lines.length, completed: 0, failed: 0 },
});

function messageResult({ id, body }: ServedLine, fate: Fate, answer: (body: Body) => unknown) {
  const error = (type: string, message: string) => ({
    type: "errored",
    error: { type: "error", error: { type, message }, request_id: "req_1" },
  });
  if (fate === "expired" || fate === "canceled") return { custom_id: id, result: { type: fate } };
  if (fate === "invalid") return { custom_id: id, result: error("invalid_request_error", "max_tokens: too odd") };
  if (fate === "overloaded") return { custom_id: id, result: error("overloaded_error", "Overloaded") };
  return { custom_id: id, result: { type: "succeeded", message: answer(body) } };
}

function openaiResult({ id, body }: ServedLine, fate: Fate, answer: (body: Body) => unknown) {
  const line = { id: `batch_req_${id}`, custom_id: id, response: null, error: null };
  if (fate === "expired") return { ...line, error: { code: "batch_expired", message: "not in time" } };
  if (fate === "canceled") return { ...line, error: { code: "batch_cancelled", message: "cancelled" } };
  const response = (status_code: number, served: unknown) => ({
    ...line,
    response: { status_code, request_id: "req_1", body: served },
  });
  if (fate === "invalid") return response(400, { error: { message: "max_tokens: too odd", code: null } });
  if (fate === "overloaded") return response(503, { error: { message: "Overloaded", code: null } });
  return response(200, answer(body));
}

const textOf = ({ content }: Body): string => (typeof content === "string" ? content : JSON.stringify(content ?? ""));

const tokensOf = (body: Body): number =>
  Math.ceil((((body.messages ?? body.input) as Body[]).map(textOf).join("") + (body.system ?? "")).length / 4);

/** A rating drawn from the prompt, in the protocol of the body. */
function replyTo(body: Body): unknown {
  const rating = String(Number.parseInt(sha256(JSON.stringify(body.messages)).slice(0, 6), 16) % 6);
  const said = rating === "0" ? "I cannot tell." : rating;
  const sent = tokensOf(body);
  const wire = String(body.model).startsWith("claude") ? "messages" : "chat";
  return replyBody(wire, { model: body.model, text: said, usage: { in: sent, out: 1 } });
}
