import { canonicalJson } from "../text/content-id.js";
import { pySplit, pyStrip } from "../text/python.js";
import type { RawItem } from "../types.js";

/** Text as it is compared for leaks: case and spacing do not count (METHODS 0.2, normalized content). */
export function normalized(text: string): string {
  if (EVENLY_SPACED.test(text)) return text.toLowerCase();
  return pySplit(text.normalize("NFKC").toLowerCase()).join(" ");
}

/** Tests many texts against one: most differ in their first characters, so few are normalized. Nothing equals an empty text. */
export function sameContent(text: string): (other: string) => boolean {
  const wanted = normalized(text);
  const start = firstCharacter(text);
  return (other) =>
    wanted !== "" && (isPlainly(wanted, other) ?? (firstCharacter(other) === start && normalized(other) === wanted));
}

/** Equal for texts that are equal when they are normalized; undefined for texts beyond ASCII, of which it says nothing. */
export function plainHash(text: string): number | undefined {
  let hash = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = text.charCodeAt(i);
    if (sign > LAST_ASCII) return undefined;
    if (!isPlainSpace(sign))
      hash = (Math.imul(hash, 31) + (sign >= UPPER_A && sign <= UPPER_Z ? sign + CASE : sign)) | 0;
  }
  return hash;
}

/** Whether a text is the normalized one, sign by sign; undefined where a sign beyond ASCII comes before a difference. */
function isPlainly(wanted: string, other: string): boolean | undefined {
  let at = 0;
  let isGap = false;
  for (let i = 0; i < other.length; i++) {
    const sign = other.charCodeAt(i);
    if (sign > LAST_ASCII) return undefined;
    if (isPlainSpace(sign)) {
      isGap = at > 0;
      continue;
    }
    if (isGap && wanted.charCodeAt(at++) !== SPACE) return false;
    isGap = false;
    const like = wanted.charCodeAt(at++);
    if (like > LAST_ASCII) return undefined; // the next sign may make it of this one
    if (like !== (sign >= UPPER_A && sign <= UPPER_Z ? sign + CASE : sign)) return false;
  }
  return at === wanted.length;
}

/** ASCII whose only space is one blank between words: nothing but case has to be folded. */
const EVENLY_SPACED = /^[!-~]+(?: [!-~]+)*$/;
const SPACE = 0x20;
const LAST_ASCII = 0x7f;
const UPPER_A = 0x41;
const UPPER_Z = 0x5a;
const CASE = 0x20;
/** As Python parts words. */
const isPlainSpace = (sign: number): boolean => (sign >= 0x09 && sign <= 0x0d) || (sign >= 0x1c && sign <= SPACE);

/** Of plain text the first letter is known without a look at the rest; before a sign beyond ASCII, which may combine with it, it is not. */
function firstCharacter(text: string): string | undefined {
  const [, plain] = PLAIN_BEGINNING.exec(text) ?? [];
  return plain?.toLowerCase() ?? normalized(pyStrip(text).slice(0, 200))[0];
}

const PLAIN_BEGINNING = /^[\t-\r ]*([!-~])(?:[\t-~]|$)/;

/**
 * The key of a profile item: all its fields but the id, so items with equal keys are the same item. Ids do not tell: in
 * some tasks the official files number items anew for every question (PROTOCOL 1).
 */
export function itemKey(item: RawItem): string {
  return canonicalJson({ ...item, id: undefined });
}
