import { basename, resolve } from "node:path";
import type { RawItem, Task } from "../../types/index.js";
import { byDate } from "../dates.js";
import { readJsonLines } from "../json-array.js";
import {
  checkGold,
  readItem,
  readList,
  readNeeded,
  readObject,
  readQuery,
  readScalar,
  recordReader,
} from "../record.js";
import type { DataFormat, Source, UserRecord } from "../source.js";

/** Own data: one question a line, `{"user", "history": [{"text", "label", "date"}], "question", "gold"}`. */
export const rows: DataFormat = {
  name: "rows",
  summary: "own data, a .jsonl file with one question a line: user, history, question, gold",
  source: "own",
  async find(path, task) {
    const file = resolve(path);
    if (!file.endsWith(".jsonl")) return undefined;
    const source: Source = {
      name: basename(file, ".jsonl"),
      recordPerQuestion: true,
      oldestFirst: true,
      async test(visit) {
        const ids = new Set<string>();
        const facts = await readJsonLines(file, ({ number, offset, length, value }) => {
          const record = rowOf(value, file, number, task);
          const [{ id, gold } = { id: "" }] = record.queries;
          const reader = recordReader(file, number, "line");
          if (ids.has(id)) reader.fail(`question id ${id} is there twice; keep one`);
          ids.add(id);
          if (gold !== undefined) checkGold(gold, task, `${reader.where}, "gold"`);
          return visit(record, { file, number, offset, length });
        });
        return [facts];
      },
      again: (value, { file: again, number }, golds) => {
        const record = rowOf(value, again, number, task);
        const gold = golds(0);
        return { ...record, queries: record.queries.map((query) => (gold === undefined ? query : { ...query, gold })) };
      },
    };
    return source;
  },
};

const KEYS = ["id", "user", "history", "question", "gold", "date"];

function rowOf(value: unknown, file: string, number: number, task: Task): UserRecord {
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
  return { where: reader.where, user, profile: [], queries: [query] };
}
