/**
 * A text without its markup tags, each of which leaves a blank: `<` before a letter, `/` or `!`, up to the next `>`. A `<` that opens no
 * tag stays, as in `a < b` and `<3`, and so does a tag that is broken off.
 */
export function withoutTags(text: string): string {
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
export function tagEnd(text: string, at: number, last: number): number {
  if (at >= last) return -1;
  const sign = text.charCodeAt(at + 1);
  const small = sign | SMALL;
  const isTag = (small >= LETTER_A && small <= LETTER_Z) || sign === SLASH || sign === BANG;
  return isTag ? text.indexOf(">", at) : -1;
}

// --- internal ---

const SMALL = 0x20;
const LETTER_A = 0x61;
const LETTER_Z = 0x7a;
const SLASH = 0x2f;
const BANG = 0x21;
