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

/** `a,b` as names, each once. Blanks around them and empty ones are left out. */
export const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
];

/** Text as it is compared for leaks: case and spacing do not count (METHODS 0.2, normalized content). */
export function normalized(text: string): string {
  if (EVENLY_SPACED.test(text)) return text.toLowerCase();
  return pySplit(text.normalize("NFKC").toLowerCase()).join(" ");
}

/** ASCII whose only space is one blank between words: nothing but case has to be folded. */
const EVENLY_SPACED = /^[!-~]+(?: [!-~]+)*$/;

/** Returns a regular expression that finds the text itself. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** A word as a shell reads it back: quoted unless it is plain. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** Returns a message without what differs between equal failures: numbers, words with digits and ids of requests. */
export const withoutNumbers = (message: string): string =>
  message.replace(/\(request id [^)]*\)/g, "").replace(/[\w-]*\d[\w-]*/g, "0");
