import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import type { Task } from "../../types/index.js";
import type { FileFacts } from "../file-text.js";
import { entries, readGolds } from "../golds.js";
import { readJsonArray } from "../json-records.js";
import {
  checkGold,
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
  async find(path, task, { split }) {
    const found = await questionsAt(path, split);
    if (found === undefined) return undefined;
    const { folder, part, parts } = found;
    const source: Source = {
      name: basename(folder),
      recordPerQuestion: true,
      test: (visit) => readPart(folder, part, task, visit),
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

/** Streams one part: its outputs first (where there are any), then its questions, each with the past that came with it. */
export async function readPart(folder: string, part: string, task: Task, visit: Visit): Promise<readonly FileFacts[]> {
  const outputs = `${part}_outputs.json`;
  const golds = (await entries(folder)).includes(outputs) ? await readGolds(join(folder, outputs), task) : undefined;
  const file = join(folder, `${part}${QUESTIONS}`);
  const ids = new Set<string>();
  const facts = await readJsonArray(file, ({ number, bytes, value }) => {
    const record = readQuestion(value, file, number, task, (id, output, what) => {
      const where = recordReader(file, number).where;
      if (ids.has(id)) throw new UsageError(`${where}: question id ${id} is there twice; keep one`);
      ids.add(id);
      const gold = golds?.byId.get(id) ?? output;
      if (gold !== undefined) checkGold(gold, task, `${where}, ${what}`);
      return gold;
    });
    return visit(record, bytes);
  });
  return golds === undefined ? [facts] : [facts, golds.facts];
}

/**
 * Reads one record of `{part}_questions.json`. `goldOf`: the gold of a question, by its id, what the record itself says, and its name
 * for messages (`user 7, question 12`). Throws UsageError naming file, record, field and fix.
 */
function readQuestion(
  value: unknown,
  file: string,
  number: number,
  task: Task,
  goldOf: (id: string, output: string | undefined, what: string) => string | undefined,
): UserRecord {
  const reader = recordReader(file, number);
  const fields = readObject(value, "question", reader);
  const id = readNeeded(fields, "id", "question", reader);
  const owner = readScalar(fields, "user_id", `question ${id}`, reader);
  const what = owner === undefined ? `question ${id}` : `user ${owner}, question ${id}`;
  const output = readScalar(fields, "output", what, reader);
  const profile = readProfile(readList(fields, "profile", what, reader), task, what, reader);
  const query = readQuery(fields, undefined, task, what, reader);
  const gold = goldOf(id, output, what);
  const { input, date } = query;
  return {
    where: reader.where,
    user: owner ?? id,
    profile: [],
    queries: [{ id, input, ...(gold === undefined ? {} : { gold }), ...(date === undefined ? {} : { date }), profile }],
  };
}

async function questionsAt(path: string, split: Split) {
  const full = resolve(path);
  const named = SPLITS.find((part) => basename(full) === `${part}${QUESTIONS}`);
  const folder = named === undefined ? full : dirname(full);
  const parts = await officialParts(folder);
  const part = named ?? (split === "auto" ? parts[0] : parts.find((candidate) => candidate === split));
  return part === undefined ? undefined : { folder, part, parts };
}
