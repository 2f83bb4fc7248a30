/**
 * Linear scanning of replies. A reply can be a megabyte of one character, and an expression such as `\s+$` or
 * `A[\s\S]*?B` starts over at every character of it: quadratic time, in which no signal is handled.
 */

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Every `<name>...</name>`, with what stands in it; `names` is an expression, letter case does not count. */
export function taggedBlocks(text: string, names: string): (Span & { readonly inner: string })[] {
  const tags = [...text.matchAll(new RegExp(`<(/?)(${names})>`, "gi"))].map(({ 0: tag, 1: slash, 2: name, index }) => ({
    closing: slash !== "",
    name: name!.toLowerCase(),
    start: index,
    end: index + tag.length,
  }));
  const lastClosing = new Map(tags.filter(({ closing }) => closing).map(({ name, start }) => [name, start]));
  const blocks: (Span & { inner: string })[] = [];
  let open: (typeof tags)[number] | undefined;
  for (const tag of tags) {
    if (open === undefined) {
      if (!tag.closing && (lastClosing.get(tag.name) ?? -1) > tag.start) open = tag;
    } else if (tag.closing && tag.name === open.name) {
      blocks.push({ start: open.start, end: tag.end, inner: text.slice(open.end, tag.start) });
      open = undefined;
    }
  }
  return blocks;
}

/** The text without these characters at its beginning and, where others are given, without those at its end. */
export function trimSigns(text: string, left: string, right = left): string {
  let start = 0;
  let end = text.length;
  while (start < end && left.includes(text[start]!)) start++;
  while (end > start && right.includes(text[end - 1]!)) end--;
  return text.slice(start, end);
}
