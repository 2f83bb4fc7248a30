import { basename, dirname, join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { HashSet } from "../../text/hash-index.js";
import type { Task } from "../../types.js";
import { entries } from "../folder.js";
import { type Golds, readGolds } from "../golds.js";
import { type FileFacts, readJsonArray } from "../json-array.js";
import { type OfficialQuestion, readQuestion, withGold } from "../question-batch.js";
import { checkGold } from "../record.js";
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
      test: (visit, atOnce) => readPart(folder, part, task, visit, atOnce),
      again: (value, { file, number }, golds) => recordOf(readQuestion(value, file, number, task), golds(0)),
    };
    if (part === "train" || !parts.includes("train")) return source;
    return { ...source, training: (visit, atOnce) => readPart(folder, "train", task, visit, atOnce) };
  },
};

/** Which parts (`train`, `dev`, `test`) have a questions file in the folder, in the order dev, train, test. */
export async function officialParts(folder: string): Promise<readonly Exclude<Split, "auto">[]> {
  const names = await entries(folder);
  return SPLITS.filter((part) => names.includes(`${part}${QUESTIONS}`));
}

/** Streams one part: its outputs first (where there are any), then its questions. */
async function readPart(
  folder: string,
  part: string,
  task: Task,
  visit: Visit,
  atOnce?: number,
): Promise<readonly FileFacts[]> {
  const golds = await partGolds(folder, part, task);
  const file = questionsFile(folder, part);
  const ids = new HashSet();
  const facts = await readJsonArray(
    file,
    ({ number, offset, length, value }) => {
      const question = readQuestion(value, file, number, task);
      const record = recordOf(question, goldOf(question, { task, golds, ids }));
      return visit(record, { file, number, offset, length });
    },
    { atOnce },
  );
  return golds === undefined ? [facts] : [facts, golds.facts];
}

/** What is known of the questions of one part. */
export interface PartFacts {
  readonly task: Task;
  /** Undefined: the part has no outputs file. */
  readonly golds: Golds | undefined;
  /** Question ids met so far. */
  readonly ids: HashSet;
}

/** The question's gold, where it has one. Throws UsageError for an id that was there before and a gold that is none of the task's. */
export function goldOf(
  { query, where, what, output }: Omit<OfficialQuestion, "profile">,
  { task, golds, ids }: PartFacts,
): string | undefined {
  if (!ids.set(query.id, true)) throw new UsageError(`${where}: question id ${query.id} is there twice; keep one`);
  const gold = golds?.byId.get(query.id) ?? output;
  if (gold !== undefined) checkGold(gold, task, `${where}, ${what}`);
  return gold;
}

/** The outputs of one part, where there are any. */
export async function partGolds(folder: string, part: string, task: Task): Promise<Golds | undefined> {
  const outputs = `${part}_outputs.json`;
  return (await entries(folder)).includes(outputs) ? readGolds(join(folder, outputs), task) : undefined;
}

/** The questions file of one part. */
export const questionsFile = (folder: string, part: string): string => join(folder, `${part}${QUESTIONS}`);

const recordOf = (question: OfficialQuestion, gold: string | undefined): UserRecord => ({
  where: question.where,
  user: question.user,
  profile: [],
  queries: [withGold(question, gold)],
});

async function questionsAt(path: string, split: Split) {
  const full = resolve(path);
  const named = SPLITS.find((part) => basename(full) === `${part}${QUESTIONS}`);
  const folder = named === undefined ? full : dirname(full);
  const parts = await officialParts(folder);
  const part = named ?? (split === "auto" ? parts[0] : parts.find((candidate) => candidate === split));
  return part === undefined ? undefined : { folder, part, parts };
}
