import { UsageError } from "../errors.js";
import type { Option, Options, OptionTable, OptionValue, Registry, Task } from "../types/index.js";
import { suggest } from "./registry.js";

interface Common {
  readonly help: string;
}

function option<T extends OptionValue>(
  fallback: OptionValue,
  help: string,
  accepts: string,
  parse: (value: OptionValue) => T | undefined,
): Option<T> {
  const read = (name: string, value: OptionValue): T => {
    const parsed = parse(value);
    if (parsed === undefined) throw new UsageError(`${name}=${value}: expected ${accepts}`);
    return parsed;
  };
  return { default: fallback, help, accepts, read, canonical: read };
}

function toNumber(value: OptionValue): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return Number(value);
}

/** A whole number in [min, max]. */
export function integer(o: Common & { default: number; min?: number; max?: number }): Option<number> {
  const min = o.min ?? 0;
  const max = o.max ?? Number.MAX_SAFE_INTEGER;
  const range = o.max === undefined ? `of ${min} or more` : `from ${min} to ${max}`;
  return option(o.default, o.help, `a whole number ${range}`, (value) => {
    const n = toNumber(value);
    return n !== undefined && Number.isInteger(n) && n >= min && n <= max ? n : undefined;
  });
}

function rangeOf(min: number | undefined, max: number | undefined): string {
  if (min === undefined) return max === undefined ? "" : ` of ${max} or less`;
  return max === undefined ? ` of ${min} or more` : ` from ${min} to ${max}`;
}

/** A finite number in [min, max]. */
export function decimal(o: Common & { default: number; min?: number; max?: number }): Option<number> {
  const min = o.min ?? Number.NEGATIVE_INFINITY;
  const max = o.max ?? Number.POSITIVE_INFINITY;
  const accepts = `a number${rangeOf(o.min, o.max)}`;
  return option(o.default, o.help, accepts, (value) => {
    const n = toNumber(value);
    return n !== undefined && Number.isFinite(n) && n >= min && n <= max ? n : undefined;
  });
}

/** A temperature from 0 to 2; `none` sends none, so that the provider's default holds. */
export function temperature(o: Common & { default: number }): Option<number | undefined> {
  const accepts = "a number from 0 to 2, or none";
  const read = (name: string, value: OptionValue): number | undefined => {
    const n = value === "none" ? undefined : toNumber(value);
    if (value === "none" || (n !== undefined && n >= 0 && n <= 2)) return n;
    throw new UsageError(`${name}=${value}: expected ${accepts}`);
  };
  return { ...o, accepts, read, canonical: (name, value) => read(name, value) ?? "none" };
}

export function flag(o: Common & { default: boolean }): Option<boolean> {
  return option(o.default, o.help, "true or false", (value) => {
    if (value === true || value === "true") return true;
    if (value === false || value === "false") return false;
    return undefined;
  });
}

export function text(o: Common & { default: string }): Option<string> {
  return option(o.default, o.help, "text", (value) => String(value));
}

/** One of a fixed list of words. */
export function choice<const W extends string>(o: Common & { default: W; of: readonly W[] }): Option<W> {
  return option(o.default, o.help, `one of ${o.of.join(", ")}`, (value) => o.of.find((word) => word === value));
}

/** A word, or a word with a number behind a colon: `all`, `random:10`, `latest:20`. `whole`: without a fraction. */
export interface Counted {
  readonly kind: string;
  readonly count: number;
}
export function counted(
  o: Common & { default: string; plain: readonly string[]; counted: readonly string[]; whole?: boolean },
): Option<Counted> {
  const accepts = `one of ${[...o.plain, ...o.counted.map((word) => `${word}:N`)].join(", ")} (N is a ${o.whole === true ? "whole " : ""}number above 0)`;
  const parse = (name: string, value: OptionValue): Counted => {
    const words = String(value);
    if (o.plain.includes(words)) return { kind: words, count: 0 };
    const [kind = "", count = "", ...more] = words.split(":");
    const n = Number(count);
    const fits = o.whole === true ? Number.isSafeInteger(n) : Number.isFinite(n);
    if (o.counted.includes(kind) && more.length === 0 && fits && n > 0) return { kind, count: n };
    throw new UsageError(`${name}=${value}: expected ${accepts}`);
  };
  return {
    default: o.default,
    help: o.help,
    accepts,
    read: parse,
    canonical: (name, value) => {
      parse(name, value);
      return String(value);
    },
  };
}

/** A comma-separated list of words of a fixed list; empty allowed. */
export function words<const W extends string>(o: Common & { default: string; of: readonly W[] }): Option<readonly W[]> {
  const accepts = `a comma list of ${o.of.join(", ")}`;
  const parse = (name: string, value: OptionValue): readonly W[] =>
    String(value)
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== "")
      .map((word) => {
        const known = o.of.find((candidate) => candidate === word);
        if (known === undefined) throw new UsageError(`${name}=${value}: expected ${accepts}`);
        return known;
      });
  return {
    default: o.default,
    help: o.help,
    accepts,
    read: parse,
    canonical: (name, value) => parse(name, value).join(","),
  };
}

/** A named thing of a registry, handed over as the thing itself. */
export function thing<T extends { readonly name: string }>(
  o: Common & { default: string; of: () => Registry<T> },
): Option<T> {
  return {
    default: o.default,
    help: o.help,
    get accepts() {
      return `one of ${o.of().names.join(", ")}`;
    },
    read: (name, value) => o.of().get(String(value), name),
    canonical: (name, value) => o.of().get(String(value), name).name,
    over: (lists) => {
      const list = lists.find(({ kind }) => kind === o.of().kind) as Registry<T> | undefined; // a kind's list holds its things
      return list === undefined ? thing(o) : thing({ ...o, of: () => list });
    },
  };
}

/** The complete, canonical settings of a table: given values where there are any, defaults elsewhere. */
export function complete(
  table: OptionTable,
  given: Readonly<Record<string, OptionValue>>,
): Record<string, OptionValue> {
  return Object.fromEntries(
    Object.entries(table).map(([name, knob]) => [name, knob.canonical(name, given[name] ?? knob.default)]),
  );
}

/** The same option, part of a cell only where it can change something. */
export function onlyWhere<T>(matters: NonNullable<Option<T>["matters"]>, option: Option<T>): Option<T> {
  const { over } = option;
  return { ...option, matters, ...(over === undefined ? {} : { over: (lists) => onlyWhere(matters, over(lists)) }) };
}

/** Complete settings as a cell holds them: without what changes nothing. */
export const inCell = (
  table: OptionTable,
  settings: Readonly<Record<string, OptionValue>>,
  task: Task,
): Record<string, OptionValue> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => table[name]?.matters?.(task, settings) !== false));

/** Reads complete settings into the typed values a method receives. */
export function readOptions<T extends OptionTable>(
  table: T,
  settings: Readonly<Record<string, OptionValue>>,
): Options<T> {
  const values: Record<string, unknown> = {};
  for (const [name, knob] of Object.entries(table)) values[name] = knob.read(name, settings[name] ?? knob.default);
  return values as Options<T>; // one entry per knob, each read by its own Option
}

/** Refuses knob names that no table knows, with a suggestion. */
export function refuseUnknown(given: readonly string[], known: readonly string[], flagName: string): void {
  for (const name of given)
    if (!known.includes(name))
      throw new UsageError(`${flagName} ${name}: no such option${suggest(name, known) || sameOwner(name, known)}`);
}

/** `; options of rag: rag.k, rag.retriever`. */
function sameOwner(name: string, known: readonly string[]): string {
  const [owner = ""] = name.split(".");
  const others = known.filter((one) => one.startsWith(`${owner}.`));
  return others.length === 0 ? "" : `; options of ${owner}: ${others.join(", ")}`;
}
