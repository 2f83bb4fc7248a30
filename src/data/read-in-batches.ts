import { open } from "node:fs/promises";
import { UsageError } from "../errors.js";
import { HashSet } from "../text/hash-index.js";
import type { RawItem, RawQuery, Task } from "../types.js";
import type { BatchReaders } from "./batch-readers.js";
import { goldOf, type PartFacts, partGolds, questionsFile } from "./formats/official.js";
import { type FileFacts, readJsonArray } from "./json-array.js";
import { type Batch, type OfficialQuestion, type ReadBatch, readSize, withGold } from "./question-batch.js";
import { type FileState, fileState, refuseChanged } from "./record-bytes.js";

/** A question of an official file. */
export interface PartRecord {
  /** File and record number. */
  readonly where: string;
  readonly user: string;
  /** With its gold, without its past. */
  readonly query: RawQuery;
}

/** One part of official files. */
export interface PartPlace {
  readonly folder: string;
  readonly part: string;
  readonly task: Task;
}

/** Where the records of a part stand in its file, and what the file was when they were found. */
export interface FoundPart {
  readonly facts: FileFacts;
  readonly state: FileState;
  /** By record, its first byte and its bytes. */
  readonly offsets: readonly number[];
  readonly lengths: readonly number[];
}

/**
 * Streams the questions of a part through `visit`, in file order, with the sizes of their pasts, which are not read. Returns where
 * the records stand, so that nobody has to look for them again.
 */
export async function readSizes(
  place: PartPlace,
  visit: (record: PartRecord & { readonly items: number }) => void,
): Promise<FoundPart> {
  const part = await openPart(place);
  const state = fileState(part.file);
  const offsets: number[] = [];
  const lengths: number[] = [];
  const facts = await readJsonArray(
    part.file,
    ({ value, offset, length }) => {
      const question = value as ReturnType<typeof readSize>; // made by `read` below
      offsets.push(offset);
      lengths.push(length);
      visit({ ...partRecord(question, part), items: question.items });
    },
    { read: (bytes, at) => readSize(bytes, at, place.task) },
  );
  return { facts, state, offsets, lengths };
}

/** A question with its past. */
export interface PastRecord extends PartRecord {
  /** The past as JSON text, oldest first. */
  readonly past: Uint8Array;
}

export const pastOf = ({ past }: PastRecord): readonly RawItem[] =>
  JSON.parse(Buffer.from(past).toString()) as RawItem[]; // written by readBatch

/**
 * Streams the questions of a part through `visit`, in file order, with their pasts, which `readers` read while more of the file
 * comes. Throws UsageError for the first record that is not right, and where the file is not what it was.
 */
export async function readPasts(
  place: PartPlace,
  found: FoundPart,
  readers: BatchReaders,
  visit: (record: PastRecord) => void,
): Promise<readonly FileFacts[]> {
  const part = await openPart(place);
  const underWay: Promise<ReadBatch>[] = [];
  const takeFirst = async (): Promise<void> => take(await underWay.shift()!, part, visit);
  for await (const batch of batches(part.file, found)) {
    const sent = readers.read(batch);
    sent.catch(() => undefined); // thrown where it is taken
    underWay.push(sent);
    while (underWay.length > readers.width) await takeFirst();
  }
  while (underWay.length > 0) await takeFirst();
  return part.golds === undefined ? [found.facts] : [found.facts, part.golds.facts];
}

// --- internal ---

const BATCH_BYTES = 2 ** 20;

const openPart = async ({ folder, part, task }: PartPlace): Promise<PartFacts & { readonly file: string }> => ({
  file: questionsFile(folder, part),
  golds: await partGolds(folder, part, task),
  task,
  ids: new HashSet(),
});

/** Stretches of the file with whole records, as they stand in it. */
async function* batches(file: string, { state, offsets, lengths }: FoundPart): AsyncGenerator<Batch> {
  const handle = await open(file, "r");
  try {
    refuseChanged(file, state, await handle.stat());
    for (let next = 0; next < offsets.length; ) {
      const start = offsets[next]!;
      const records: Batch["records"][number][] = [];
      let end = start;
      do {
        records.push({ number: next + 1, offset: offsets[next]!, length: lengths[next]! });
        end = offsets[next]! + lengths[next]!;
        next += 1;
      } while (next < offsets.length && offsets[next]! + lengths[next]! - start <= BATCH_BYTES);
      const bytes = Buffer.allocUnsafeSlow(end - start);
      for (let got = 0; got < bytes.length; ) {
        const { bytesRead } = await handle.read(bytes, got, bytes.length - got, start + got);
        if (bytesRead === 0) {
          refuseChanged(file, state, await handle.stat());
          throw new UsageError(`${file}: ends before record ${next}; try again`);
        }
        got += bytesRead;
      }
      yield { file, bytes, records };
    }
    refuseChanged(file, state, await handle.stat());
  } finally {
    await handle.close();
  }
}

function take({ records, pasts, problem }: ReadBatch, facts: PartFacts, visit: (record: PastRecord) => void): void {
  for (const { start, length, ...record } of records)
    visit({ ...partRecord(record, facts), past: pasts.subarray(start, start + length) });
  if (problem !== undefined) throw new UsageError(problem);
}

function partRecord(question: Omit<OfficialQuestion, "profile">, facts: PartFacts): PartRecord {
  const { profile: _none, ...query } = withGold({ ...question, profile: [] }, goldOf(question, facts));
  return { where: question.where, user: question.user, query };
}
