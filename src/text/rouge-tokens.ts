import { porterStem } from "./porter.js";

/**
 * Tokens of Google's rouge_score 0.1.2 (`tokenize.py`): lower case, ASCII letters and digits only.
 * With `stem`, tokens longer than three characters go through NLTK's Porter stemmer, as there.
 */
export function rougeTokens(text: string, options: { readonly stem?: boolean } = {}): string[] {
  const tokens = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return options.stem ? tokens.map((token) => (token.length > 3 ? porterStem(token) : token)) : tokens;
}
