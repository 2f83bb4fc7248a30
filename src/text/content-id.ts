import { createHash, hash } from "node:crypto";
import { plainCanonicalJson } from "./plain-json.js";

/** SHA-256 (hex) of a text. */
export function sha256(text: string): string {
  return hash("sha256", text);
}

/** Content hash of any JSON value: object keys sorted, undefined fields left out, every field counts. */
export function contentId(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** The content id of an array of these things, one at a time: they may be more than fit into one text. */
export function contentIdOfAll(things: Iterable<unknown>): string {
  const whole = createHash("sha256");
  let text = "[";
  let comma = "";
  for (const thing of things) {
    text += `${comma}${plainCanonicalJson(thing) ?? canonicalJson(thing) ?? "null"}`;
    comma = ",";
    if (text.length < AT_ONCE) continue;
    whole.update(text);
    text = "";
  }
  return whole.update(`${text}]`).digest("hex");
}

/** JSON with sorted keys: equal values, equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(inKeyOrder(value, ""));
}

/** Signs that are hashed at once. */
const AT_ONCE = 1 << 16;

/** The value itself where all its keys are in order. */
function inKeyOrder(given: unknown, name: string): unknown {
  if (given === null || typeof given !== "object") return given;
  const value: unknown = "toJSON" in given && typeof given.toJSON === "function" ? given.toJSON(name) : given;
  if (value === null || typeof value !== "object") return value;
  return Array.isArray(value) ? listInKeyOrder(value) : objectInKeyOrder(value as Readonly<Record<string, unknown>>);
}

function listInKeyOrder(list: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const part = inKeyOrder(list[i], String(i));
    if (part === list[i]) continue;
    copy ??= [...list];
    copy[i] = part;
  }
  return copy ?? list;
}

function objectInKeyOrder(value: Readonly<Record<string, unknown>>): object {
  const found = Object.keys(value);
  const keys = sortedKeys(found);
  let copy = keys === found ? undefined : emptyFor(keys);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const member = value[key];
    const part = typeof member === "object" && member !== null ? inKeyOrder(member, key) : member;
    if (copy === undefined && part !== member) {
      copy = emptyFor(keys);
      for (const before of keys.slice(0, i)) copy[before] = value[before];
    }
    if (copy !== undefined) copy[key] = part;
  }
  return copy ?? value;
}

/** The keys in order: the given list itself where it is. Things come many of a kind, so the last lists are remembered. */
function sortedKeys(keys: string[]): readonly string[] {
  let same = true;
  for (let i = 1; same && i < keys.length; i++) same = keys[i - 1]! < keys[i]!;
  if (same) return keys;
  const known = lastLists.find(({ given }) => given.length === keys.length && given.every((key, i) => key === keys[i]));
  if (known !== undefined) return known.sorted;
  const sorted = [...keys].sort();
  if (lastLists.unshift({ given: keys, sorted }) > KEPT_LISTS) lastLists.pop();
  return sorted;
}

const lastLists: { readonly given: readonly string[]; readonly sorted: readonly string[] }[] = [];
const KEPT_LISTS = 4;

/** An object that takes these keys, even the one that would set a prototype. */
const emptyFor = (keys: readonly string[]): Record<string, unknown> =>
  keys.includes("__proto__") ? Object.create(null) : {};

/** SHA-256 (hex) over parts in order, each with its length, so that no two lists run together. For what is too big for `contentId`. */
export function partsId(parts: Iterable<string | Uint8Array>): string {
  const hash = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    hash.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hash.digest("hex");
}
