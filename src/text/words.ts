import { pySplit } from "./python.js";

/** The first `max` words joined by single spaces when there are more; else the text as it is. 0 = unlimited. */
export function cutWords(text: string, max: number): string {
  if (max === 0) return text;
  const words = pySplit(text);
  return words.length <= max ? text : words.slice(0, max).join(" ");
}

/** The first `max` words, always joined by single spaces. Source: OPPU utils.py, get_first_k_tokens. */
export function firstWords(text: string, max: number): string {
  return pySplit(text).slice(0, max).join(" ");
}
