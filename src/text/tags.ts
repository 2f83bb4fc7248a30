/**
 * A text without its markup tags, each of which leaves a blank: a name in angle brackets, alone or with attributes that have values
 * (`<br />`, `</p>`, `<a href="...">`), and comments. What else stands between such brackets is text, and stays: `a < b`, `<3`,
 * `<very important>`, a tag that is broken off.
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
function tagEnd(text: string, at: number, last: number): number {
  if (at >= last) return -1;
  TAG.lastIndex = at;
  return TAG.test(text) ? TAG.lastIndex - 1 : -1;
}

const TAG = /<(?:!(?:--|doctype\b)[^<>]*|\/?[a-z][a-z0-9:-]*(?:\s*\/?|\s[^<>=]*=[^<>]*))>/iy;
