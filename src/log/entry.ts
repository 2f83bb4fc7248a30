import { contentId } from "../text/content-id.js";
import type { Json, ModelRequest, RowLine } from "../types/index.js";

/** Content id (SHA-256, hex) of a whole request, text, search or question to a program. */
export type Key = string;

/** What an answer is of: a model, an encoder, a search outside, a program. */
type AnswerKind = "reply" | "vector" | "search" | "answer";

/** Whether a try that brought no answer was billed. */
export type Billed = "none" | "yes" | "unknown";

/** An answer from outside. */
export interface Got {
  readonly t: "got";
  readonly key: Key;
  readonly kind: AnswerKind;
  readonly value: Json;
  /** Of a reply. Absent in packs without requests. */
  readonly request?: ModelRequest;
  /** US dollars billed; absent where no price is known. */
  readonly usd?: number;
  /** Milliseconds from the request to the answer. */
  readonly ms?: number;
  /** The run that it was copied from (`--reuse`): it costs this run nothing. */
  readonly from?: string;
}

/** A call that failed. `final`: after all its tries. */
export interface Failure {
  readonly t: "no";
  readonly key: Key;
  readonly billed: Billed;
  readonly error: string;
  readonly final?: true;
  /** Of a program: the calls that it had made, those that were answered and those that were not. */
  readonly asked?: readonly Key[];
  readonly unanswered?: readonly Key[];
}

/** One line of a log: something that came from outside, or is about to go out. `seq`: its number in the database of workers. */
export type Entry = Line & { readonly seq?: number };

type Line =
  /** The first line. Written again where its description, never its identity, has changed. */
  | { readonly t: "plan"; readonly plan: Json }
  /** Complete in the file before the request leaves. `upToUsd`: the most it may cost. `wave`: it goes in a batch. */
  | { readonly t: "try"; readonly key: Key; readonly upToUsd?: number; readonly batch?: true }
  | Got
  | Failure
  /** Before a batch is sent: the keys of its requests; `at` in milliseconds since the epoch. */
  | {
      readonly t: "wave";
      readonly id: string;
      readonly model: string;
      readonly at: number;
      readonly keys: readonly Key[];
    }
  /** What became of it: the provider's id; or the provider never took it. */
  | { readonly t: "wave"; readonly id: string; readonly batch: string }
  | { readonly t: "wave"; readonly id: string; readonly state: "dropped" }
  /** Something learned that is no answer, such as a server's limits. The last of a name counts. */
  | { readonly t: "fact"; readonly name: string; readonly value: Json }
  /** Only in packs: a row as it was when the run finished. */
  | { readonly t: "row"; readonly row: RowLine }
  /** The run has finished: SHA-256 of its rows, version of the program. Holds while it is the last line. */
  | { readonly t: "end"; readonly rows: string; readonly by: string };

/**
 * Returns the key of a request to a model: every field counts, the sample number and the model's id included; not how many samples are
 * wanted in all, nor what others begin with, which change no reply.
 */
export function requestKey(modelId: string, request: ModelRequest): Key {
  const known = keys.get(request);
  if (known?.modelId === modelId) return known.key;
  const key = contentId({ model: modelId, request: asStored(request) });
  keys.set(request, { modelId, key });
  return key;
}

/** Requests never change, so a key is computed once per request object. */
const keys = new WeakMap<ModelRequest, { readonly modelId: string; readonly key: Key }>();

export function asStored(request: ModelRequest): ModelRequest {
  if (request.samples === undefined && request.opening === undefined) return request;
  const { samples: _, opening: __, ...plain } = request;
  return plain;
}
