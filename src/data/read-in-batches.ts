import { stat } from "node:fs/promises";
import { UsageError } from "../errors.js";
import { HashSet } from "../text/hash-index.js";
import type { RawItem, RawQuery, Task } from "../types.js";
import type { BatchReaders } from "./batch-readers.js";
import { Column } from "./columns.js";
import { goldOf, type PartFacts, partGolds, questionsFile } from "./formats/official.js";
import { type FileFacts, readJsonArray } from "./json-array.js";
import {
  type Batch,
  type BatchRecord,
  type OfficialQuestion,
  type ReadBatch,
  readSize,
  withGold,
} from "./question-batch.js";
import { type FileState, fileState, refuseChanged } from "./record-bytes.js";

/** A question of an official file. */
interface PartRecord {
  /** File and record number. */
  readonly where: string;
  readonly user: string;
  /** With its gold, without its past. */
  readonly query: RawQuery;
}

/** One part of official files. */
interface OfficialPart {
  readonly folder: string;
  readonly part: string;
  readonly task: Task;
}

/** Where the records of a part stand in its file, and what the file was when they were found. */
export interface FoundPart {
  readonly facts: FileFacts;
  readonly state: FileState;
  /** By record, its first byte. */
  readonly offsets: readonly number[];
  /** By record, its bytes, and where in it its past begins and ends. */
  readonly places: Column;
  /** Of the file. */
  readonly sha256: Promise<string>;
}

/**
 * Streams the questions of a part through `visit`, in file order, with the sizes of their pasts, which are not read. Returns where
 * the records stand, so that nobody has to look for them again.
 */
export async function readSizes(
  official: OfficialPart,
  readers: BatchReaders,
  visit: (record: PartRecord & { readonly items: number }) => void,
): Promise<FoundPart> {
  const part = await openPart(official);
  const state = fileState(part.file);
  const hash = readers.hash(part.file);
  hash?.catch(() => undefined); // thrown where it is wanted
  const offsets: number[] = [];
  const places = new Column();
  const facts = await readJsonArray(
    part.file,
    ({ value, offset, length }) => {
      const question = value as ReturnType<typeof readSize>; // made by `read` below
      offsets.push(offset);
      for (const place of [length, question.pastStart, question.pastEnd]) places.push(place);
      visit({ ...partRecord(question, part), items: question.items });
    },
    { read: (bytes, at) => readSize(bytes, at, official.task), hashed: hash === undefined },
  );
  return { facts, state, offsets, places, sha256: hash ?? Promise.resolve(facts.sha256) };
}

/** A question with its past. */
export interface PastRecord extends PartRecord {
  /** The past as JSON text, oldest first; gone when the visit returns. */
  readonly past: Uint8Array;
}

export const pastOf = ({ past }: PastRecord): readonly RawItem[] =>
  JSON.parse(Buffer.from(past.buffer, past.byteOffset, past.length).toString()) as RawItem[]; // written by readBatch

/**
 * Streams the questions of a part through `visit`, in file order, with their pasts, which `readers` read while more of the file
 * comes. Throws UsageError for the first record that is not right, and where the file is not what it was.
 */
export async function readPasts(
  official: OfficialPart,
  found: FoundPart,
  readers: BatchReaders,
  visit: (record: PastRecord) => void,
): Promise<readonly FileFacts[]> {
  const part = await openPart(official);
  const refuseOther = async (): Promise<void> => refuseChanged(part.file, found.state, await stat(part.file));
  await refuseOther();
  const underWay: Promise<ReadBatch>[] = [];
  const takeFirst = async (): Promise<void> => {
    const read = await underWay.shift()!;
    take(read, part, visit);
    if (read.problem !== undefined) {
      await refuseOther();
      throw new UsageError(read.problem);
    }
    readers.free(read);
  };
  for (const batch of batches(part.file, found)) {
    const sent = readers.read(batch);
    sent.catch(() => undefined); // thrown where it is taken
    underWay.push(sent);
    if (underWay.length > readers.width) await takeFirst();
  }
  while (underWay.length > 0) await takeFirst();
  const sha256 = await found.sha256;
  await refuseOther();
  const facts = { ...found.facts, sha256 };
  return part.golds === undefined ? [facts] : [facts, part.golds.facts];
}

const BATCH_BYTES = 2 ** 20;

const openPart = async ({ folder, part, task }: OfficialPart): Promise<PartFacts & { readonly file: string }> => ({
  file: questionsFile(folder, part),
  golds: await partGolds(folder, part, task),
  task,
  ids: new HashSet(),
});

/** Stretches of the file with whole records. */
function* batches(file: string, { offsets, places }: FoundPart): Generator<Batch> {
  let records: BatchRecord[] = [];
  for (const [i, offset] of offsets.entries()) {
    const [length, pastStart, pastEnd] = [places.at(3 * i), places.at(3 * i + 1), places.at(3 * i + 2)];
    if (records.length > 0 && offset + length - records[0]!.offset > BATCH_BYTES) {
      yield { file, records };
      records = [];
    }
    records.push({ number: i + 1, offset, length, pastStart, pastEnd });
  }
  if (records.length > 0) yield { file, records };
}

function take({ records, pasts }: ReadBatch, facts: PartFacts, visit: (record: PastRecord) => void): void {
  for (const { start, length, ...record } of records)
    visit({ ...partRecord(record, facts), past: pasts.subarray(start, start + length) });
}

function partRecord(question: Omit<OfficialQuestion, "profile">, facts: PartFacts): PartRecord {
  const { profile: _none, ...query } = withGold({ ...question, profile: [] }, goldOf(question, facts));
  return { where: question.where, user: question.user, query };
}
