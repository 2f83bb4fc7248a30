/** Python's own whitespace (PROTOCOL 2): JavaScript's \s lacks 1C-1F and 85 and wrongly has FEFF. */
const SPACE = "\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const EDGES = new RegExp(`^[${SPACE}]+|[${SPACE}]+$`, "g");
const TOKEN = new RegExp(`[^${SPACE}]+`, "g");

/** Python `str.strip()`. Most texts have nothing to strip, and are not searched for it. */
export function pyStrip(text: string): string {
  return isSign(text.charCodeAt(0)) && isSign(text.charCodeAt(text.length - 1)) ? text : text.replace(EDGES, "");
}

/** Python `str.split()`: runs of whitespace separate, no empty tokens. */
export function pySplit(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

/** Whether a code is a printed sign of ASCII. */
const isSign = (code: number): boolean => code > 0x20 && code < 0x7f;
