/** Cuts a text into terms. */
export type TermReader = (text: string) => string[];

/**
 * Terms by the `natural` package: lower-cased by us, cut by its RegexpTokenizer at everything but letters, marks and
 * numbers of any script (its ready-made patterns drop accented letters), Porter-stemmed. Loads it on the first call,
 * by deep paths only: its main entry takes a second and reads the environment. Stems are remembered per reader.
 */
export async function naturalTerms(): Promise<TermReader> {
  const [{ default: stemmer }, { default: tokenizers }] = await Promise.all([
    import("natural/lib/natural/stemmers/porter_stemmer.js"),
    import("natural/lib/natural/tokenizers/regexp_tokenizer.js"),
  ]);
  const tokenizer = new tokenizers.RegexpTokenizer({ pattern: /[^\p{L}\p{M}\p{N}]+/u });
  const stems = new Map<string, string>();
  const stem = (word: string): string => {
    let known = stems.get(word);
    if (known === undefined) {
      known = word.length > LONGEST_WORD ? word : stemmer.stem(word);
      stems.set(word, known);
    }
    return known;
  };
  return (text) => tokenizer.tokenize(text.toLowerCase().replaceAll(APOSTROPHE, "")).map(stem);
}

/** The stemmer takes quadratic time; no word of a language is longer. */
const LONGEST_WORD = 100;

/** Inside words: `don't` is one word to the stemmer, not `don` and `t`. */
const APOSTROPHE = /(?<=\p{L})['’](?=\p{L})/gu;
