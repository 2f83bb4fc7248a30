/**
 * The words of a text as two people would compare them by eye: without case, accents, punctuation, signs of no width, markup tags and
 * HTML escapes, and with letters of other alphabets that look like Latin ones read as these (Unicode TR 39 calls them confusables;
 * here the Cyrillic and Greek ones). Words are runs of letters and digits; an apostrophe does not part a word, a tag does. Of scripts
 * that write without blanks (Chinese, Japanese, Thai, ...) every sign is a word.
 */
export function plainWords(marked: string): string[] {
  const text = withoutTags(unescaped(marked));
  if (PLAIN.test(text)) return text.replaceAll("'", "").toLowerCase().match(PLAIN_WORD) ?? [];
  const visible = text.normalize("NFKD").replace(UNSEEN, "").toLowerCase();
  const latin = visible.replace(LOOK_ALIKE, (letter) => LATIN.get(letter) ?? letter).replace(APOSTROPHES, "");
  return (latin.match(HAS_UNSPACED.test(latin) ? WORD_OR_SIGN : WORD) ?? []).map((word) => word.normalize("NFC"));
}

/** ASCII, which needs none of the foldings. */
const PLAIN = /^[\t-~]*$/;
const PLAIN_WORD = /[a-z0-9]+/g;
/** Marks that NFKD parted from their letters, and format characters (zero-width space and joiners, soft hyphen, BOM). */
const UNSEEN = /[\p{Mn}\p{Cf}]/gu;
const APOSTROPHES = /['\u2019]/g;

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, "u");
const WORD = /[\p{L}\p{N}]+/gu;
const WORD_OR_SIGN = new RegExp(`[${UNSPACED}]|(?:(?![${UNSPACED}])[\\p{L}\\p{N}])+`, "gu");

const PAIRS = "аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd һh ԛq ԝw αa βb γy εe ηn ιi κk νv οo ρp τt υu χx";
const LATIN: ReadonlyMap<string, string> = new Map(PAIRS.split(" ").map(([other = "", latin = ""]) => [other, latin]));
const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join("")}]`, "g");

/**
 * A text whose HTML escapes are read, those of escapes too (`&amp;#39;`): numbers of signs, letters with accents, and the names of signs
 * that stand in prose. Other names stay as they are.
 */
function unescaped(text: string): string {
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

/**
 * A text without its markup tags, each of which leaves a blank: a name in angle brackets, alone or with attributes that have values
 * (`<br />`, `</p>`, `<a href="...">`), and comments. What else stands between such brackets is text, and stays: `a < b`, `<3`,
 * `<very important>`, a tag that is broken off.
 */
function withoutTags(text: string): string {
  const last = text.lastIndexOf(">");
  let kept = "";
  let from = 0;
  for (let at = text.indexOf("<"); at >= 0 && at < last; at = text.indexOf("<", at + 1)) {
    const end = tagEnd(text, at, last);
    if (end < 0) continue;
    kept += `${text.slice(from, at)} `;
    from = end + 1;
    at = end;
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** Where the tag ends whose `<` stands at `at`; -1 where none begins there. `last`: of the text's `>`, the last one's place, or -1. */
function tagEnd(text: string, at: number, last: number): number {
  if (at >= last) return -1;
  TAG.lastIndex = at;
  return TAG.test(text) ? TAG.lastIndex - 1 : -1;
}

const TAG = /<(?:!(?:--|doctype\b)[^<>]*|\/?[a-z][a-z0-9:-]*(?:\s*\/?|\s[^<>=]*=[^<>]*))>/iy;
