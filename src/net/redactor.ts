import { ModelError } from "../errors.js";
import type { Json } from "../types/index.js";
import { SHORTEST_SECRET } from "./known.js";

/** Puts `[redacted]` in the place of every secret. */
export interface Redactor {
  text(text: string): string;
  /** The same object where nothing in it is secret; names of fields are looked at too. */
  json<T extends Json>(value: T): T;
}

/** A redactor of these values: plain, as JSON, as JSON within JSON, and as addresses write them. */
export function redactor(secrets: readonly string[]): Redactor {
  const forms = new Set(secrets.filter(({ length }) => length >= SHORTEST_SECRET).flatMap(formsOf));
  if (forms.size === 0) return { text: (text) => text, json: (value) => value };
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
  const text = (plain: string): string => plain.replace(pattern, MARK);
  const json = (value: Json): Json => {
    if (typeof value === "string") return text(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return keep(value, value.map(json));
    const fields = Object.entries(value).map(([name, field]) => [name, text(name), field, json(field)] as const);
    if (fields.every(([name, clean, field, redacted]) => name === clean && field === redacted)) return value;
    return Object.fromEntries(fields.map(([, clean, , redacted]) => [clean, redacted]));
  };
  return { text, json: <T extends Json>(value: T) => json(value) as T }; // texts for texts, lists for lists
}

const MARK = "[redacted]";

function keep(list: readonly Json[], redacted: readonly Json[]): readonly Json[] {
  return redacted.every((value, index) => value === list[index]) ? list : redacted;
}

function formsOf(secret: string): string[] {
  const encoded = encodeURIComponent(secret);
  const inAddresses = [encoded, encoded.replaceAll("%20", "+"), encoded.replace(/%../g, (code) => code.toLowerCase())];
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, inJson, JSON.stringify(inJson).slice(1, -1), ...inAddresses]; // a program's line of JSON may quote JSON
}

/** What was thrown, a ModelError without a secret in its message; its cause, which may hold one, is not kept. */
export function redactedError(thrown: unknown, redact: Redactor): unknown {
  if (!(thrown instanceof ModelError)) return thrown;
  const clean = redact.text(thrown.message);
  return clean === thrown.message ? thrown : thrown.worded(clean);
}
