/**
 * A text whose HTML escapes are read, those of escapes too (`&amp;#39;`): numbers of signs, letters with accents, and the names of signs
 * that stand in prose. Other names stay as they are.
 */
export function unescaped(text: string): string {
  if (!text.includes("&")) return text;
  const once = text.replace(ESCAPE, signOf);
  return once.includes("&") ? once.replace(ESCAPE, signOf) : once;
}

const ESCAPE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi;
const ACCENTED = /^([a-z])(?:acute|grave|circ|uml|tilde|ring|cedil|slash|caron)$/i;
/** Names that stand for what parts words have a blank. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["apos", "'"],
  ["lsquo", "'"],
  ["rsquo", "'"],
  ["szlig", "\u00df"],
  ..."quot nbsp ldquo rdquo laquo raquo ndash mdash hellip bull middot copy reg trade deg times"
    .split(" ")
    .map((name): [string, string] => [name, " "]),
]);
const LAST_SIGN = 0x10ffff;

function signOf(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return NAMED.get(name) ?? ACCENTED.exec(name)?.[1] ?? whole;
  const sign = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
  return sign <= LAST_SIGN ? String.fromCodePoint(sign) : " ";
}
