/**
 * Porter's stemmer with NLTK's extensions (`nltk.stem.porter`, mode NLTK_EXTENSIONS), which rouge_score uses.
 * Source: M.F. Porter, An algorithm for suffix stripping, Program 14(3), 1980; departures of NLTK are marked.
 * `word` is lower case.
 */
export function porterStem(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length <= 2) return word; // NLTK, after Porter's own C version
  return STEPS.reduce((stem, step) => step(stem), word);
}

/** NLTK's pool of forms that the rules get wrong. */
const IRREGULAR = new Map([
  ["skies", "sky"],
  ["sky", "sky"],
  ["dying", "die"],
  ["lying", "lie"],
  ["tying", "tie"],
  ["news", "news"],
  ["innings", "inning"],
  ["inning", "inning"],
  ["outings", "outing"],
  ["outing", "outing"],
  ["cannings", "canning"],
  ["canning", "canning"],
  ["howe", "howe"],
  ["proceed", "proceed"],
  ["exceed", "exceed"],
  ["succeed", "succeed"],
]);

type Rule = readonly [suffix: string, replacement: string];

/** `y` is a vowel behind a consonant. */
function isConsonant(word: string, index: number): boolean {
  let ys = 0;
  while (ys < index && word[index - ys] === "y") ys++;
  return "aeiou".includes(word[index - ys]!) === (ys % 2 === 1);
}

/** Porter's m: how often a vowel is followed by a consonant. */
function measure(stem: string): number {
  let count = 0;
  let before = true;
  for (let i = 0; i < stem.length; i++) {
    const consonant: boolean = i > 0 && stem[i] === "y" ? !before : !"aeiou".includes(stem[i]!);
    if (consonant && !before) count++;
    before = consonant;
  }
  return count;
}

const hasVowel = (stem: string): boolean => /[aeiou]|.y/s.test(stem);

function endsInDoubleConsonant(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

/** Porter's *o; NLTK adds two-letter vowel-consonant words. */
function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  if (last === 1) return !isConsonant(word, 0) && isConsonant(word, 1);
  if (last < 1) return false;
  const pattern = isConsonant(word, last - 2) && !isConsonant(word, last - 1) && isConsonant(word, last);
  return pattern && !"wxy".includes(word[last]!);
}

/** The first rule whose suffix fits decides, whether or not its condition holds. */
function applyFirst(word: string, rules: readonly Rule[], allowed: (stem: string, suffix: string) => boolean): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, word.length - suffix.length);
    return allowed(stem, suffix) ? stem + replacement : word;
  }
  return word;
}

const PLURALS: readonly Rule[] = [
  ["sses", "ss"],
  ["ies", "i"],
  ["ss", "ss"],
  ["s", ""],
];

function step1a(word: string): string {
  if (word.length === 4 && word.endsWith("ies")) return word.slice(0, -1); // NLTK: dies -> die
  return applyFirst(word, PLURALS, () => true);
}

function step1b(word: string): string {
  if (word.endsWith("ied")) return word.slice(0, word.length === 4 ? -1 : -2); // NLTK: died -> die, spied -> spi
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ["ed", "ing"].find((s) => word.endsWith(s) && hasVowel(word.slice(0, -s.length)));
  if (suffix === undefined) return word;
  const stem = word.slice(0, -suffix.length);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

/** NLTK's condition: a consonant before the y, which is not the second letter (enjoy, by). */
function step1c(word: string): string {
  const stem = word.slice(0, -1);
  return word.endsWith("y") && stem.length > 1 && isConsonant(stem, stem.length - 1) ? `${stem}i` : word;
}

const DOUBLE_SUFFIXES: readonly Rule[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["bli", "ble"],
  ["alli", "al"],
  ["entli", "ent"],
  ["eli", "e"],
  ["ousli", "ous"],
  ["ization", "ize"],
  ["ation", "ate"],
  ["ator", "ate"],
  ["alism", "al"],
  ["iveness", "ive"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["biliti", "ble"],
  ["fulli", "ful"],
  ["logi", "log"],
];

function step2(word: string): string {
  if (word.endsWith("alli") && measure(word.slice(0, -4)) > 0) return step2(word.slice(0, -2)); // NLTK: first, then again
  // NLTK counts the l of -logi as part of the stem (geo, theo).
  return applyFirst(word, DOUBLE_SUFFIXES, (stem, suffix) => measure(suffix === "logi" ? `${stem}l` : stem) > 0);
}

const SINGLE_SUFFIXES: readonly Rule[] = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ful", ""],
  ["ness", ""],
];

const step3 = (word: string): string => applyFirst(word, SINGLE_SUFFIXES, (stem) => measure(stem) > 0);

const ENDINGS: readonly Rule[] = (
  "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(" ") as string[]
).map((suffix) => [suffix, ""]);

const step4 = (word: string): string =>
  applyFirst(word, ENDINGS, (stem, suffix) => measure(stem) > 1 && (suffix !== "ion" || /[st]$/.test(stem)));

function step5a(word: string): string {
  if (!word.endsWith("e")) return word;
  const stem = word.slice(0, -1);
  const count = measure(stem);
  return count > 1 || (count === 1 && !endsInShortSyllable(stem)) ? stem : word;
}

const step5b = (word: string): string =>
  word.endsWith("ll") && measure(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word;

const STEPS = [step1a, step1b, step1c, step2, step3, step4, step5a, step5b];
