import type { Random } from "../../src/types/index.js";

/** Word lists by slot name. */
export type Grammar = Readonly<Record<string, readonly string[]>>;

export function pick<T>(random: Random, things: readonly T[]): T {
  const thing = things[random.below(things.length)];
  if (thing === undefined) throw new Error("nothing to pick from");
  return thing;
}

/** Picks by weight. */
export function weighted<T>(random: Random, things: readonly T[], weights: readonly number[]): T {
  const total = things.reduce((sum, _thing, i) => sum + (weights[i] ?? 0), 0);
  let left = random.next() * total;
  for (const [i, thing] of things.entries()) {
    left -= weights[i] ?? 0;
    if (left < 0) return thing;
  }
  return pick(random, things);
}

/** A text writer: `{slot}` is filled from the grammar and stays the same for one writer, `{+slot}` is drawn anew. */
export function writer(random: Random, grammar: Grammar): (template: string) => string {
  const chosen = new Map<string, string>();
  const fill = (template: string): string =>
    template.replace(/\{(\+?)(\w+)\}/g, (_all, fresh: string, slot: string) => {
      const known = chosen.get(slot);
      if (known !== undefined && fresh === "") return known;
      const words = grammar[slot];
      if (words === undefined) throw new Error(`no slot {${slot}}`);
      const word = fill(pick(random, words));
      chosen.set(slot, word);
      return word;
    });
  return (template) => polished(fill(template));
}

/** Title Case, small words kept small. */
export function titleCase(text: string): string {
  const small = new Set([
    "a",
    "an",
    "the",
    "of",
    "in",
    "on",
    "at",
    "to",
    "for",
    "and",
    "but",
    "or",
    "with",
    "by",
    "from",
  ]);
  return text
    .split(" ")
    .map((word, i, words) =>
      i > 0 && small.has(word) && !words[i - 1]!.endsWith(":") ? word : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join(" ");
}

/** Capital letters at sentence starts, `a` before vowels becomes `an`. */
function polished(text: string): string {
  return text
    .replace(/\b([Aa]) (?=[aeiou])/g, "$1n ")
    .replace(/(^|[.!?] )([a-z])/g, (_all, before: string, letter: string) => before + letter.toUpperCase());
}
