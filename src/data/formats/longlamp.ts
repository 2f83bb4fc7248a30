import { basename, dirname, join, resolve } from "node:path";
import type { TableForm, Task } from "../../types/index.js";
import type { FileFacts } from "../file-text.js";
import { entries } from "../golds.js";
import { type JsonRecord, readJsonArray, readJsonLines } from "../json-records.js";
import { readParquet } from "../parquet.js";
import { readItem, readList, readNeeded, readObject, readScalar, recordReader } from "../record.js";
import type { DataFormat, Source, Split, UserRecord, Visit } from "../source.js";

type Part = Exclude<Split, "auto">;

/** Parts by the beginnings of their files' names. The outputs of all are public, so that the test part comes first. */
const PARTS: Readonly<Record<Part, readonly string[]>> = {
  test: ["test"],
  dev: ["val", "dev"],
  train: ["train"],
};
const ORDER = ["test", "dev", "train"] as const;
const ENDING = /\.(?:parquet|jsonl|json)$/;

/**
 * LongLaMP's tables: `{test|val|train}*.parquet`, `.jsonl` or `.json`, or one such file of any name. Questions have no id: theirs is
 * `folder/file/row`, rows from 0. In the temporal setting, which the path names, histories stand oldest first.
 */
export const longlamp: DataFormat = {
  name: "longlamp",
  summary:
    "LongLaMP: {test|val|train}*.parquet, .jsonl or .json, a row with the user's name, input, output and profile",
  source: "https://huggingface.co/datasets/LongLaMP/LongLaMP",
  async find(path, task, { split }) {
    const { table } = task;
    if (table === undefined) return undefined;
    const full = resolve(path);
    const isFile = ENDING.test(full);
    const folder = isFile ? dirname(full) : full;
    const found = await entries(folder);
    const filesOf = (part: Part): string[] =>
      found.filter((name) => ENDING.test(name) && PARTS[part].some((start) => name.startsWith(start)));
    const parts = ORDER.filter((part) => filesOf(part).length > 0);
    const part = split === "auto" ? parts[0] : parts.find((one) => one === split);
    const files = isFile ? found.filter((name) => name === basename(full)) : part === undefined ? [] : filesOf(part);
    if (files.length === 0 || PER_USER.test(files[0]!)) return undefined;
    const form = { task, table };
    const pathsOf = (names: readonly string[]) => names.map((name) => join(folder, name));
    const isTraining = isFile || part === "train" || !parts.includes("train");
    const source: Source = {
      name: basename(folder),
      recordPerQuestion: true,
      ...(/temporal/i.test(`${basename(folder)}/${files[0]}`) ? { oldestFirst: true } : {}),
      test: (visit) => readFiles(pathsOf(files), form, visit),
      ...(isTraining ? {} : { training: (visit: Visit) => readFiles(pathsOf(filesOf("train")), form, visit) }),
    };
    return source;
  },
};

const PER_USER = /^users?[._]/;

interface Form {
  readonly task: Task;
  readonly table: TableForm;
}

async function readFiles(files: readonly string[], form: Form, visit: Visit): Promise<FileFacts[]> {
  const facts: FileFacts[] = [];
  for (const file of files) {
    const take = ({ number, bytes, value }: JsonRecord) => visit(rowOf(value, file, number, form), bytes);
    const read = file.endsWith(".parquet") ? readParquet : file.endsWith(".jsonl") ? readJsonLines : readJsonArray;
    facts.push(await read(file, take));
  }
  return facts;
}

function rowOf(value: unknown, file: string, number: number, { task, table }: Form): UserRecord {
  const reader = recordReader(file, number, "row");
  const fields = readObject(value, "the row", reader);
  const user = readNeeded(fields, table.user, "the row", reader);
  const what = `user ${user}`;
  const profile = readList(fields, "profile", what, reader).map((item, index) =>
    readItem(itemOf(item, index, table), index, task, what, reader),
  );
  const output = readScalar(fields, "output", what, reader);
  const id = `${basename(dirname(file))}/${basename(file).replace(ENDING, "").replace(ONLY_SHARD, "")}/${number - 1}`;
  const input = readNeeded(fields, "input", what, reader);
  const query = { id, input, ...(output === undefined ? {} : { gold: output }), profile };
  return { where: reader.where, user, profile: [], queries: [query] };
}

const ONLY_SHARD = /-0+-of-0*1$/;

/** Without dates, methods that go by days get consecutive blocks of so many items, in the order of the list. */
const BLOCK = 10;

/** An item with an id, its block and the names that the task reads; a field without a value is empty, as Amazon's descriptions are. */
function itemOf(item: unknown, index: number, { alsoNamed = {} }: TableForm): unknown {
  if (item === null || typeof item !== "object" || Array.isArray(item)) return item;
  const named = Object.entries(item).map(([name, value]) => [alsoNamed[name] ?? name, value ?? ""]);
  return { ...Object.fromEntries(named), id: `r${index + 1}`, session: String(Math.floor(index / BLOCK) + 1) };
}
