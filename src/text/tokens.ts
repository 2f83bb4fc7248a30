import { porterStem } from "./porter.js";

/**
 * scikit-learn's default tokens (`lowercase=True`, `token_pattern=r"(?u)\b\w\w+\b"`): lower-cased runs of two and
 * more word characters. Python's `\w` is any letter or number and `_`; combining marks are not word characters.
 */
export function wordTokens(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

const WORD = /[\p{L}\p{N}_]{2,}/gu;

/**
 * Tokens of Google's rouge_score 0.1.2 (`tokenize.py`): lower case, ASCII letters and digits only.
 * With `stem`, tokens longer than three characters go through NLTK's Porter stemmer, as there.
 */
export function rougeTokens(text: string, options: { readonly stem?: boolean } = {}): string[] {
  const tokens = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return options.stem ? tokens.map((token) => (token.length > 3 ? porterStem(token) : token)) : tokens;
}
