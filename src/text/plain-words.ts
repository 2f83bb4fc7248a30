import { withoutTags } from "./tags.js";

/**
 * The words of a text as two people would compare them by eye: without case, accents, punctuation, signs of no width, markup tags and
 * HTML escapes, and with letters of other alphabets that look like Latin ones read as these (Unicode TR 39 calls them confusables;
 * here the Cyrillic and Greek ones). Words are runs of letters and digits; an apostrophe does not part a word, a tag does.
 */
export function plainWords(marked: string): string[] {
  const text = withoutTags(marked);
  if (PLAIN.test(text)) {
    const lower = text.toLowerCase();
    return PARTS_NO_WORD.test(text) ? wordsOf(lower) : (lower.match(PLAIN_WORD) ?? []);
  }
  const visible = text.normalize("NFKD").replace(UNSEEN, "").toLowerCase();
  return wordsOf(visible.replace(LOOK_ALIKE, (letter) => LATIN.get(letter) ?? letter)).map((word) =>
    word.normalize("NFC"),
  );
}

// --- internal ---

/** ASCII, which needs none of the foldings. */
const PLAIN = /^[\t-~]*$/;
/** Signs that do more than part words. */
const PARTS_NO_WORD = /[&']/;
const PLAIN_WORD = /[a-z0-9]+/g;
/** Marks that NFKD parted from their letters, and format characters (zero-width space and joiners, soft hyphen, BOM). */
const UNSEEN = /[\p{Mn}\p{Cf}]/gu;

const wordsOf = (text: string): string[] =>
  text
    .replace(ENTITY, (_whole, name: string) => ENTITIES[name] ?? " ")
    .replace(/['\u2019]/g, "")
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const ENTITY = /&(amp|lt|gt|quot|apos|nbsp|#39|#x27);/g;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", quot: '"', apos: "'", "#39": "'", "#x27": "'" };

const PAIRS = "аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd һh ԛq ԝw αa βb γy εe ηn ιi κk νv οo ρp τt υu χx";
const LATIN: ReadonlyMap<string, string> = new Map(PAIRS.split(" ").map(([other = "", latin = ""]) => [other, latin]));
const LOOK_ALIKE = new RegExp(`[${[...LATIN.keys()].join("")}]`, "g");
