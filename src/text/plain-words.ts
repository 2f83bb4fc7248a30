import { unescaped } from "./html-escapes.js";
import { withoutTags } from "./tags.js";

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
