/**
 * scikit-learn's default tokens (`lowercase=True`, `token_pattern=r"(?u)\b\w\w+\b"`): lower-cased runs of two and
 * more word characters. Python's `\w` is any letter or number and `_`; combining marks are not word characters.
 */
export function wordTokens(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

const WORD = /[\p{L}\p{N}_]{2,}/gu;

/** Tokens of Google's rouge_score 0.1.2 (`tokenize.py`), unstemmed: lower case, ASCII letters and digits only. */
export const rougeTokens = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/**
 * scikit-learn's `stop_words="english"` (318 words), after the Glasgow Information Retrieval Group's list.
 * Source: sklearn/feature_extraction/_stop_words.py of scikit-learn 1.6.1, copyright the scikit-learn developers,
 * BSD-3-Clause.
 */
export const englishStopWords: ReadonlySet<string> = new Set(
  `
    a about above across after afterwards again against all almost alone along already also although always am
    among amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at
    back be became because become becomes becoming been before beforehand behind being below beside besides
    between beyond bill both bottom but by call can cannot cant co con could couldnt cry de describe detail do
    done down due during each eg eight either eleven else elsewhere empty enough etc even ever every everyone
    everything everywhere except few fifteen fifty fill find fire first five for former formerly forty found
    four from front full further get give go had has hasnt have he hence her here hereafter hereby herein
    hereupon hers herself him himself his how however hundred i ie if in inc indeed interest into is it its
    itself keep last latter latterly least less ltd made many may me meanwhile might mill mine more moreover
    most mostly move much must my myself name namely neither never nevertheless next nine no nobody none noone
    nor not nothing now nowhere of off often on once one only onto or other others otherwise our ours ourselves
    out over own part per perhaps please put rather re same see seem seemed seeming seems serious several she
    should show side since sincere six sixty so some somehow someone something sometime sometimes somewhere
    still such system take ten than that the their them themselves then thence there thereafter thereby
    therefore therein thereupon these they thick thin third this those though three through throughout thru thus
    to together too top toward towards twelve twenty two un under until up upon us very via was we well were
    what whatever when whence whenever where whereafter whereas whereby wherein whereupon wherever whether which
    while whither who whoever whole whom whose why will with within without would yet you your yours yourself
    yourselves
  `
    .trim()
    .split(/\s+/),
);

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
