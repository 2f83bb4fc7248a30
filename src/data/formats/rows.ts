import { basename, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { suggest } from "../../registry/registry.js";
import { sha256 } from "../../text/content-id.js";
import type { RawItem, RawQuery, Task } from "../../types/index.js";
import { checkGold, drawnOrder, Fields, inOrder, inTime, type ProfileForm, readItem, readQuery } from "../record.js";
import { readJsonLines } from "../records.js";
import type { DataFormat, UserRecord } from "../source.js";

/** Own data: one question a line, `{"user", "history": [{"text", "label", "date"}], "question", "gold"}`, and `options`, `cluster`, `tags`, `rubric`. */
export const rows: DataFormat = {
  name: "rows",
  summary: "own data, a .jsonl file with one question a line: user, history, question, gold",
  source: "own",
  async find(path, task, { seed, visible }) {
    const file = resolve(path);
    if (!file.endsWith(".jsonl")) return undefined;
    return {
      name: basename(file, ".jsonl"),
      recordPerQuestion: true,
      oldestFirst: true,
      async test(visit) {
        const ids = new Set<string>();
        /** Lines without an id, by content. */
        const lines = new Map<string, number>();
        /** Names of the fields that history items have. */
        const seen = new Set<string>();
        const facts = await readJsonLines(file, ({ number, bytes, value }) => {
          if (Array.isArray(value))
            throw new UsageError(`${file}: line ${number}: an array; write one object a line, without [ and ]`);
          const fields = new Fields(value, `${file}: line ${number}`, "the question");
          const content = fields.values.id === undefined ? sha256(JSON.stringify(value)) : "";
          const same = lines.get(content);
          if (same !== undefined) fields.refuse(`it is line ${same} again; keep one, or give each an "id"`);
          if (content !== "") lines.set(content, number);
          const id = fields.text("id") ?? `line-${number}`;
          if (ids.has(id)) fields.refuse(`question id ${id} is there twice; keep one`);
          ids.add(id);
          const record = recordOf(fields, id, { task, seed, visible });
          for (const item of record.queries[0]?.profile ?? []) for (const name of Object.keys(item)) seen.add(name);
          return visit(record, bytes);
        });
        const absent = task.optionalFields?.find((name) => seen.size > 0 && ![...seen, ...ITEM_KEYS].includes(name));
        if (absent !== undefined)
          throw new UsageError(
            `${file}: no history item has the field "${absent}", which ${task.name} shows as {${absent}}${suggest(absent, [...seen])}`,
          );
        return [facts];
      },
    };
  },
};

const KEYS = ["id", "user", "history", "question", "gold", "date", "options", "cluster", "tags", "rubric"];
const ITEM_KEYS = ["id", "date", "session", "label"];

interface RowForm extends ProfileForm {
  readonly seed: number;
}

function recordOf(fields: Fields, id: string, { task, seed, visible }: RowForm): UserRecord {
  fields.only(KEYS);
  const { where } = fields;
  const known = [...new Set([...task.requiredFields, ...(task.optionalFields ?? []), ...ITEM_KEYS])];
  const history = fields
    .as("history")
    .list("history")
    .map((item, index): RawItem => {
      const past = new Fields(item, where, `history ${index + 1}`);
      past.only(known, `${past.what}: `);
      return readItem({ id: `${id}-h${index + 1}`, ...past.values }, index, task, fields.as("history"));
    });
  const ids = new Set<string>();
  for (const item of history) {
    if (ids.has(item.id)) fields.refuse(`history id ${item.id} is there twice; keep one`);
    ids.add(item.id);
  }
  const question = fields.needed("question");
  const { date, tags, rubric } = fields.values;
  const asked = new Fields(
    { id, input: task.fullPrompt?.(question) ?? question, date, tags, rubric },
    where,
    fields.what,
  );
  const chosen = optionsOf(fields, { id, task, seed });
  const query = { ...readQuery(asked, fields.text("gold")), profile: inTime(history, visible), ...chosen };
  if (query.gold !== undefined) checkGold(query.gold, task, `${where}, "gold"`);
  const cluster = fields.text("cluster");
  const facts = cluster === undefined ? {} : { cluster };
  return { where, user: fields.needed("user"), profile: [], queries: [{ ...query, ...facts }] };
}

/** The options of a choice, in an order drawn by the seed; `gold` is the text of one of them. */
function optionsOf(
  fields: Fields,
  { id, task, seed }: { readonly id: string; readonly task: Task; readonly seed: number },
): Pick<RawQuery, "options" | "order" | "gold"> {
  if (task.kind !== "choice") {
    if (fields.values.options !== undefined) fields.refuse(`"options": a ${task.kind} task has none; leave them out`);
    return {};
  }
  const options = fields.list("options").map(String);
  const most = task.labels.length;
  if (options.length < 2 || options.length > most)
    fields.refuse(`"options": ${options.length}; expected 2 to ${most} (options: ${most} in the task's YAML)`);
  if (new Set(options).size < options.length) fields.refuse(`"options": one is there twice; keep one`);
  const gold = fields.text("gold");
  const right = gold === undefined ? undefined : options.indexOf(gold);
  if (right === -1) fields.refuse(`"gold": ${JSON.stringify(gold)} is none of the options; repeat one of them`);
  return inOrder(options, right, drawnOrder(options.length, seed, id));
}
