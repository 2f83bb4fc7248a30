/** Python's own whitespace (PROTOCOL 2): JavaScript's \s lacks 1C-1F and 85 and wrongly has FEFF. */
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const BLANK = new RegExp(`[${SPACE}]`);
const TOKEN = new RegExp(`[^${SPACE}]+`, "g");

/** Python `str.strip()`. */
export function pyStrip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) start++;
  while (end > start && isBlank(text, end - 1)) end--;
  return text.slice(start, end);
}

/** Python `str.split()`: runs of whitespace separate, no empty tokens. */
export function pySplit(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Most characters are printed ASCII and need no expression. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return !(code > 0x20 && code < 0x7f) && BLANK.test(text[at]!);
}
