import { withDeadline } from "../../retry/deadline.js";
import { failure, type Speaker } from "../failure.js";
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
