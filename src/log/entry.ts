import { crc32 } from "node:zlib";
import { contentId } from "../text/content-id.js";
import type { Json, ModelRequest, RowLine } from "../types/index.js";

/** Content id (SHA-256, hex) of a whole request, text, search or question to a program. */
export type Key = string;

/** Who gave an answer: a model (`reply`), an encoder (`vector`), a search service, a program. */
type AnswerKind = "reply" | "vector" | "search" | "program";

/** Whether a try that brought no answer was billed. */
export type Billed = "none" | "yes" | "unknown";

/** An answer from outside. */
export interface Answer {
  readonly t: "answer";
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
  readonly t: "failure";
  readonly key: Key;
  readonly billed: Billed;
  readonly error: string;
  readonly final?: true;
  /** Of a program: the calls that it had made, those that were answered and those that were not. */
  readonly asked?: readonly Key[];
  readonly unanswered?: readonly Key[];
}

/** One line of a log. `seq`: its number in the database of workers, where it came from there. */
export type Entry = EntryContent & { readonly seq?: number };

type EntryContent =
  /** The manifest of the run, without what was learned later. The last one counts. It is written again where it changed, and to cancel `end`. */
  | { readonly t: "plan"; readonly plan: Json }
  /** Stands in the file before the request is sent. `upToUsd`: the most it may cost. `batch`: it is sent in a batch. */
  | { readonly t: "try"; readonly key: Key; readonly upToUsd?: number; readonly batch?: true }
  | Answer
  | Failure
  /** Written before a batch is sent: `id` is our own name of it, `at` in milliseconds since the epoch, `keys` those of its requests. */
  | {
      readonly t: "batch";
      readonly id: string;
      readonly model: string;
      readonly at: number;
      readonly keys: readonly Key[];
    }
  /** Written when the provider has taken it, with its name for the batch; or when it has refused it. */
  | { readonly t: "batch"; readonly id: string; readonly providerId: string }
  | { readonly t: "batch"; readonly id: string; readonly state: "dropped" }
  /** Something else that was learned, such as a server's limits. The last of a name counts. */
  | { readonly t: "fact"; readonly name: string; readonly value: Json }
  /** Only in packs: a row as it was when the run finished. */
  | { readonly t: "row"; readonly row: RowLine }
  /** The run has finished: SHA-256 of its rows, version of the program. Holds while it is the last line. */
  | { readonly t: "end"; readonly rows: string; readonly by: string };

/**
 * Returns the key of a request to a model: the model's id and every field of the request (also the sample number) but `opening`, which
 * changes no reply.
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
  if (request.opening === undefined) return request;
  const { opening: _, ...plain } = request;
  return plain;
}

/** Place of a line in its file, in bytes, without the line break. */
export interface Span {
  readonly at: number;
  readonly length: number;
}

/** An entry as the state of a log needs it: an answer without its value and its request, which are long. */
export type EntryHead = Exclude<Entry, Answer> | Omit<Answer, "value" | "request">;

/** Returns the line of an entry: JSON whose last member, `#`, is the CRC-32 (hex) of the bytes before it. An answer's value and request come last, so that `headOf` can stop before them. */
export function lineOf(entry: Entry): Buffer {
  const body = JSON.stringify(entry.t === "answer" ? valueLast(entry) : entry).slice(0, -1);
  return Buffer.from(`${body},"#":"${crc32(body).toString(16)}"}\n`);
}

const valueLast = ({ value, request, ...head }: Answer) => ({
  ...head,
  value,
  ...(request === undefined ? {} : { request }),
});

/** Returns the entry of a line without its break; undefined where the line is not as it was written. */
export function entryOf(line: Buffer): Entry | undefined {
  const body = bodyOf(line);
  return body && parsed<Entry>(body.toString("utf8"));
}

/** Returns the entry of a line without the value and the request of an answer; undefined where the line is not as it was written. */
export function headOf(line: Buffer): EntryHead | undefined {
  const body = bodyOf(line);
  if (body === undefined) return undefined;
  const start = body.toString("latin1", 0, LONGEST_HEAD);
  const end = start.startsWith(ANSWER) ? start.indexOf(VALUE) : -1;
  return parsed<EntryHead>(end === -1 ? body.toString("utf8") : body.toString("utf8", 0, end));
}

/** Parses JSON whose closing brace was cut off with the checksum. Undefined where it is none: a pack comes from others. */
function parsed<T extends EntryHead>(body: string): T | undefined {
  try {
    return JSON.parse(`${body}}`) as T;
  } catch {
    return undefined;
  }
}

const ANSWER = '{"t":"answer",';
const VALUE = ',"value":';
/** Bytes in which the head of an answer ends, unless the run that it was copied from has a very long name. */
const LONGEST_HEAD = 512;

/** Returns the bytes before the checksum; undefined where it does not fit them. */
function bodyOf(line: Buffer): Buffer | undefined {
  const tail = CHECK.exec(line.toString("latin1", Math.max(0, line.length - LONGEST_CHECK)));
  if (tail === null) return undefined;
  const body = line.subarray(0, line.length - tail[0].length);
  return crc32(body).toString(16) === tail[1] ? body : undefined;
}

const CHECK = /,"#":"([0-9a-f]{1,8})"\}$/;
/** Bytes of the longest checksum. */
const LONGEST_CHECK = 17;

/** Fills a buffer from a place in a file. Returns how many bytes there were. */
export type Reader = (into: Buffer, at: number) => number;

interface FileLine extends Span {
  /** Valid until the next line is read. */
  readonly text: Buffer;
  /** False for bytes behind the last line break: the process was killed while it wrote them. */
  readonly isWhole: boolean;
}

/** Reads the lines of a file in chunks. */
export function* linesOf(read: Reader): Generator<FileLine> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  /** Place of the buffer in the file. */
  let at = 0;
  /** Bytes at the start of the buffer that belong to a line whose end is not read yet. */
  let pending = 0;
  for (;;) {
    const count = read(buffer.subarray(pending), at + pending);
    if (count === 0) break;
    const bytes = buffer.subarray(0, pending + count);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE, pending); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      yield { text: bytes.subarray(start, end), at: at + start, length: end - start, isWhole: true };
      start = end + 1;
    }
    bytes.copyWithin(0, start);
    at += start;
    pending = bytes.length - start;
    if (pending === buffer.length) buffer = Buffer.concat([buffer], 2 * pending);
  }
  if (pending > 0) yield { text: buffer.subarray(0, pending), at, length: pending, isWhole: false };
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;
