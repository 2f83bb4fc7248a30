import { UsageError } from "../../errors.js";
import type { NamedJson } from "./evaluator.js";
import { idKey } from "./script.js";

export interface Entry {
  readonly id: string | number;
  readonly key: string;
  /** Null where the file says null or has no output. */
  readonly output: unknown;
}

export interface AnswerFile {
  readonly name: string;
  readonly task: string;
  /** By type-strict id, in file order. */
  readonly entries: ReadonlyMap<string, Entry>;
}

/** Reads `{task, golds: [{id, output}]}`. Throws UsageError naming the file, the entry and the fix. */
export function readAnswerFile({ name, json }: NamedJson): AnswerFile {
  if (!isRecord(json)) throw new UsageError(`${name}: ${SHAPE}, found ${kindOf(json)}`);
  if (typeof json.task !== "string") throw new UsageError(`${name}: no "task"; ${SHAPE}`);
  if (!Array.isArray(json.golds)) throw new UsageError(`${name}: "golds" is ${kindOf(json.golds)}; ${SHAPE}`);
  if (json.golds.length === 0) throw new UsageError(`${name}: "golds" is empty, nothing to score`);
  const entries = new Map<string, Entry>();
  const places = new Map<string, number>();
  for (const [index, record] of json.golds.entries()) {
    const entry = readEntry(record, `${name}: golds[${index}]`);
    const earlier = places.get(entry.key);
    if (earlier !== undefined)
      throw new UsageError(
        `${name}: id ${JSON.stringify(entry.id)} stands twice (golds[${earlier}] and golds[${index}]); keep one, or use --evaluator lamp, where the last wins`,
      );
    places.set(entry.key, index);
    entries.set(entry.key, entry);
  }
  return { name, task: json.task, entries };
}

const SHAPE = 'expected {"task": "LaMP_3", "golds": [{"id": "...", "output": "..."}]}';

function readEntry(record: unknown, where: string): Entry {
  if (!isRecord(record)) throw new UsageError(`${where}: expected {"id", "output"}, found ${kindOf(record)}`);
  const { id, output } = record;
  if (typeof id !== "string" && typeof id !== "number")
    throw new UsageError(`${where}: "id" is ${kindOf(id)}; write the question's id as a string`);
  return { id, key: idKey(id), output: output ?? null };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : JSON.stringify(value).slice(0, 40);
}
