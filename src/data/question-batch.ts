import { isAscii, isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { UsageError } from "../errors.js";
import type { RawItem, RawQuery, Task } from "../types.js";
import { parseRecord, type RecordPlace } from "./json-split.js";
import { MOST_GROWTH, PastCopier } from "./past-copier.js";
import { readList, readNeeded, readObject, readProfile, readQuery, readScalar, recordReader } from "./record.js";

/** A question as it stands in an official file, without what the outputs file says of it. */
export interface OfficialQuestion {
  /** File and record number. */
  readonly where: string;
  readonly user: string;
  /** The question for messages: `user 7, question 12`. */
  readonly what: string;
  readonly query: RawQuery;
  /** The gold, where it stands in the record itself. */
  readonly output: string | undefined;
  /** Oldest first. */
  readonly profile: readonly RawItem[];
}

/** The part of a task that reading needs: plain data, which can be handed to another thread. */
export type ReadTask = Pick<Task, "name" | "fields">;

/** Reads one record of `{part}_questions.json`. Throws UsageError naming file, record, field and fix. */
export function readQuestion(value: unknown, file: string, number: number, task: ReadTask): OfficialQuestion {
  const reader = recordReader(file, number);
  const fields = readObject(value, "question", reader);
  const id = readNeeded(fields, "id", "question", reader);
  const owner = readScalar(fields, "user_id", `question ${id}`, reader);
  const what = owner === undefined ? `question ${id}` : `user ${owner}, question ${id}`;
  const output = readScalar(fields, "output", what, reader);
  const profile = readProfile(readList(fields, "profile", what, reader), task, what, reader);
  const query = readQuery(fields, undefined, task, what, reader);
  return { where: reader.where, user: owner ?? id, what, query, output, profile };
}

/** The question with its gold and the past that came with it. */
export function withGold({ query, profile }: OfficialQuestion, gold: string | undefined): RawQuery {
  const { id, input, date } = query;
  return { id, input, ...(gold === undefined ? {} : { gold }), ...(date === undefined ? {} : { date }), profile };
}

/** Where a record stands in its file. */
export interface BatchRecord {
  /** 1-based. */
  readonly number: number;
  readonly offset: number;
  readonly length: number;
  /** Its past, from the record's first byte on; both 0: not known. */
  readonly pastStart: number;
  readonly pastEnd: number;
}

/** Records of one file that stand behind each other: one at least. */
export interface Batch {
  readonly file: string;
  readonly records: readonly BatchRecord[];
}

/** A read record. Its past as JSON text is `length` bytes of the batch's pasts, from `start` on. */
interface ReadRecord extends Omit<OfficialQuestion, "profile"> {
  readonly start: number;
  readonly length: number;
}

export interface ReadBatch {
  readonly records: readonly ReadRecord[];
  /** The pasts as JSON text, end to end. */
  readonly pasts: Uint8Array;
  /** What is wrong with the record behind the last one that was read. */
  readonly problem?: string;
}

/** Reads batches of one task, from files that it keeps open until `close`. */
export class BatchReader {
  readonly #task: ReadTask;
  readonly #copier: PastCopier;
  readonly #files = new Map<string, number>();
  #bytes: Buffer = Buffer.alloc(0);

  constructor(task: ReadTask) {
    this.#task = task;
    this.#copier = new PastCopier(task.fields);
  }

  /** Reads the records of a batch, up to the first that is not right. `room`: memory that the pasts may be written to. */
  read({ file, records }: Batch, room?: ArrayBuffer): ReadBatch {
    const read: ReadRecord[] = [];
    const { bytes, base } = this.#read(file, records);
    const pasts = textBuffer(MOST_GROWTH * bytes.length, room);
    try {
      for (const { number, offset, length, ...past } of records) {
        const from = offset - base;
        if (from + length > bytes.length) throw new UsageError(`${file}: ends before record ${number + 1}; try again`);
        const start = pasts.length();
        const question = this.#record(bytes.subarray(from, from + length), { file, number, offset }, past, pasts);
        read.push({ ...question, start, length: pasts.length() - start });
      }
      return { records: read, pasts: pasts.bytes() };
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      return { records: read, pasts: pasts.bytes(), problem: error.message };
    }
  }

  close(): void {
    for (const file of this.#files.values()) closeSync(file);
    this.#files.clear();
  }

  #record(
    bytes: Buffer,
    place: Omit<RecordPlace, "nested">,
    { pastStart, pastEnd }: Pick<BatchRecord, "pastStart" | "pastEnd">,
    pasts: ReturnType<typeof textBuffer>,
  ): Omit<OfficialQuestion, "profile"> {
    const { file, number } = place;
    const length = pastEnd - pastStart;
    if (length > 0 && (isAscii(bytes) || isUtf8(bytes))) {
      const fields = parsedOr(withoutPast(bytes, pastStart, pastEnd, STAND_IN));
      const isCopied =
        hasStandIn(fields) &&
        pasts.fill((out, at) => this.#copier.copy(bytes, pastStart, pastEnd, out, at), MOST_GROWTH * length);
      if (isCopied) {
        const { profile: _none, ...question } = readQuestion({ ...fields, profile: [] }, file, number, this.#task);
        return question;
      }
    }
    const { profile, ...question } = readQuestion(parseRecord(bytes, place), file, number, this.#task);
    pasts.add(JSON.stringify(profile));
    return question;
  }

  /** The bytes of the file from the first record to the last, fewer where the file ends before. */
  #read(file: string, records: Batch["records"]): { bytes: Buffer; base: number } {
    const base = records[0]!.offset;
    const last = records.at(-1)!;
    const length = last.offset + last.length - base;
    if (this.#bytes.length < length) this.#bytes = Buffer.allocUnsafeSlow(length);
    const handle = this.#files.get(file) ?? openSync(file, "r");
    this.#files.set(file, handle);
    let got = 0;
    for (let more = 1; more > 0 && got < length; got += more)
      more = readSync(handle, this.#bytes, got, length - got, base + got);
    return { bytes: this.#bytes.subarray(0, got), base };
  }
}

/** A question and the size of its past, whose items are counted, not read. */
export function readSize(
  bytes: Buffer,
  place: RecordPlace,
  task: ReadTask,
): OfficialQuestion & { readonly items: number } & Pick<BatchRecord, "pastStart" | "pastEnd"> {
  const past = place.nested.find(({ start }) =>
    PROFILE.test(bytes.toString("latin1", Math.max(0, start - 40), start + 1)),
  );
  const rest = past && withoutPast(bytes, past.start, past.end);
  const question = readQuestion(parseRecord(rest ?? bytes, place), place.file, place.number, task);
  const items = past?.brackets ?? question.profile.length;
  return { ...question, items, pastStart: past?.start ?? 0, pastEnd: past?.end ?? 0 };
}

const PROFILE = /"profile"\s*:\s*\[$/;

const LEAST_ROOM = 2 ** 21;

/** Stands where a past stood: a record that has it as its past has no other one. */
const STAND_IN = randomUUID();

const withoutPast = (bytes: Buffer, start: number, end: number, standIn = ""): Buffer =>
  Buffer.concat([
    bytes.subarray(0, start + 1),
    Buffer.from(standIn && JSON.stringify(standIn)),
    bytes.subarray(end - 1),
  ]);

/** Undefined for what is no JSON. */
function parsedOr(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

const hasStandIn = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null &&
  typeof value === "object" &&
  "profile" in value &&
  Array.isArray(value.profile) &&
  value.profile.length === 1 &&
  value.profile[0] === STAND_IN;

/** Texts as UTF-8, end to end, in memory of their own, which can be handed to another thread. */
function textBuffer(expected: number, room: ArrayBuffer | undefined) {
  // what is not written to costs no memory
  // in few sizes, so that it serves for the next batch too
  const sized = (bytes: number): Uint8Array =>
    new Uint8Array(Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(Math.max(bytes, LEAST_ROOM)))).buffer);
  let whole = room !== undefined && room.byteLength >= expected ? new Uint8Array(room) : sized(expected);
  let used = 0;
  const grow = (most: number): void => {
    if (most <= whole.length) return;
    const wider = sized(2 * most);
    wider.set(whole.subarray(0, used));
    whole = wider;
  };
  return {
    length: () => used,
    bytes: (): Uint8Array => whole.subarray(0, used),
    add(text: string): void {
      grow(used + 3 * text.length);
      used += Buffer.from(whole.buffer).write(text, used);
    },
    /** `write` gets the memory and where to begin, and returns where it ended; -1: nothing is added. */
    fill(write: (out: Uint8Array, at: number) => number, most: number): boolean {
      grow(used + most);
      const end = write(whole, used);
      if (end >= 0) used = end;
      return end >= 0;
    },
  };
}
