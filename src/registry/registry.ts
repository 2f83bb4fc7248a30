import { UsageError } from "../errors.js";
import type { Registry } from "../types/index.js";

interface Spellings<T> {
  /** A thing's other names. */
  readonly furtherNames?: (thing: T) => readonly string[];
  /** Why a name that is looked for is not here; undefined: it is as unknown as others. */
  readonly whyAbsent?: (name: string) => string | undefined;
}

/** Things by name; names are matched case-insensitively with `_` equal to `-`. */
export function registry<T extends { readonly name: string }>(
  kind: string,
  things: readonly T[],
  rules: Spellings<T> = {},
): Registry<T> {
  const { furtherNames = () => [], whyAbsent } = rules;
  const byName = new Map<string, T>();
  const spellings = (thing: T): readonly string[] => [thing.name, ...furtherNames(thing)];
  for (const thing of things)
    for (const name of spellings(thing)) {
      const key = fold(name);
      const taken = byName.get(key);
      if (taken !== undefined && taken !== thing) throw new Error(`two ${kind}s are called ${name}`);
      byName.set(key, thing);
    }
  const names = things.map((thing) => thing.name);
  return {
    kind,
    names,
    all: things,
    get(name, where) {
      const found = byName.get(fold(name));
      if (found !== undefined) return found;
      const at = where === undefined ? "" : `${where}: `;
      const why = whyAbsent?.(name);
      throw new UsageError(at + (why ?? `unknown ${kind} "${name}"${choices(name, names, `${kind}s`)}`));
    },
    find: (name) => byName.get(fold(name)),
    spellings,
    of: (others) => registry(kind, others, rules),
  };
}

/** `; did you mean "x"?` when a known name is close, else the empty string. */
export function suggest(name: string, known: readonly string[]): string {
  const limit = Math.max(1, Math.floor(name.length / 3));
  const near = known
    .map((candidate) => ({ candidate, distance: editDistance(fold(name), fold(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return near[0] === undefined ? "" : `; did you mean "${near[0].candidate}"?`;
}

/** Names the choices instead of an unknown name: the one that was perhaps meant, else all. `kinds`: their plural noun. */
export const choices = (name: string, known: readonly string[], kinds: string): string =>
  suggest(name, known) || `; ${kinds}: ${known.join(", ")}`;

const fold = (name: string): string => name.toLowerCase().replaceAll("_", "-");

/** Damerau-Levenshtein distance (adjacent swaps count one). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, beforeLast[j - 2]! + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
