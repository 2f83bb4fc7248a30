import type { Task } from "./tasks.js";

/** A closed list of named things of one kind: here alone a name becomes a thing. */
export interface Registry<T extends { readonly name: string }> {
  readonly kind: string;
  readonly names: readonly string[];
  readonly all: readonly T[];
  /** The thing of that name. Throws UsageError with a suggestion; `where` names the flag or field it came from. */
  get(name: string, where?: string): T;
  /** The thing of that name, if there is one. */
  find(name: string): T | undefined;
  /** All names that lead to a thing, its own first. */
  spellings(thing: T): readonly string[];
  /** A list of the same kind with these things in it. */
  of(things: readonly T[]): Registry<T>;
}

export type OptionValue = string | number | boolean;

/** One option. Its default, range, help and source are written once, here. */
export interface Option<T> {
  readonly default: OptionValue;
  readonly help: string;
  /** The values it takes, for help and error texts: `a whole number from 1 to 64`, `one of bm25, recency`. */
  readonly accepts: string;
  /** Reads a value from the command line, a file or the default. Throws UsageError naming `name` and the fix. */
  read(name: string, value: OptionValue): T;
  /** The canonical form kept in arms and manifests (4, not "4"). */
  canonical(name: string, value: OptionValue): OptionValue;
  /** Tells whether the option has an effect; absent: always. Arms do not hold options without one. */
  matters?(task: Task, settings: Readonly<Record<string, OptionValue>>): boolean;
  /** For options whose value can name a file: arms hold the name that the run gives its content. */
  readonly file?: {
    pathIn(value: OptionValue): string | undefined;
    withName(value: OptionValue, name: string): OptionValue;
  };
  /** Options that come with the things that it can name. */
  brings?(): OptionTable;
  /** For options whose value names a thing: returns this option with the list of its kind among `lists` in place of its own. */
  over?(lists: readonly Registry<{ readonly name: string }>[]): Option<T>;
}

/** Keys are dotted option names: `rag.k`. */
export type OptionTable = Readonly<Record<string, Option<unknown>>>;

export type Options<T extends OptionTable> = { readonly [K in keyof T]: T[K] extends Option<infer V> ? V : never };
