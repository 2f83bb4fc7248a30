import { basename, resolve } from "node:path";
import type { RawItem, RawQuery, Task } from "../../types/index.js";
import { byDate } from "../dates.js";
import { readJsonLines } from "../json-records.js";
import { drawnOrder, inOrder } from "../option-order.js";
import {
  checkGold,
  type RecordReader,
  readItem,
  readList,
  readNeeded,
  readObject,
  readQuery,
  readScalar,
  recordReader,
} from "../record.js";
import type { DataFormat, Source, UserRecord } from "../source.js";

/** Own data: one question a line, `{"user", "history": [{"text", "label", "date"}], "question", "gold"}`, and `options`, `cluster`, `tags`. */
export const rows: DataFormat = {
  name: "rows",
  summary: "own data, a .jsonl file with one question a line: user, history, question, gold",
  source: "own",
  async find(path, task, { seed }) {
    const file = resolve(path);
    if (!file.endsWith(".jsonl")) return undefined;
    const source: Source = {
      name: basename(file, ".jsonl"),
      recordPerQuestion: true,
      oldestFirst: true,
      async test(visit) {
        const ids = new Set<string>();
        const facts = await readJsonLines(file, ({ number, bytes, value }) => {
          const record = rowOf(value, { file, number, task, seed });
          const [{ id, gold } = { id: "" }] = record.queries;
          const reader = recordReader(file, number, "line");
          if (ids.has(id)) reader.fail(`question id ${id} is there twice; keep one`);
          ids.add(id);
          if (gold !== undefined) checkGold(gold, task, `${reader.where}, "gold"`); // of a choice it was found among the options
          return visit(record, bytes);
        });
        return [facts];
      },
    };
    return source;
  },
};

const KEYS = ["id", "user", "history", "question", "gold", "date", "options", "cluster", "tags"];

interface Line {
  readonly file: string;
  readonly number: number;
  readonly task: Task;
  readonly seed: number;
}

function rowOf(value: unknown, { file, number, task, seed }: Line): UserRecord {
  const reader = recordReader(file, number, "line");
  const fields = readObject(value, "the line", reader);
  for (const key of Object.keys(fields))
    if (!KEYS.includes(key)) reader.fail(`unknown key "${key}"; keys: ${KEYS.join(", ")}`);
  const user = readNeeded(fields, "user", "the question", reader);
  const id = readScalar(fields, "id", "the question", reader) ?? `line-${number}`;
  const history = readList(fields, "history", "the question", reader).map((item, index): RawItem => {
    const past = readObject(item, `history ${index + 1}`, reader);
    return readItem({ id: `${id}-h${index + 1}`, ...past }, index, task, "history", reader);
  });
  const question = readNeeded(fields, "question", "the question", reader);
  const input = task.ask?.(question) ?? question;
  const gold = readScalar(fields, "gold", "the question", reader);
  const query = readQuery({ id, input, date: fields.date }, gold, task, "the question", reader, byDate(history));
  const cluster = readScalar(fields, "cluster", "the question", reader);
  const more = {
    ...query,
    ...optionsOf(fields, { id, gold, task, seed }, reader),
    ...(cluster === undefined ? {} : { cluster }),
    ...(fields.tags === undefined ? {} : { tags: tagsOf(fields.tags, reader) }),
  };
  return { where: reader.where, user, profile: [], queries: [more] };
}

/** The options of a choice, in an order drawn by the seed; `gold` is the text of one of them. */
function optionsOf(
  fields: Readonly<Record<string, unknown>>,
  { id, gold, task, seed }: { id: string; gold: string | undefined; task: Task; seed: number },
  reader: RecordReader,
): Pick<RawQuery, "options" | "order" | "gold"> {
  if (task.kind !== "choice") {
    if (fields.options !== undefined) reader.fail(`"options": a ${task.kind} task has none; leave them out`);
    return {};
  }
  const options = readList(fields, "options", "the question", reader).map(String);
  const most = task.labels.length;
  if (options.length < 2 || options.length > most)
    reader.fail(`"options": ${options.length}; expected 2 to ${most} (options: ${most} in the task's YAML)`);
  if (new Set(options).size < options.length) reader.fail(`"options": one is there twice; keep one`);
  const right = gold === undefined ? undefined : options.indexOf(gold);
  if (right === -1) reader.fail(`"gold": ${JSON.stringify(gold)} is none of the options; repeat one of them`);
  return inOrder(options, right, drawnOrder(options.length, seed, id));
}

function tagsOf(value: unknown, reader: RecordReader): Readonly<Record<string, string>> {
  const tags = readObject(value, '"tags"', reader);
  return Object.fromEntries(Object.keys(tags).map((name) => [name, readNeeded(tags, name, '"tags"', reader)]));
}
