import { pySplit, pyStrip } from "../text/python.js";

/** Text as it is compared for leaks: case and spacing do not count (METHODS 0.2, normalized content). */
export function normalized(text: string): string {
  return pySplit(text.normalize("NFKC").toLowerCase()).join(" ");
}

/** Tests many texts against one: most differ in their first characters, so few are normalized. Nothing equals an empty text. */
export function sameContent(text: string): (other: string) => boolean {
  const wanted = normalized(text);
  const start = firstCharacter(text);
  return (other) => wanted !== "" && firstCharacter(other) === start && normalized(other) === wanted;
}

// --- internal ---

const firstCharacter = (text: string): string | undefined => normalized(pyStrip(text).slice(0, 200))[0];
