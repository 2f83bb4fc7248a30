/** A question as it stands in a text, [start, end), and what was found in it. */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/**
 * Returns questions with lettered options, `(a) ...` a line each: what stands in front of the options, then the options. These end at an
 * empty line; the question is what stands in the two paragraphs before them.
 */
export function findLettered(text: string): Match[] {
  const found: Match[] = [];
  for (let at = text.indexOf("\n(a) "); at >= 0; at = text.indexOf("\n(a) ", at + 1)) {
    const starts = [at];
    for (const letter of "bcdefghij") {
      const next = text.indexOf(`\n(${letter}) `, starts.at(-1)! + 1);
      if (next < 0) break;
      starts.push(next);
    }
    const blank = text.indexOf("\n\n", starts.at(-1)! + 1);
    const end = blank < 0 ? text.length : blank;
    const options = starts.map((start, index) => text.slice(start + MARK, starts[index + 1] ?? end).trim());
    let edge = at;
    while (text[edge - 1] === "\n") edge -= 1;
    const paragraph = text.lastIndexOf("\n\n", edge - 1);
    const before = paragraph <= 0 ? -1 : text.lastIndexOf("\n\n", paragraph - 1);
    const start = before < 0 ? 0 : before + 2;
    if (options.length > 1) found.push({ start, end, groups: [text.slice(start, at).trim(), ...options] });
  }
  return found;
}

const MARK = "\n(a) ".length;
