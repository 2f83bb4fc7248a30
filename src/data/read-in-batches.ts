import { UsageError } from "../errors.js";
import { HashSet } from "../text/hash-index.js";
import type { RawItem, RawQuery, Task } from "../types.js";
import type { BatchReaders } from "./batch-readers.js";
import { goldOf, type PartFacts, partGolds, questionsFile } from "./formats/official.js";
import { type FileFacts, readJsonArray } from "./json-array.js";
import type { RecordPlace } from "./json-split.js";
import { type Batch, type OfficialQuestion, type ReadBatch, readSize, withGold } from "./question-batch.js";

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

/** Streams the questions of a part through `visit`, in file order, with the sizes of their pasts, which are not read. */
export async function readSizes(
  place: PartPlace,
  visit: (record: PartRecord & { readonly items: number }) => void,
): Promise<void> {
  const facts = await openPart(place);
  await readJsonArray(
    facts.file,
    ({ value }) => {
      const question = value as ReturnType<typeof readSize>; // made by `read` below
      visit({ ...partRecord(question, facts), items: question.items });
    },
    { read: (bytes, at) => readSize(bytes, at, place.task), hashed: false },
  );
}

/** A question with its past. */
export interface PastRecord extends PartRecord {
  /** The past as JSON text, oldest first. */
  readonly past: Uint8Array;
}

export const pastOf = ({ past }: PastRecord): readonly RawItem[] =>
  JSON.parse(Buffer.from(past).toString()) as RawItem[]; // written by readBatch

/**
 * Streams the questions of a part through `visit`, in file order, with their pasts, which `readers` read while the file is cut into
 * records. Throws UsageError for the first record that is not right.
 */
export async function readPasts(
  place: PartPlace,
  readers: BatchReaders,
  visit: (record: PastRecord) => void,
): Promise<readonly FileFacts[]> {
  const facts = await openPart(place);
  const underWay: Promise<ReadBatch>[] = [];
  const cutter = batchCutter(facts.file);
  const takeFirst = async (): Promise<void> => take(await underWay.shift()!, facts, visit);
  const send = async (): Promise<void> => {
    const sent = readers.read(cutter.batch());
    sent.catch(() => undefined); // thrown where it is taken
    underWay.push(sent);
    while (underWay.length > readers.width) await takeFirst();
  };
  const read = await readJsonArray(facts.file, () => (cutter.bytes() < BATCH_BYTES ? undefined : send()), {
    read: cutter.add,
  });
  await send();
  while (underWay.length > 0) await takeFirst();
  return facts.golds === undefined ? [read] : [read, facts.golds.facts];
}

// --- internal ---

const BATCH_BYTES = 2 ** 20;

const openPart = async ({ folder, part, task }: PartPlace): Promise<PartFacts & { readonly file: string }> => ({
  file: questionsFile(folder, part),
  golds: await partGolds(folder, part, task),
  task,
  ids: new HashSet(),
});

/** Gathers records into batches. */
function batchCutter(file: string) {
  let whole = Buffer.allocUnsafeSlow(2 * BATCH_BYTES);
  let records: { number: number; offset: number; length: number }[] = [];
  let used = 0;
  return {
    bytes: () => used,
    add(record: Buffer, { number, offset }: RecordPlace): void {
      if (used + record.length > whole.length) {
        const wider = Buffer.allocUnsafeSlow(2 * (used + record.length));
        whole.copy(wider, 0, 0, used);
        whole = wider;
      }
      used += record.copy(whole, used);
      records.push({ number, offset, length: record.length });
    },
    batch(): Batch {
      const batch = { file, bytes: whole.subarray(0, used), records };
      [whole, records, used] = [Buffer.allocUnsafeSlow(2 * BATCH_BYTES), [], 0];
      return batch;
    },
  };
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
