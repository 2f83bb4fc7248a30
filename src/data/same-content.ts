import { canonicalJson } from "../text/content-id.js";
import { pyStrip } from "../text/python.js";
import { normalized } from "../text/words.js";
import type { RawItem } from "../types/index.js";

/** Tests many texts against one: most differ in their first characters, so few are normalized. Nothing equals an empty text. */
export function sameContent(text: string): (other: string) => boolean {
  const wanted = normalized(text);
  const start = firstCharacter(text);
  return (other) => wanted !== "" && firstCharacter(other) === start && normalized(other) === wanted;
}

/** Returns the first character of the normalized text. A first ASCII letter followed by ASCII is known without normalizing the rest. */
function firstCharacter(text: string): string | undefined {
  const [, plain] = PLAIN_BEGINNING.exec(text) ?? [];
  return plain?.toLowerCase() ?? normalized(pyStrip(text).slice(0, 200))[0];
}

const PLAIN_BEGINNING = /^[\t-\r ]*([!-~])(?:[\t-~]|$)/;

/**
 * The key of a profile item: all its fields but the id, so items with equal keys are the same item. Ids do not tell: in
 * some tasks the official files number items anew for every question (DATA 1).
 */
export function itemKey(item: RawItem): string {
  return canonicalJson({ ...item, id: undefined });
}
