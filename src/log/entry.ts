import { crc32 } from "node:zlib";
import { contentId } from "../text/content-id.js";
import { isObject, jsonIn } from "../text/json.js";
import type { Json, ModelRequest, PhaseAt, RowLine } from "../types/index.js";

/** SHA-256 (hex) of the content of a call: a whole request, a text to embed, a search query, or a question to a program. */
export type Key = string;

/** Source of an answer: a model (`reply`), an encoder (`vector`), Wikipedia (`search`), or an `exec:` program. */
type AnswerKind = "reply" | "vector" | "search" | "program";

/** Whether the provider billed a try that brought no answer. */
export type Billed = "none" | "yes" | "unknown";

/** The successful result of a call. */
export interface Answer {
  readonly t: "answer";
  readonly key: Key;
  readonly kind: AnswerKind;
  readonly value: Json;
  /** The request to a model. Absent for other kinds, and in packs without requests. */
  readonly request?: ModelRequest;
  /** US dollars billed; absent if no price is known. */
  readonly usd?: number;
  /** Milliseconds from the request to the answer. */
  readonly ms?: number;
  /** Name of the run that the answer was copied from (`--reuse`). It cost this run nothing. */
  readonly from?: string;
  /** Set if a program has taken in a user again, with other calls: this answer counts, not the earlier one. */
  readonly replaces?: true;
}

/** The calls that a program made of the run's models for one answer. */
export interface ProgramCalls {
  /** Key and phase of each call that was answered, as often as it was made. */
  readonly answered: readonly (readonly [Key, PhaseAt])[];
  /** Keys of the calls that failed. Absent: none. */
  readonly unanswered?: readonly Key[];
  /** Incidents by name. Absent: none. */
  readonly incidents?: Readonly<Record<string, number>>;
  /** Absent: it may have called models that the run does not see. */
  readonly allCounted?: true;
}

/** A failed try of a call. For a question to a program: with the calls that it had made. */
export interface Failure extends Partial<ProgramCalls> {
  readonly t: "failure";
  readonly key: Key;
  readonly billed: Billed;
  readonly error: string;
  /** Set after the last try: the call has failed. */
  readonly final?: true;
}

/** Written before a request is sent. */
interface Try {
  readonly t: "try";
  readonly key: Key;
  /** US dollars that the request may cost at most. */
  readonly upToUsd?: number;
  /** Set if the request is sent in a provider batch. */
  readonly batch?: true;
}

/** Written before a provider batch is sent. */
interface BatchCreated {
  readonly t: "batch";
  /** Name of the batch in this log. */
  readonly id: string;
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Keys of the requests in the batch. */
  readonly keys: readonly Key[];
}

/** Written when the provider has accepted a batch. */
interface BatchAccepted {
  readonly t: "batch";
  readonly id: string;
  /** The provider's name of the batch. */
  readonly providerId: string;
}

/** Written when the provider has rejected a batch. */
interface BatchDropped {
  readonly t: "batch";
  readonly id: string;
  readonly state: "dropped";
}

export type BatchEntry = BatchCreated | BatchAccepted | BatchDropped;

/** The manifest without facts. The last one in the file is valid. */
interface ManifestEntry {
  readonly t: "plan";
  readonly plan: Json;
}

/** Something learned during the run, for example a server's limits. The last value of a name is valid. */
interface Fact {
  readonly t: "fact";
  readonly name: string;
  readonly value: Json;
}

/** A row of a finished run. Only packs have these. */
interface RowEntry {
  readonly t: "row";
  readonly row: RowLine;
}

/** The run has finished. Valid only as the last line: any later entry cancels it. */
export interface EndEntry {
  readonly t: "end";
  /** Number of corrupt lines that the run went on after, if any: more of them cancel the end. */
  readonly corruptLines?: number;
  /** SHA-256 of the rows file. */
  readonly rows: string;
  /** Version of lamp-eval. */
  readonly by: string;
}

/** One line of a log. `seq`: number of the entry in the workers' database; absent if it was written by this process. */
export type Entry = (ManifestEntry | Try | Answer | Failure | BatchEntry | Fact | RowEntry | EndEntry) & {
  readonly seq?: number;
};

/** Returns the key of a request to a model: of the model's id and all fields of the request but `opening` and `usualTokens`. */
export function requestKey(modelId: string, request: ModelRequest): Key {
  const cached = requestKeys.get(request);
  if (cached?.modelId === modelId) return cached.key;
  const key = contentId({ model: modelId, request: asStored(request) });
  requestKeys.set(request, { modelId, key });
  return key;
}

/** Keys by request object, which is never changed. */
const requestKeys = new WeakMap<ModelRequest, { readonly modelId: string; readonly key: Key }>();

/** Returns the request without `opening` and `usualTokens`, which do not change the reply. */
export function asStored(request: ModelRequest): ModelRequest {
  if (request.opening === undefined && request.usualTokens === undefined) return request;
  const { opening: _, usualTokens: __, ...stored } = request;
  return stored;
}

/** Position of a line in its file, in bytes, without the line break. */
export interface Span {
  readonly at: number;
  readonly length: number;
}

/** An entry, for an answer without its long members. */
export type EntryHead = Exclude<Entry, Answer> | Omit<Answer, "value" | "request">;

/**
 * Returns an entry as a line: JSON whose last member `#` is the CRC-32 (hex) of the bytes before it. The members `value` and `request`
 * of an answer stand behind all others, so that `headOf` can parse a line up to them.
 */
export function lineOf(entry: Entry): Buffer {
  const body = JSON.stringify(entry.t === "answer" ? withLongMembersLast(entry) : entry).slice(0, -1);
  return Buffer.from(`${body},"#":"${crc32(body).toString(16)}"}\n`);
}

/** JSON leaves out a `request` that is undefined. */
const withLongMembersLast = ({ value, request, ...head }: Answer) => ({ ...head, value, request });

/** Parses a line without its line break. Returns undefined if its checksum does not match. */
export function entryOf(line: Buffer): Entry | undefined {
  const body = checkedBody(line);
  return body && parsed<Entry>(body.toString("utf8"));
}

/** Parses a line as `entryOf`, without the value and request of an answer. */
export function headOf(line: Buffer): EntryHead | undefined {
  const body = checkedBody(line);
  if (body === undefined) return undefined;
  const start = body.toString("latin1", 0, MAX_HEAD_BYTES);
  const headBytes = start.startsWith(ANSWER_START) ? start.indexOf(VALUE_START) : -1;
  return parsed<EntryHead>(headBytes === -1 ? body.toString("utf8") : body.toString("utf8", 0, headBytes));
}

/** Parses JSON whose closing brace is cut off. Returns undefined on what is no entry, which a pack of others may hold. */
function parsed<T extends EntryHead>(body: string): T | undefined {
  const value = jsonIn(`${body}}`);
  return isEntry(value) ? (value as T) : undefined;
}

/** Tells whether a value has the form of an entry: each member that is read without its value being looked at. */
export function isEntry(value: unknown): value is EntryHead {
  if (!isObject(value)) return false;
  const { t, key, usd, ms, upToUsd, seq } = value;
  const hasAmounts = [usd, ms, upToUsd, seq].every(
    (one) => one === undefined || (Number.isFinite(one) && Number(one) >= 0),
  );
  return hasAmounts && (key === undefined || isKey(key)) && typeof t === "string" && (FORMS[t]?.(value) ?? false);
}

const isText = (value: unknown): boolean => typeof value === "string";
const isKey = (value: unknown): boolean => typeof value === "string" && value.length <= KEY_LENGTH;
/** SHA-256 in hex. */
const KEY_LENGTH = 64;

/** What an entry of a kind holds at least. */
const FORMS: Readonly<Record<string, (entry: Readonly<Record<string, unknown>>) => boolean>> = {
  __proto__: null as never, // a kind may be called as a member of any object
  plan: ({ plan }) => isObject(plan),
  fact: ({ name, value }) => isText(name) && value !== undefined,
  row: ({ row }) => isObject(row),
  end: ({ rows, by }) => isText(rows) && isText(by),
  try: ({ key }) => isText(key),
  answer: ({ key, kind }) => isText(key) && isText(kind),
  failure: ({ key, billed, error }) => isText(key) && isText(billed) && isText(error),
  batch: ({ id, model, keys, providerId, state }) =>
    isText(id) &&
    (Array.isArray(keys) ? isText(model) && keys.every(isKey) : isText(providerId) || state === "dropped"),
};

const ANSWER_START = '{"t":"answer",';
const VALUE_START = ',"value":';
/** Enough for all members before `value`, unless `from` is very long: then the whole line is parsed. */
const MAX_HEAD_BYTES = 512;

/** Returns the bytes before the checksum; undefined if the checksum does not match them. */
function checkedBody(line: Buffer): Buffer | undefined {
  const tail = CHECKSUM.exec(line.toString("latin1", Math.max(0, line.length - MAX_CHECKSUM_BYTES)));
  if (tail === null) return undefined;
  const body = line.subarray(0, line.length - tail[0].length);
  return crc32(body).toString(16) === tail[1] ? body : undefined;
}

const CHECKSUM = /,"#":"([0-9a-f]{1,8})"\}$/;
const MAX_CHECKSUM_BYTES = 17;

/** Reads bytes from a position of a file into a buffer. Returns their number. */
export type Reader = (into: Buffer, at: number) => number;

interface FileLine extends Span {
  /** Valid until the next line is read. */
  readonly text: Buffer;
  /** False for bytes after the last line break: the process was killed during the write. */
  readonly isWhole: boolean;
}

/** Yields the lines of a file, read in chunks. */
export function* linesOf(read: Reader): Generator<FileLine> {
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  /** Position of the buffer in the file. */
  let bufferAt = 0;
  /** Bytes of an incomplete line at the start of the buffer. */
  let incomplete = 0;
  for (;;) {
    const count = read(buffer.subarray(incomplete), bufferAt + incomplete);
    if (count === 0) break;
    const bytes = buffer.subarray(0, incomplete + count);
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE, incomplete); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      yield { text: bytes.subarray(start, end), at: bufferAt + start, length: end - start, isWhole: true };
      start = end + 1;
    }
    bytes.copyWithin(0, start);
    bufferAt += start;
    incomplete = bytes.length - start;
    if (incomplete === buffer.length) buffer = Buffer.concat([buffer], 2 * incomplete);
  }
  if (incomplete > 0) yield { text: buffer.subarray(0, incomplete), at: bufferAt, length: incomplete, isWhole: false };
}

const NEWLINE = 0x0a;
const CHUNK_BYTES = 1 << 20;
