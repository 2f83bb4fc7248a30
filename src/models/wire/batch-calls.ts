import { ModelError } from "../../errors.js";
import { withDeadline } from "../../net/deadline.js";
import { jsonIn } from "../../text/json.js";
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
/** For transfers of hundreds of megabytes. */
const LONG_MS = 900_000;

export function batchCalls(client: OpenClient, model: ModelAccess): BatchCalls {
  const access: ModelAccess = { ...model, pagesMayPass: true, billsRepliesOnly: false }; // a 5xx to a creation may hide a batch that was taken
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
      within(SHORT_MS, given, (sdk, signal) => sdk.get(path, { signal, ...(query && { query }) })),
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

/**
 * Returns all batches of the account. `cursor`: the query field that names the last one seen. Throws ModelError, to be asked again, where a
 * page is not of the providers' form (`data`: a list of objects with an id; `has_more`): a login page is no empty list.
 */
export async function* batchesAt(
  calls: BatchCalls,
  { path, cursor, access }: { path: string; cursor: "after" | "after_id"; access: ModelAccess },
  signal: AbortSignal,
): AsyncGenerator<Readonly<Record<string, unknown>> & { readonly id: string }> {
  let last: string | undefined;
  for (;;) {
    const page = await calls.get(path, signal, { limit: PAGE, ...(last && { [cursor]: last }) });
    const { data, has_more: hasMore } = fieldsOf(page);
    const batches = Array.isArray(data) ? data.map(fieldsOf).filter(hasId) : [];
    const isList = Array.isArray(data) && batches.length === data.length && typeof hasMore === "boolean";
    const next = batches.at(-1)?.id;
    if (!isList || (hasMore && (next === undefined || next === last)))
      throw malformed(access, "expected a list of batches", page);
    yield* batches;
    if (!hasMore) return;
    last = next;
  }
}

const hasId = (batch: Readonly<Record<string, unknown>>): batch is { readonly id: string } =>
  typeof batch.id === "string" && batch.id !== "";

/** Returns the id in the answer to a creation. Throws ModelError if there is none. */
export function idIn(made: unknown, what: "batch" | "file", access: ModelAccess): string {
  const { id } = fieldsOf(made);
  if (typeof id === "string" && id !== "") return id;
  throw malformed(access, `id: expected the name of a ${what}`, made);
}

/** Returns the error of a line that the provider returned without a reply: not billed, and sent again. */
export const unansweredLine = ({ model }: ModelAccess, how: "expired" | "canceled"): ModelError =>
  new ModelError(`${model}: its batch ${how === "expired" ? "expired" : "was canceled"} before it was answered`, {
    retryable: true,
    bill: "none",
  });

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
