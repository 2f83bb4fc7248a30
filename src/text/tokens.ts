/**
 * scikit-learn's default tokens (`lowercase=True`, `token_pattern=r"(?u)\b\w\w+\b"`): lower-cased runs of two and
 * more word characters. Python's `\w` is any letter or number and `_`; combining marks are not word characters.
 */
export function wordTokens(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

const WORD = /[\p{L}\p{N}_]{2,}/gu;
