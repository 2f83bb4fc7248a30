import { UsageError } from "../errors.js";
import { seeded } from "../random/seeded.js";
import type { Json, RawItem, RawQuery, Task, Turn } from "../types/index.js";
import { byDate, readDate } from "./dates.js";
import type { ReadSettings } from "./source.js";

/** A thing's name in messages; a function where there are many of them and few are ever named. */
type Named = string | (() => string);

/** One JSON object of a data file, read by hand (zod takes 4x the time on these files). Errors name file, record, thing and field. */
export class Fields {
  readonly values: Readonly<Record<string, unknown>>;
  /** File and record, for messages. */
  readonly where: string;
  readonly #what: Named;

  /** Throws UsageError where the value is no object. */
  constructor(value: unknown, where: string, what: Named) {
    this.where = where;
    this.#what = what;
    if (value === null || typeof value !== "object" || Array.isArray(value))
      this.refuse(`${this.what} is ${shown(value)}; expected an object`);
    this.values = value as Fields["values"]; // any other object can be read by key
  }

  get what(): string {
    return typeof this.#what === "string" ? this.#what : this.#what();
  }

  /** The same object under another name. */
  as(what: Named): Fields {
    return new Fields(this.values, this.where, what);
  }

  refuse(problem: string): never {
    throw new UsageError(`${this.where}: ${problem}`);
  }

  /** A scalar field as text: 9013773 becomes "9013773". Undefined where it is absent or null. */
  text(name: string): string | undefined {
    const value = this.values[name];
    if (value === undefined || value === null || typeof value === "string") return value ?? undefined;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    return this.refuse(`${this.what}: field "${name}" is ${shown(value)}; expected text or a number`);
  }

  needed(name: string): string {
    return (
      this.text(name) ??
      this.refuse(`${this.what}: field "${name}" is ${shown(this.values[name])}; add it, or check --task`)
    );
  }

  list(name: string): readonly unknown[] {
    const value = this.values[name];
    return Array.isArray(value)
      ? value
      : this.refuse(`${this.what}: field "${name}" is ${shown(value)}; expected an array`);
  }

  /** `date`, where there is one. */
  date(): string | undefined {
    const text = this.text("date");
    const date = text === undefined ? undefined : readDate(text);
    if (date !== undefined || text === undefined) return date;
    const expected = "expected YYYY-MM-DD, YYYY, an ISO 8601 or a Unix time, of the calendar";
    return this.refuse(`${this.what}: field "date" is ${shown(text)}; ${expected}`);
  }

  /** Refuses keys that are none of these. */
  only(keys: readonly string[], of = ""): void {
    const unknown = Object.keys(this.values).find((key) => !keys.includes(key));
    if (unknown !== undefined) this.refuse(`${of}unknown key "${unknown}"; keys: ${keys.join(", ")}`);
  }
}

/** A task, and the order in which its profiles are read. */
export interface ProfileForm extends Pick<ReadSettings, "visible"> {
  readonly task: Task;
}

/** Reads a profile, each item with the fields that the task needs. */
export const readProfile = (fields: Fields, { task, visible }: ProfileForm): readonly RawItem[] =>
  inTime(
    fields.list("profile").map((value, index) => readItem(value, index, task, fields)),
    visible,
  );

/** Sorts items oldest first where they are not to stay as shipped. */
export const inTime = (items: readonly RawItem[], visible: ReadSettings["visible"]): readonly RawItem[] =>
  visible === "strict" ? byDate(items) : items;

/** Reads one past item with the fields that the task needs. */
export function readItem(value: unknown, index: number, task: Pick<Task, "requiredFields">, owner: Fields): RawItem {
  const place = (): string => `${owner.what}, profile item ${index + 1}`;
  const known = new Fields(value, owner.where, place);
  const { id: own } = known.values;
  const fields = own === undefined ? known : known.as(() => `${place()} (id ${shown(own)})`);
  const item: Record<string, string> & { id: string } = { id: fields.needed("id") };
  for (const name of task.requiredFields) item[name] = fields.needed(name);
  const date = fields.date();
  for (const [name, field] of Object.entries(fields.values))
    if (typeof field === "string" || typeof field === "number" || typeof field === "boolean")
      item[name] = String(field);
  if (date !== undefined) item.date = date;
  return item;
}

/** Reads a question without its past. */
export function readQuery(fields: Fields, gold: string | undefined): RawQuery {
  const [date, input, before] = [fields.date(), fields.needed("input"), readTurns(fields)];
  const { tags, rubric } = fields.values;
  return {
    id: fields.needed("id"),
    input,
    ...(gold === undefined ? {} : { gold }),
    ...(date === undefined ? {} : { date }),
    ...(before === undefined ? {} : { before }),
    ...(tags === undefined ? {} : { tags: textsOf(new Fields(tags, fields.where, '"tags"')) }),
    ...(rubric === undefined ? {} : { rubric: rubric as Json }), // of a JSON file
  };
}

const textsOf = (fields: Fields): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(fields.values).map((name) => [name, fields.needed(name)]));

/** Reads the turns of a dialogue before a question: `[{"id", "said", "reply", "date"}]`, the last two where there are any. */
function readTurns(owner: Fields): readonly Turn[] | undefined {
  if (owner.values.before === undefined) return undefined;
  return owner.list("before").map((value, index) => {
    const turn = new Fields(value, owner.where, `${owner.what}, turn ${index + 1} before it`);
    const [date, reply] = [turn.date(), turn.text("reply")];
    return {
      id: turn.needed("id"),
      ...(date === undefined ? {} : { date }),
      said: turn.needed("said"),
      ...(reply === undefined ? {} : { reply }),
    };
  });
}

/** Tells whether past labels are answers of the task's own list. */
export const hasListedLabels = ({ kind }: Pick<Task, "kind">): boolean => kind === "label" || kind === "rating";

/** Refuses a gold answer that is none of the task's labels: usually the files are of another task. */
export function checkGold(gold: string, task: Task, where: string): void {
  if (task.kind === "text" || task.labels.includes(gold.trim())) return;
  if (task.kind === "rating" && task.labels.includes(String(Number(gold)))) return;
  throw noAnswer(`${where}: gold ${shown(gold)}`, task);
}

/** Words an error about an answer that the task does not have. */
export function noAnswer(place: string, { name, labels }: Task): UsageError {
  const some = labels.slice(0, 6).join(", ") + (labels.length > 6 ? ", ..." : "");
  return new UsageError(`${place} is no answer of ${name} (${some}); mend it, or check --task`);
}

export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (value !== null && typeof value === "object") return "an object";
  return JSON.stringify(typeof value === "string" && value.length > 40 ? `${value.slice(0, 40)}...` : value);
}

/** Returns the order of options drawn by a seed: of each shown option its place in the file. */
export const drawnOrder = (count: number, seed: number, question: string): readonly number[] =>
  seeded(`options/${seed}/${question}`).sample(
    Array.from({ length: count }, (_, place) => place),
    count,
  );

/** Returns options as they are shown, with the letter of the one at `gold`; `order` is kept for the row. */
export function inOrder(
  options: readonly string[],
  gold: number | undefined,
  order: readonly number[],
): Pick<RawQuery, "options" | "order" | "gold"> {
  return {
    options: order.map((place) => options[place]!), // a permutation of its places
    order,
    ...(gold === undefined ? {} : { gold: LETTERS[order.indexOf(gold)]! }),
  };
}

const LETTERS = "abcdefghij";
