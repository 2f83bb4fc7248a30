import { basename, dirname, join, resolve } from "node:path";
import type { TableForm, Task } from "../../types/index.js";
import { filesIn } from "../golds.js";
import { readParquet } from "../parquet.js";
import { Fields, readItem } from "../record.js";
import { readJsonArray, readJsonLines } from "../records.js";
import type { DataFormat, UserRecord, Visit } from "../source.js";

/** Parts by the beginnings of their files' names. The outputs of all are public, so that the test part comes first. */
const PARTS = { test: ["test"], dev: ["val", "dev"], train: ["train"] } as const;
const ORDER = ["test", "dev", "train"] as const;
const ENDING = /\.(?:parquet|jsonl|json)$/;
const PER_USER = /^users?[._]/;

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
    const found = await filesIn(folder);
    const filesOf = (part: (typeof ORDER)[number]): string[] =>
      found.filter((name) => ENDING.test(name) && PARTS[part].some((start) => name.startsWith(start)));
    const parts = ORDER.filter((part) => filesOf(part).length > 0);
    const part = split === "auto" ? parts[0] : parts.find((one) => one === split);
    const files = isFile ? found.filter((name) => name === basename(full)) : part === undefined ? [] : filesOf(part);
    if (files.length === 0 || PER_USER.test(files[0]!)) return undefined;
    const read = (names: readonly string[]) => async (visit: Visit) => {
      const facts = [];
      for (const name of names) {
        const file = join(folder, name);
        const readFile = file.endsWith(".parquet")
          ? readParquet
          : file.endsWith(".jsonl")
            ? readJsonLines
            : readJsonArray;
        facts.push(
          await readFile(file, ({ number, bytes, value }) =>
            visit(recordOf(value, file, number, { ...task, table }), bytes),
          ),
        );
      }
      return facts;
    };
    const hasTraining = !isFile && part !== "train" && parts.includes("train");
    return {
      name: basename(folder),
      recordPerQuestion: true,
      ...(/temporal/i.test(`${basename(folder)}/${files[0]}`) ? { oldestFirst: true } : {}),
      test: read(files),
      ...(hasTraining ? { training: read(filesOf("train")) } : {}),
    };
  },
};

type TableTask = Task & { readonly table: TableForm };

function recordOf(value: unknown, file: string, number: number, task: TableTask): UserRecord {
  const where = `${file}: row ${number}`;
  const row = new Fields(value, where, "the row");
  const user = row.needed(task.table.user);
  const fields = row.as(`user ${user}`);
  const profile = fields
    .list("profile")
    .map((item, index) => readItem(itemOf(item, index, task.table), index, task, fields));
  const gold = fields.text("output");
  const id = `${basename(dirname(file))}/${basename(file).replace(ENDING, "").replace(ONLY_SHARD, "")}/${number - 1}`;
  const query = { id, input: fields.needed("input"), ...(gold === undefined ? {} : { gold }), profile };
  return { where, user, profile: [], queries: [query] };
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
