import { basename, dirname, join, resolve } from "node:path";
import type { Json, Task } from "../../types/index.js";
import { filesIn } from "../golds.js";
import { readParquet } from "../parquet.js";
import { Fields, readItem } from "../record.js";
import { readJsonArray } from "../records.js";
import type { DataFormat, UserRecord, Visit } from "../source.js";

/** The categories as their files are named. */
const CATEGORIES = ["Art_and_Entertainment", "Lifestyle_and_Personal_Development", "Society_and_Culture"];

/** Parts as their files are named; `auto` takes the first that is there. All rubrics are public, and tables are about the test part. */
const PARTS = { test: "test", dev: "validation", train: "train" } as const;
const ORDER = ["test", "dev", "train"] as const;

const FILE = new RegExp(`^(${CATEGORIES.join("|")})_(test|validation|train)\\.(?:json|parquet)$`);

/** Without dates, methods that go by days get consecutive blocks of so many posts, in the order of the file. */
const BLOCK = 10;

/**
 * LaMP-QA's files, `{category}_{test|validation|train}.json` or `.parquet`: those of a folder, or one. Each question brings its user,
 * who bears its id. The narrative and the aspects are a rubric: only judges read them.
 */
export const lampQaFiles: DataFormat = {
  name: "lamp-qa",
  summary: "LaMP-QA: {category}_{test|validation|train}.json, as its download script writes them, or .parquet",
  source:
    "https://huggingface.co/datasets/alireza7/LaMP-QA; LaMP-Benchmark/LaMP-QA @504410d, utils/download_datasets.py",
  async find(path, task, { split }) {
    if (task.format !== "lamp-qa") return undefined;
    const full = resolve(path);
    const isFile = FILE.test(basename(full));
    const folder = isFile ? dirname(full) : full;
    const found = (await filesIn(folder)).filter((name) => FILE.test(name)).sort();
    const filesOf = (part: (typeof ORDER)[number]): string[] =>
      found.filter((name) => FILE.exec(name)?.[2] === PARTS[part]);
    const part = split === "auto" ? ORDER.find((one) => filesOf(one).length > 0) : split;
    const files = isFile ? found.filter((name) => name === basename(full)) : part === undefined ? [] : filesOf(part);
    if (files.length === 0) return undefined;
    return { name: basename(folder), recordPerQuestion: true, test: (visit) => read(folder, files, { task, visit }) };
  },
};

async function read(folder: string, files: readonly string[], { task, visit }: { task: Task; visit: Visit }) {
  const facts = [];
  for (const name of files) {
    const file = join(folder, name);
    const readRecords = name.endsWith(".parquet") ? readParquet : readJsonArray;
    const category = FILE.exec(name)![1]!; // a file that was found by it
    facts.push(
      await readRecords(file, ({ number, bytes, value }) => {
        const fields = new Fields(value, `${file}: record ${number}`, "the question");
        return visit(recordOf(fields, category, task), bytes);
      }),
    );
  }
  return facts;
}

function recordOf(asked: Fields, category: string, task: Task): UserRecord {
  const id = asked.needed("id");
  const fields = asked.as(`question ${id}`);
  const profile = fields.list("profile").map((item, at) => {
    const { id, ...post } = readItem(item, at, task, fields);
    return { ...post, id, session: String(Math.floor(at / BLOCK) + 1) };
  });
  const query = { id, input: fields.needed("question"), profile, tags: { category }, rubric: rubricOf(fields) };
  return { where: fields.where, user: id, profile: [], queries: [query] };
}

/** Refuses a question without an aspect: it could not be scored. */
function rubricOf(fields: Fields): Json {
  const aspects = fields.list("rubric_aspects").map((value, at) => {
    const of = new Fields(value, fields.where, `${fields.what}, aspect ${at + 1}`);
    return { aspect: of.needed("aspect"), reason: of.text("reason") ?? "", evidence: of.text("evidence") ?? "" };
  });
  if (aspects.length === 0) fields.refuse(`${fields.what}: field "rubric_aspects" is empty; leave the question out`);
  return { narrative: fields.text("narrative") ?? "", aspects };
}
