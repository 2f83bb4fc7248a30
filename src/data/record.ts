import { UsageError } from "../errors.js";
import type { RawItem, RawQuery, Task, Turn } from "../types/index.js";
import { byDate, isDate } from "./dates.js";

/** Reads the fields of one JSON record by hand (zod costs 4x the time on these files), with errors that name the place. */
export interface RecordReader {
  readonly where: string;
  fail(problem: string): never;
}

export function recordReader(file: string, number: number, noun: "record" | "line" | "row" = "record"): RecordReader {
  const where = `${file}: ${noun} ${number}`;
  return {
    where,
    fail(problem) {
      throw new UsageError(`${where}: ${problem}`);
    },
  };
}

/** What one record holds, unread. */
type Fields = Readonly<Record<string, unknown>>;

/** A thing as messages name it; a function where there are many of it, and few are ever named. */
type Named = string | (() => string);

const nameOf = (what: Named): string => (typeof what === "string" ? what : what());

export function readObject(value: unknown, what: Named, reader: RecordReader): Fields {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return reader.fail(`${nameOf(what)} is ${shown(value)}; expected an object`);
  return value as Fields; // any non-null, non-array object can be read by key
}

/** A scalar field as text: 9013773 becomes "9013773". Undefined when absent or null. */
export function readScalar(fields: Fields, name: string, what: Named, reader: RecordReader): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return reader.fail(`${nameOf(what)}: field "${name}" is ${shown(value)}; expected text or a number`);
}

export function readNeeded(fields: Fields, name: string, what: Named, reader: RecordReader): string {
  const value = readScalar(fields, name, what, reader);
  if (value !== undefined) return value;
  return reader.fail(`${nameOf(what)}: field "${name}" is ${shown(fields[name])}; add it, or check --task`);
}

/** A cell of a table with columns by name. */
export function readColumn(fields: Readonly<Record<string, string>>, name: string, reader: RecordReader): string {
  const value = fields[name];
  if (value === undefined) return reader.fail(`column "${name}" is missing; check --data and data.tier`);
  return value === "" ? reader.fail(`column "${name}" is empty; mend it`) : value;
}

/** Those of these columns that are there and filled, as tags. */
export function tagColumns(fields: Readonly<Record<string, string>>, names: readonly string[]): Pick<RawQuery, "tags"> {
  const tags = names.flatMap((name) => ((fields[name] ?? "") === "" ? [] : [[name, fields[name]!] as const]));
  return tags.length === 0 ? {} : { tags: Object.fromEntries(tags) };
}

export function readList(fields: Fields, name: string, what: string, reader: RecordReader): readonly unknown[] {
  const value = fields[name];
  if (Array.isArray(value)) return value;
  return reader.fail(`${what}: field "${name}" is ${shown(value)}; expected an array`);
}

/** A profile, oldest first, each item with the fields that the task needs. */
export function readProfile(
  list: readonly unknown[],
  task: Pick<Task, "name" | "fields">,
  what: string,
  reader: RecordReader,
): readonly RawItem[] {
  return byDate(list.map((value, index) => readItem(value, index, task, what, reader)));
}

export function readQuery(
  fields: Fields,
  gold: string | undefined,
  task: Pick<Task, "name">,
  what: string,
  reader: RecordReader,
  profile?: readonly RawItem[],
): RawQuery {
  const date = readDate(fields, what, reader);
  const input = readNeeded(fields, "input", what, reader);
  const before = readTurns(fields, what, reader);
  const asked = foreignWording(input, task.name);
  if (asked !== undefined)
    reader.fail(`${what}: is asked in the wording of ${asked}, not of ${task.name}; check --task or the path`);
  return {
    id: readNeeded(fields, "id", what, reader),
    input,
    ...(gold === undefined ? {} : { gold }),
    ...(date === undefined ? {} : { date }),
    ...(profile === undefined ? {} : { profile }),
    ...(before === undefined ? {} : { before }),
  };
}

/** Whether past labels are answers of the task's own list. */
export const hasListedLabels = ({ kind }: Pick<Task, "kind">): boolean => kind === "label" || kind === "rating";

/** Refuses a gold answer that is none of the task's labels: usually files of another task. */
export function checkGold(gold: string, task: Task, where: string): void {
  if (task.kind === "text" || task.labels.includes(gold.trim())) return;
  if (task.kind === "rating" && task.labels.includes(String(Number(gold)))) return;
  const labels = task.labels.slice(0, 6).join(", ") + (task.labels.length > 6 ? ", ..." : "");
  throw new UsageError(
    `${where}: gold ${shown(gold)} is no answer of ${task.name} (${labels}); mend it, or check --task`,
  );
}

/** One past item with the fields that the task needs. */
export function readItem(
  value: unknown,
  index: number,
  task: Pick<Task, "name" | "fields">,
  owner: string,
  reader: RecordReader,
): RawItem {
  const place = (): string => `${owner}, profile item ${index + 1}`;
  const fields = readObject(value, place, reader);
  const what = (): string => `${place()}${fields.id === undefined ? "" : ` (id ${shown(fields.id)})`}`;
  const item: Record<string, string> & { id: string } = { id: readNeeded(fields, "id", what, reader) };
  for (const name of task.fields) item[name] = readNeeded(fields, name, what, reader);
  readDate(fields, what, reader);
  for (const name of Object.keys(fields)) {
    const field = fields[name];
    if (typeof field === "string" || typeof field === "number" || typeof field === "boolean")
      item[name] = String(field);
  }
  return item;
}

/** The turns of a dialogue before a question: `[{"id", "said", "reply", "date"}]`, the last two where there are any. */
function readTurns(fields: Fields, owner: string, reader: RecordReader): readonly Turn[] | undefined {
  if (fields.before === undefined) return undefined;
  return readList(fields, "before", owner, reader).map((value, index) => {
    const what = `${owner}, turn ${index + 1} before it`;
    const turn = readObject(value, what, reader);
    const date = readDate(turn, what, reader);
    const reply = readScalar(turn, "reply", what, reader);
    return {
      id: readNeeded(turn, "id", what, reader),
      ...(date === undefined ? {} : { date }),
      said: readNeeded(turn, "said", what, reader),
      ...(reply === undefined ? {} : { reply }),
    };
  });
}

function readDate(fields: Fields, what: Named, reader: RecordReader): string | undefined {
  const date = readScalar(fields, "date", what, reader);
  if (date === undefined || isDate(date)) return date;
  return reader.fail(`${nameOf(what)}: field "date" is ${shown(date)}; expected YYYY-MM-DD or YYYY, of the calendar`);
}

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (value !== null && typeof value === "object") return "an object";
  return JSON.stringify(typeof value === "string" && value.length > 40 ? `${value.slice(0, 40)}...` : value);
}

/** How the official questions of each task open. Source: the questions files of LaMP. */
const OPENINGS: Readonly<Record<string, string>> = {
  lamp1: "For an author who has written the paper with the title",
  lamp2m: "Which tag does this movie relate to among the following tags?",
  lamp2n: "Which category does this article relate to among the following categories?",
  lamp3: "What is the score of the following review on a scale of 1 to 5?",
  lamp4: "Generate a headline for the following article:",
  lamp5: "Generate a title for the following abstract of a paper:",
  lamp7: "Paraphrase the following tweet without any explanation before or after it:",
};

/**
 * The task in whose official wording the question is asked, where that is another than `task`: without golds, and with
 * histories that hold enough, nothing else tells their files apart. Undefined for wordings of one's own, and for a task of one's own.
 */
export function foreignWording(input: string, task: string): string | undefined {
  const opening = OPENINGS[task];
  const text = input.trimStart();
  if (opening === undefined || text.startsWith(opening)) return undefined;
  return Object.keys(OPENINGS).find((name) => text.startsWith(OPENINGS[name] ?? ""));
}
