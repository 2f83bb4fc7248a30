import { ModelError } from "../../errors.js";
import { withDeadline } from "../../net/deadline.js";
import type { WaveFacts } from "../../types/index.js";
import { failure, malformed, type Speaker } from "../failure.js";
import { fieldsOf } from "../read-reply.js";
import { sdkFailure } from "../sdk-failure.js";

/** The part of the SDKs' clients (openai, @anthropic-ai/sdk) that batches use: plain requests. */
interface BareClient {
  get(path: string, options: RequestOptions): Answer;
  post(path: string, options: RequestOptions & { readonly body: string }): Answer;
}

/** Requests of batches, whose failures are ModelErrors. */
export interface BatchCalls {
  json(verb: "get" | "post", path: string, request: CallOptions): Promise<unknown>;
  text(path: string, request: Pick<CallOptions, "signal">): Promise<string>;
}

interface CallOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string | number>>;
  /** What is sent, and what it is. */
  readonly body?: string;
  readonly type?: string;
}

/** `client` gives the SDK's client, which is loaded when something is sent. */
export function batchCalls(client: () => Promise<BareClient>, model: Speaker): BatchCalls {
  const speaker = { ...model, address: "" }; // a 5xx to a creation may hide a batch that was taken: nowhere is it known to be unbilled
  const within = <T>(signal: AbortSignal, ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    withDeadline(
      (limit) =>
        call(limit).catch((thrown: unknown) => {
          throw sdkFailure(speaker, thrown, limit);
        }),
      signal,
      { ms, error: () => failure(speaker, { text: `no complete reply within ${ms / 1000} s` }) },
    );
  return {
    json: (verb, path, { signal, query, body, type = "application/json" }) =>
      within(signal, body === undefined ? SHORT_MS : LONG_MS, async (limit) => {
        const sdk = await client();
        const options = { signal: limit, ...(query === undefined ? {} : { query }) };
        if (verb === "get") return sdk.get(path, options);
        return sdk.post(path, { ...options, body: body ?? "", headers: { "content-type": type } });
      }),
    text: (path, { signal }) =>
      within(signal, LONG_MS, async (limit) => {
        const sdk = await client();
        const response = await sdk.get(path, { signal: limit, headers: { accept: "*/*" } }).asResponse();
        return response.text();
      }),
  };
}

interface RequestOptions {
  readonly signal: AbortSignal;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly headers?: Readonly<Record<string, string>>;
}

type Answer = Promise<unknown> & { asResponse(): Promise<Response> };

const SHORT_MS = 120_000;
/** For what may be hundreds of megabytes. */
const LONG_MS = 900_000;

/** Most batches of a page, on both wires. */
const PAGE = 100;

/** All batches of the account. `cursor`: the field that names the last one seen. */
export async function* newestFirst(
  calls: BatchCalls,
  path: string,
  cursor: "after" | "after_id",
  signal: AbortSignal,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let after: string | undefined;
  for (;;) {
    const query = { limit: PAGE, ...(after === undefined ? {} : { [cursor]: after }) };
    const { data, has_more } = fieldsOf(await calls.json("get", path, { signal, query }));
    if (!Array.isArray(data)) return;
    yield* data.map(fieldsOf);
    const last = fieldsOf(data.at(-1)).id;
    if (has_more !== true || typeof last !== "string" || last === after) return;
    after = last;
  }
}

/** The id of what was made. Throws ModelError where there is none. */
export function idIn(made: unknown, what: "batch" | "file", speaker: Speaker): string {
  const { id } = fieldsOf(made);
  if (typeof id === "string" && id !== "") return id;
  throw malformed(speaker, `id: expected the name of a ${what}`, made);
}

/** A line that the provider gave back unanswered: unbilled, and worth another wave. */
export const lostLine = (speaker: Speaker, how: "expired" | "canceled"): ModelError =>
  new ModelError(
    `${speaker.model}: its batch ${how === "expired" ? "expired" : "was canceled"} before it was answered`,
    {
      retryable: true,
      bill: "none",
    },
  );

/** Whether a batch may hold a wave, by the time it was made. The clocks of two machines differ. */
export const createdAfter = (createdMs: number, { sinceMs }: WaveFacts): boolean =>
  Number.isNaN(createdMs) || createdMs >= sinceMs - CLOCKS_DIFFER_MS;

const CLOCKS_DIFFER_MS = 15 * 60_000;

/** The objects of a JSON Lines text by their `custom_id`, the first of equal ones. What cannot be read, or names none, is left out. */
export function linesById(text: string): Map<string, Readonly<Record<string, unknown>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const line of text.split("\n")) {
    const fields = fieldsOf(parsed(line));
    const id = fields.custom_id;
    if (typeof id === "string" && !found.has(id)) found.set(id, fields);
  }
  return found;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // its request is asked again
  }
}
