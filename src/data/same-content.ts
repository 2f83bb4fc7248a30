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

/** Of plain text the first letter is known without a look at the rest; before a sign beyond ASCII, which may combine with it, it is not. */
function firstCharacter(text: string): string | undefined {
  const [, plain] = PLAIN_BEGINNING.exec(text) ?? [];
  return plain?.toLowerCase() ?? normalized(pyStrip(text).slice(0, 200))[0];
}

const PLAIN_BEGINNING = /^[\t-\r ]*([!-~])(?:[\t-~]|$)/;
