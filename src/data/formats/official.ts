import { basename, dirname, join, resolve } from "node:path";
import { HashSet } from "../../text/hash-index.js";
import type { Task } from "../../types.js";
import { entries } from "../folder.js";
import { type Golds, readGolds } from "../golds.js";
import { type FileFacts, readJsonArray } from "../json-array.js";
import {
  checkGold,
  type Fields,
  type RecordReader,
  readList,
  readNeeded,
  readObject,
  readProfile,
  readQuery,
  readScalar,
  recordReader,
} from "../record.js";
import type { DataFormat, Source, Split, UserRecord, Visit } from "../source.js";

const SPLITS = ["dev", "train", "test"] as const;
const QUESTIONS = "_questions.json";

export const official: DataFormat = {
  name: "official",
  summary: "LaMP's own files: {train|dev|test}_questions.json with _outputs.json beside them, one record per question",
  source: "https://lamp-benchmark.github.io/download",
  async find(path, task, split) {
    const found = await questionsAt(path, split);
    if (found === undefined) return undefined;
    const { folder, part, parts } = found;
    const source: Source = {
      name: basename(folder),
      recordPerQuestion: true,
      test: (visit) => readPart(folder, part, task, visit),
      again: (value, { file, number }, golds) =>
        questionOf(fieldsOf(value, recordReader(file, number)), recordReader(file, number), task, () => golds(0)),
    };
    if (part === "train" || !parts.includes("train")) return source;
    return { ...source, training: (visit) => readPart(folder, "train", task, visit) };
  },
};

/** Which parts (`train`, `dev`, `test`) have a questions file in the folder, in the order dev, train, test. */
export async function officialParts(folder: string): Promise<readonly Exclude<Split, "auto">[]> {
  const names = await entries(folder);
  return SPLITS.filter((part) => names.includes(`${part}${QUESTIONS}`));
}

/** Streams one part: its outputs first (where there are any), then its questions. */
export async function readPart(folder: string, part: string, task: Task, visit: Visit): Promise<readonly FileFacts[]> {
  const names = await entries(folder);
  const outputs = `${part}_outputs.json`;
  const golds = names.includes(outputs) ? await readGolds(join(folder, outputs), task) : undefined;
  const file = join(folder, `${part}${QUESTIONS}`);
  const ids = new HashSet();
  const facts = await readJsonArray(file, ({ number, offset, length, value }) => {
    const reader = recordReader(file, number);
    const fields = fieldsOf(value, reader);
    const id = readNeeded(fields, "id", "question", reader);
    readScalar(fields, "user_id", `question ${id}`, reader);
    if (!ids.set(id, true)) reader.fail(`question id ${id} is there twice; keep one`);
    const record = questionOf(fields, reader, task, (what) =>
      goldOf(id, readScalar(fields, "output", what, reader), golds),
    );
    return visit(record, { file, number, offset, length });
  });
  return golds === undefined ? [facts] : [facts, golds.facts];
}

// --- internal ---

const fieldsOf = (value: unknown, reader: RecordReader): Fields => readObject(value, "question", reader);

function questionOf(
  fields: Fields,
  reader: RecordReader,
  task: Task,
  findGold: (what: string) => string | undefined,
): UserRecord {
  const id = readNeeded(fields, "id", "question", reader);
  const owner = readScalar(fields, "user_id", `question ${id}`, reader);
  const what = owner === undefined ? `question ${id}` : `user ${owner}, question ${id}`;
  const gold = findGold(what);
  if (gold !== undefined) checkGold(gold, task, `${reader.where}, ${what}`);
  const profile = readProfile(readList(fields, "profile", what, reader), task, what, reader);
  return {
    where: reader.where,
    user: owner ?? id,
    profile: [],
    queries: [readQuery(fields, gold, task, what, reader, profile)],
  };
}

const goldOf = (id: string, inline: string | undefined, golds: Golds | undefined): string | undefined =>
  golds?.byId.get(id) ?? inline;

async function questionsAt(path: string, split: Split) {
  const full = resolve(path);
  const named = SPLITS.find((part) => basename(full) === `${part}${QUESTIONS}`);
  const folder = named === undefined ? full : dirname(full);
  const parts = await officialParts(folder);
  const part = named ?? (split === "auto" ? parts[0] : parts.find((candidate) => candidate === split));
  return part === undefined ? undefined : { folder, part, parts };
}
