import { crc32 } from "node:zlib";
import { contentId } from "../text/content-id.js";
import type { Json, ModelRequest, RowLine } from "../types/index.js";

/** Content id (SHA-256, hex) of a whole request, text, search or question to a program. */
export type Key = string;

/** What an answer is of: a model, an encoder, a search outside, a program. */
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

/** One line of a log: something that came from outside, or is about to go out. `seq`: its number in the database of workers. */
export type Entry = Line & { readonly seq?: number };

type Line =
  /** What the run is; the last one counts. Written again where it changed, and to cancel `end`. */
  | { readonly t: "plan"; readonly plan: Json }
  /** Complete in the file before the request leaves. `upToUsd`: the most it may cost. `batch`: it goes in a batch. */
  | { readonly t: "try"; readonly key: Key; readonly upToUsd?: number; readonly batch?: true }
  | Answer
  | Failure
  /** Before a batch is sent: the keys of its requests; `at` in milliseconds since the epoch. */
  | {
      readonly t: "batch";
      readonly id: string;
      readonly model: string;
      readonly at: number;
      readonly keys: readonly Key[];
    }
  /** What became of it: the provider's id; or the provider never took it. */
  | { readonly t: "batch"; readonly id: string; readonly providerId: string }
  | { readonly t: "batch"; readonly id: string; readonly state: "dropped" }
  /** Something learned that is no answer, such as a server's limits. The last of a name counts. */
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

/** Where an entry's line stands in its file, in bytes, without the line break. */
export interface Span {
  readonly at: number;
  readonly length: number;
}

/** What a log's state needs of an entry: of an answer not what it says. */
export type EntryHead = Exclude<Entry, Answer> | Omit<Answer, "value" | "request">;

/** A line of a log: the entry as JSON whose last member, `#`, is the CRC-32 (hex) of the bytes before it. An answer's value stands behind all that is said of it. */
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

/** The same without what an answer says, which is long. */
export function headOf(line: Buffer): EntryHead | undefined {
  const body = bodyOf(line);
  if (body === undefined) return undefined;
  const start = body.toString("latin1", 0, LONGEST_HEAD);
  const end = start.startsWith(ANSWER) ? start.indexOf(VALUE) : -1;
  return parsed<EntryHead>(end === -1 ? body.toString("utf8") : body.toString("utf8", 0, end));
}

/** The check says that we wrote it, unless somebody made it up: a pack comes from others. */
function parsed<T extends EntryHead>(body: string): T | undefined {
  try {
    return JSON.parse(`${body}}`) as T;
  } catch {
    return undefined;
  }
}

const ANSWER = '{"t":"answer",';
const VALUE = ',"value":';
/** Bytes in which what is said of an answer ends, unless a run has a very long name. */
const LONGEST_HEAD = 512;

/** The bytes before the check; undefined where they are not those that were written. */
function bodyOf(line: Buffer): Buffer | undefined {
  const tail = CHECK.exec(line.toString("latin1", Math.max(0, line.length - LONGEST_CHECK)));
  if (tail === null) return undefined;
  const body = line.subarray(0, line.length - tail[0].length);
  return crc32(body).toString(16) === tail[1] ? body : undefined;
}

const CHECK = /,"#":"([0-9a-f]{1,8})"\}$/;
/** Bytes of the longest check. */
const LONGEST_CHECK = 17;

/** Fills a buffer from a place in a file. Returns how many bytes there were. */
export type Reader = (into: Buffer, at: number) => number;

interface FileLine extends Span {
  /** Holds until the next line is asked for. */
  readonly text: Buffer;
  /** False for what stands behind the last line break. */
  readonly whole: boolean;
}

/** The lines of a file, read in chunks. */
export function* linesOf(read: Reader): Generator<FileLine> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let [at, filled] = [0, 0];
  for (;;) {
    const got = read(buffer.subarray(filled), at + filled);
    if (got === 0) break;
    const bytes = buffer.subarray(0, filled + got);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE, filled); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      yield { text: bytes.subarray(from, end), at: at + from, length: end - from, whole: true };
      from = end + 1;
    }
    bytes.copyWithin(0, from);
    [at, filled] = [at + from, bytes.length - from];
    if (filled === buffer.length) buffer = Buffer.concat([buffer], 2 * filled);
  }
  if (filled > 0) yield { text: buffer.subarray(0, filled), at, length: filled, whole: false };
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;
