import { UsageError } from "../../errors.js";

/** Where a record stands, for messages. */
export interface RecordPlace {
  readonly file: string;
  /** From 1: the line of JSON Lines, the element of an array. */
  readonly number: number;
}

/** The object that a value is. Throws UsageError naming the place. */
export function objectAt(value: unknown, place: RecordPlace): Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail(place, "expected an object in braces");
  return value as Readonly<Record<string, unknown>>; // looked at
}

/** The text of a field, without blanks around it. Throws UsageError naming place and field. */
export function textAt(record: Readonly<Record<string, unknown>>, field: string, place: RecordPlace): string {
  const value = record[field];
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  return fail(place, `${field}: expected a text`);
}

export function fail({ file, number }: RecordPlace, what: string): never {
  throw new UsageError(`${file}: record ${number}: ${what}`);
}
