import { UsageError } from "../errors.js";
import type { RawItem, RawQuery, Task } from "../types.js";
import { parseRecord, type RecordPlace } from "./json-split.js";
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

/** Records of one file and what stands between them, from the first one on. */
export interface Batch {
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly records: readonly { readonly number: number; readonly offset: number; readonly length: number }[];
}

/** A read record. Its past as JSON text is `length` bytes of the batch's pasts, from `start` on. */
export interface ReadRecord extends Omit<OfficialQuestion, "profile"> {
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

/** Reads the records of a batch, up to the first that is not right. */
export function readBatch({ file, bytes, records }: Batch, task: ReadTask): ReadBatch {
  const read: ReadRecord[] = [];
  const pasts = textBuffer(bytes.length);
  try {
    for (const { number, offset, length } of records) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + offset - records[0]!.offset, length);
      const value = parseRecord(text, { file, number, offset });
      const { profile, ...question } = readQuestion(value, file, number, task);
      const start = pasts.length();
      pasts.add(JSON.stringify(profile));
      read.push({ ...question, start, length: pasts.length() - start });
    }
    return { records: read, pasts: pasts.bytes() };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { records: read, pasts: pasts.bytes(), problem: error.message };
  }
}

/** A question and the size of its past, whose items are counted, not read. */
export function readSize(
  bytes: Buffer,
  place: RecordPlace,
  task: ReadTask,
): OfficialQuestion & { readonly items: number } {
  const past = place.nested.find(({ start }) =>
    PROFILE.test(bytes.toString("latin1", Math.max(0, start - 40), start + 1)),
  );
  const rest = past && Buffer.concat([bytes.subarray(0, past.start + 1), bytes.subarray(past.end - 1)]);
  const question = readQuestion(parseRecord(rest ?? bytes, place), place.file, place.number, task);
  return { ...question, items: past?.brackets ?? question.profile.length };
}

// --- internal ---

const PROFILE = /"profile"\s*:\s*\[$/;

/** Texts as UTF-8, end to end, in memory of their own, which can be handed to another thread. */
function textBuffer(expected: number) {
  let whole = Buffer.allocUnsafeSlow(2 * expected); // what is not written to costs no memory
  let used = 0;
  return {
    length: () => used,
    bytes: (): Uint8Array => whole.subarray(0, used),
    add(text: string): void {
      const most = used + 3 * text.length;
      if (most > whole.length) {
        const wider = Buffer.allocUnsafeSlow(2 * most);
        whole.copy(wider, 0, 0, used);
        whole = wider;
      }
      used += whole.write(text, used);
    },
  };
}
