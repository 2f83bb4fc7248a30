import { UsageError } from "../errors.js";
import { namesIn } from "../text/words.js";
import type { Option, Options, OptionTable, OptionValue, Registry, Task } from "../types/index.js";
import { suggest } from "./registry.js";

interface Common<D extends OptionValue> {
  readonly default: D;
  readonly help: string;
}

interface Range {
  readonly min?: number;
  readonly max?: number;
}

type Settings = Readonly<Record<string, OptionValue>>;

/** An option that `parse` reads, undefined being a refusal; `written` gives the canonical form. */
function option<T>(
  { default: fallback, help }: Common<OptionValue>,
  accepts: string,
  parse: (value: OptionValue) => T | undefined,
  written: (value: T) => OptionValue,
): Option<T> {
  const read = (name: string, value: OptionValue): T => {
    const parsed = parse(value);
    if (parsed === undefined) throw new UsageError(`${name}=${value}: expected ${accepts}`);
    return parsed;
  };
  return { default: fallback, help, accepts, read, canonical: (name, value) => written(read(name, value)) };
}

const same = <T extends OptionValue>(value: T): T => value;

function numberIn(value: OptionValue, { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Range) {
  const isText = typeof value === "string" && value.trim() !== "";
  const n = isText ? Number(value) : typeof value === "number" ? value : Number.NaN;
  return Number.isFinite(n) && n >= min && n <= max ? n : undefined;
}

function rangeOf({ min, max }: Range): string {
  if (min === undefined) return max === undefined ? "" : ` of ${max} or less`;
  return max === undefined ? ` of ${min} or more` : ` from ${min} to ${max}`;
}

/** Makes an option that is a whole number in [min, max]; `min` defaults to 0. */
export function integer(o: Common<number> & Range): Option<number> {
  const range = { ...o, min: o.min ?? 0 };
  const parse = (value: OptionValue): number | undefined => {
    const n = numberIn(value, range);
    return Number.isSafeInteger(n) ? n : undefined;
  };
  return option(o, `a whole number${rangeOf(range)}`, parse, same);
}

/** A finite number in [min, max]. */
export function decimal(o: Common<number> & Range): Option<number> {
  return option(o, `a number${rangeOf(o)}`, (value) => numberIn(value, o), same);
}

/** The same, or one word, which reads to undefined. */
export function decimalOr(o: Common<OptionValue> & Range & { readonly word: string }): Option<number | undefined> {
  const plain = option(o, `a number${rangeOf(o)}, or ${o.word}`, (value) => numberIn(value, o), same);
  return {
    ...plain,
    read: (name, value) => (value === o.word ? undefined : plain.read(name, value)),
    canonical: (name, value) => (value === o.word ? value : plain.canonical(name, value)),
  };
}

/** A temperature from 0 to 2; `none` sends none, so that the provider's default holds. */
export const temperature = (o: Common<number>): Option<number | undefined> =>
  decimalOr({ ...o, min: 0, max: 2, word: "none" });

export function flag(o: Common<boolean>): Option<boolean> {
  return option(o, "true or false", (value) => FLAGS.get(String(value)), same);
}

const FLAGS = new Map([
  ["true", true],
  ["false", false],
]);

export function text(o: Common<string>): Option<string> {
  return option(o, "text", String, same);
}

/** One of a fixed list of words. */
export function choice<const W extends string>(o: Common<W> & { readonly of: readonly W[] }): Option<W> {
  return option(o, `one of ${o.of.join(", ")}`, (value) => o.of.find((word) => word === value), same);
}

/** A word, or a word with a number behind a colon: `all`, `random:10`, `latest:20`. */
export interface Counted {
  readonly kind: string;
  readonly count: number;
}

/** `whole`: without a fraction. */
export function counted(
  o: Common<string> & { plain: readonly string[]; counted: readonly string[]; whole?: boolean },
): Option<Counted> {
  const accepts = `one of ${[...o.plain, ...o.counted.map((word) => `${word}:N`)].join(", ")} (N is a ${o.whole === true ? "whole " : ""}number above 0)`;
  const parse = (value: OptionValue): Counted | undefined => {
    const [kind = "", count, ...more] = String(value).split(":");
    if (count === undefined) return o.plain.includes(kind) ? { kind, count: 0 } : undefined;
    const n = Number(count);
    const fits = o.whole === true ? Number.isSafeInteger(n) : Number.isFinite(n);
    return o.counted.includes(kind) && more.length === 0 && fits && n > 0 ? { kind, count: n } : undefined;
  };
  return option(o, accepts, parse, ({ kind, count }) => (count === 0 ? kind : `${kind}:${count}`));
}

/** A comma-separated list of words of a fixed list; empty allowed. */
export function words<const W extends string>(o: Common<string> & { readonly of: readonly W[] }): Option<readonly W[]> {
  const parse = (value: OptionValue): readonly W[] | undefined => {
    const known = namesIn(String(value)).map((name) => o.of.find((word) => word === name));
    return known.every((word) => word !== undefined) ? known : undefined;
  };
  return option(o, `a comma list of ${o.of.join(", ")}`, parse, (known) => known.join(","));
}

type ThingOption<T extends { readonly name: string }> = Common<string> & { readonly of: () => Registry<T> };

/** Makes an option that names an entry of a registry and reads to that entry; or to one word where `or` names it. */
export function thing<T extends { readonly name: string }>(o: ThingOption<T>): Option<T>;
export function thing<T extends { readonly name: string }, const W extends string>(
  o: ThingOption<T> & { readonly or: W },
): Option<T | W>;
export function thing<T extends { readonly name: string }, W extends string>(
  o: ThingOption<T> & { readonly or?: W },
): Option<T | W> {
  const isWord = (value: OptionValue): value is W => value === o.or;
  return {
    default: o.default,
    help: o.help,
    get accepts() {
      return `one of ${[...(o.or === undefined ? [] : [o.or]), ...o.of().names].join(", ")}`;
    },
    read: (name, value) => (isWord(value) ? value : o.of().get(String(value), name)),
    canonical: (name, value) => (isWord(value) ? value : o.of().get(String(value), name).name),
    over: (lists) => {
      const list = lists.find(({ kind }) => kind === o.of().kind) as Registry<T> | undefined; // a kind's list holds its things
      return thing<T, W>({ ...(o as ThingOption<T> & { or: W }), ...(list === undefined ? {} : { of: () => list }) });
    },
  };
}

/** Returns the complete, canonical settings of a table: given values where there are any, defaults elsewhere. */
export const complete = (table: OptionTable, given: Settings): Record<string, OptionValue> =>
  Object.fromEntries(
    Object.entries(table).map(([name, one]) => [name, one.canonical(name, given[name] ?? one.default)]),
  );

/** Returns the options of a table that are given, in their canonical form. */
export const givenIn = (table: OptionTable, given: Settings): Record<string, OptionValue> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, one]) => {
      const value = given[name];
      return value === undefined ? [] : [[name, one.canonical(name, value)]];
    }),
  );

type Matters = NonNullable<Option<unknown>["matters"]>;

/** The same option, part of an arm only where it can change something. Its getters are kept: `accepts` may be computed. */
export function onlyWhere<T>(matters: Matters, option: Option<T>): Option<T> {
  const { over, brings } = option;
  const more: Partial<Option<T>> = {
    matters: (task, settings) => matters(task, settings) && option.matters?.(task, settings) !== false,
    ...(over === undefined ? {} : { over: (lists) => onlyWhere(matters, over(lists)) }),
    ...(brings === undefined ? {} : { brings: () => allOnlyWhere(matters, brings()) }),
  };
  const properties = { ...Object.getOwnPropertyDescriptors(option), ...Object.getOwnPropertyDescriptors(more) };
  return Object.create(Object.prototype, properties) as Option<T>; // the option's own properties, some replaced
}

/** The same for each option of a table. */
export const allOnlyWhere = (matters: Matters, table: OptionTable): OptionTable =>
  Object.fromEntries(Object.entries(table).map(([name, option]) => [name, onlyWhere(matters, option)]));

/** Returns complete settings as an arm holds them: without what changes nothing. */
export const inArm = (table: OptionTable, settings: Settings, task: Task): Record<string, OptionValue> =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => table[name]?.matters?.(task, settings) !== false));

/** Reads complete settings into the typed values a method receives. */
export function readOptions<T extends OptionTable>(table: T, settings: Settings): Options<T> {
  const values = Object.entries(table).map(([name, one]) => [name, one.read(name, settings[name] ?? one.default)]);
  return Object.fromEntries(values) as Options<T>; // one entry per option, each read by its own
}

/** Throws UsageError for option names that no table knows, with a suggestion. */
export function refuseUnknown(given: readonly string[], known: readonly string[], flagName: string): void {
  for (const name of given)
    if (!known.includes(name))
      throw new UsageError(`${flagName} ${name}: no such option${suggest(name, known) || sameOwner(name, known)}`);
}

/** `; options of rag: rag.k, rag.maxTokens`, or for `k` alone `; did you mean rag.k, pag.k?`. */
function sameOwner(name: string, known: readonly string[]): string {
  const [owner = ""] = name.split(".");
  const meant = known.filter((one) => one.endsWith(`.${name}`));
  if (meant.length > 0) return `; did you mean ${meant.join(", ")}?`;
  const others = known.filter((one) => one.startsWith(`${owner}.`));
  return others.length === 0 ? "" : `; options of ${owner}: ${others.join(", ")}`;
}
