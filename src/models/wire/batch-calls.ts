import { ModelError } from "../../errors.js";
import { withDeadline } from "../../net/deadline.js";
import { jsonIn } from "../../text/json.js";
import type { WaveFacts } from "../../types/index.js";
import { failure, type ModelAccess, malformed } from "./failure.js";
import { fieldsOf } from "./reply.js";
import { type OpenClient, type SdkClient, sdkFailure } from "./sdk.js";

type Query = Readonly<Record<string, string | number>>;

/** Requests of batches, whose failures are ModelErrors. */
export interface BatchCalls {
  get(path: string, signal: AbortSignal, query?: Query): Promise<unknown>;
  /** `type`: of the body. Default: JSON. */
  post(path: string, sent: { readonly body: string; readonly type?: string }, signal: AbortSignal): Promise<unknown>;
  text(path: string, signal: AbortSignal): Promise<string>;
}

const SHORT_MS = 120_000;
/** For what may be hundreds of megabytes. */
const LONG_MS = 900_000;

export function batchCalls(client: OpenClient, model: ModelAccess): BatchCalls {
  const access = { ...model, billsRepliesOnly: false }; // a 5xx to a creation may hide a batch that was taken
  const within = <T>(ms: number, signal: AbortSignal, call: (sdk: SdkClient, limit: AbortSignal) => Promise<T>) =>
    withDeadline(
      async (limit) => {
        try {
          return await call(await client(), limit);
        } catch (thrown) {
          throw sdkFailure(access, thrown, limit);
        }
      },
      signal,
      { ms, error: () => failure(access, { text: `no complete reply within ${ms / 1000} s` }) },
    );
  return {
    get: (path, given, query) =>
      within(SHORT_MS, given, (sdk, signal) => sdk.get(path, { signal, ...(query === undefined ? {} : { query }) })),
    post: (path, { body, type = "application/json" }, given) =>
      within(LONG_MS, given, (sdk, signal) => sdk.post(path, { signal, body, headers: { "content-type": type } })),
    text: (path, given) =>
      within(LONG_MS, given, async (sdk, signal) => {
        const response = await sdk.get(path, { signal, headers: { accept: "*/*" } }).asResponse();
        return response.text();
      }),
  };
}

/** Most batches of a page, on both wires. */
const PAGE = 100;

/** Returns all batches of the account. `cursor`: the field that names the last one seen. */
export async function* newestFirst(
  calls: BatchCalls,
  path: string,
  cursor: "after" | "after_id",
  signal: AbortSignal,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let after: string | undefined;
  for (;;) {
    const query = { limit: PAGE, ...(after === undefined ? {} : { [cursor]: after }) };
    const { data, has_more: hasMore } = fieldsOf(await calls.get(path, signal, query));
    if (!Array.isArray(data)) return;
    yield* data.map(fieldsOf);
    const last = fieldsOf(data.at(-1)).id;
    if (hasMore !== true || typeof last !== "string" || last === after) return;
    after = last;
  }
}

/** Returns the id of what was made. Throws ModelError where there is none. */
export function idIn(made: unknown, what: "batch" | "file", access: ModelAccess): string {
  const { id } = fieldsOf(made);
  if (typeof id === "string" && id !== "") return id;
  throw malformed(access, `id: expected the name of a ${what}`, made);
}

/** Makes the failure of a line that the provider gave back unanswered: unbilled, and worth another wave. */
export const lostLine = ({ model }: ModelAccess, how: "expired" | "canceled"): ModelError =>
  new ModelError(`${model}: its batch ${how === "expired" ? "expired" : "was canceled"} before it was answered`, {
    retryable: true,
    bill: "none",
  });

/** Tells whether a batch may hold a wave, by the time it was made. The clocks of two machines differ. */
export const createdAfter = (createdMs: number, { sinceMs }: WaveFacts): boolean =>
  Number.isNaN(createdMs) || createdMs >= sinceMs - CLOCKS_DIFFER_MS;

const CLOCKS_DIFFER_MS = 15 * 60_000;

/**
 * Returns the objects of a JSON Lines text by their `custom_id`, the first of equal ones. A line that cannot be read, or names none, is
 * left out. Throws ModelError, to be read again, where that is every line: the text is no result.
 */
export function linesById(access: ModelAccess, text: string): Map<string, Readonly<Record<string, unknown>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const line of text.split("\n")) {
    const fields = fieldsOf(jsonIn(line)); // one that cannot be read is missed by its request
    const id = fields.custom_id;
    if (typeof id === "string" && !found.has(id)) found.set(id, fields);
  }
  if (found.size === 0 && text.trim() !== "") throw malformed(access, "the results of a batch: no line of it", text);
  return found;
}
