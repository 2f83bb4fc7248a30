import { median } from "../../results/quantile.js";

/** Mean, median and largest of the similarities of all pairs. */
interface Spread {
  readonly mean: number;
  readonly median: number;
  readonly max: number;
}

interface JaccardReport {
  readonly texts: number;
  readonly pairs: number;
  /** Undefined below two texts. */
  readonly all: Spread | undefined;
  /** The same after the words of the template are taken out of every text. */
  readonly withoutTemplate: Spread | undefined;
}

/** |A n B| / |A u B| of the word sets of all texts; 1 on the diagonal and for two texts without a word. Source: METHODS 7.7, PersonaAgent Fig. 6. */
export function jaccardMatrix(texts: readonly string[], without = ""): number[][] {
  const left = wordSet(without);
  const sets = texts.map((text) => new Set([...wordSet(text)].filter((word) => !left.has(word))));
  return sets.map((a) => sets.map((b) => similarity(a, b)));
}

/** The numbers beside the matrix, with and without the words that all texts start from. */
export function jaccardReport(texts: readonly string[], template: string): JaccardReport {
  return {
    texts: texts.length,
    pairs: (texts.length * (texts.length - 1)) / 2,
    all: spreadOf(pairsOf(jaccardMatrix(texts))),
    withoutTemplate: spreadOf(pairsOf(jaccardMatrix(texts, template))),
  };
}

/** What all texts have in common line by line, in the order of the first. */
export function commonLines(texts: readonly string[]): string {
  const [first = "", ...rest] = texts;
  const others = rest.map((text) => new Set(text.split("\n")));
  return first
    .split("\n")
    .filter((line) => others.every((lines) => lines.has(line)))
    .join("\n");
}

const wordSet = (text: string): Set<string> => new Set(text.toLowerCase().match(/[a-z0-9']+/g) ?? []);

function similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const word of a) if (b.has(word)) shared += 1;
  const union = a.size + b.size - shared;
  return union === 0 ? 1 : shared / union;
}

const pairsOf = (matrix: readonly (readonly number[])[]): number[] => matrix.flatMap((row, i) => row.slice(0, i));

function spreadOf(values: readonly number[]): Spread | undefined {
  const middle = median(values);
  if (middle === undefined) return undefined;
  const sum = values.reduce((total, value) => total + value, 0);
  return { mean: sum / values.length, median: middle, max: values.reduce((most, value) => Math.max(most, value)) };
}
