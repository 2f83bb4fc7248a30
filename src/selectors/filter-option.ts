import { UsageError } from "../errors.js";
import type { Registry } from "../registry.js";
import type { Option, OptionValue } from "../types.js";

/** A word, or a named thing. */
type WordOr<T> = { readonly word: true } | { readonly word: false; readonly thing: T };

/** An option that takes one word besides the names of a registry. */
export function withWord<T extends { readonly name: string }>(o: {
  readonly default: string;
  readonly word: string;
  readonly of: () => Registry<T>;
  readonly help: string;
}): Option<WordOr<T>> {
  const read = (name: string, value: OptionValue): WordOr<T> => {
    if (value === o.word) return { word: true };
    const thing = o.of().find(String(value));
    if (thing !== undefined) return { word: false, thing };
    throw new UsageError(`${name}=${value}: expected one of ${[o.word, ...o.of().names].join(", ")}`);
  };
  return {
    default: o.default,
    help: o.help,
    get accepts() {
      return `one of ${[o.word, ...o.of().names].join(", ")}`;
    },
    read,
    canonical: (name, value) => {
      const found = read(name, value);
      return found.word ? o.word : found.thing.name;
    },
    over: (lists) => {
      const list = lists.find(({ kind }) => kind === o.of().kind) as Registry<T> | undefined; // a kind's list holds its things
      return list === undefined ? withWord(o) : withWord({ ...o, of: () => list });
    },
  };
}
