/**
 * Linear scanning of replies. A reply can be a megabyte of one character, and an expression such as `\s+$` or
 * `A[\s\S]*?B` starts over at every character of it: quadratic time, in which no signal is handled.
 */

interface Span {
  readonly start: number;
  readonly end: number;
}

/** The texts between marks, from where the first mark begins to where the last one ends. */
interface Between extends Span {
  readonly parts: readonly string[];
}

/** A text, or an expression with the flag `g` that takes linear time itself. */
type Mark = string | RegExp;

/**
 * The texts between consecutive marks, each mark at its first place behind the one before, as `A([^]*?)B([^]*?)C` finds
 * them. Undefined where a mark is missing.
 */
export function between(text: string, marks: readonly Mark[], from = 0): Between | undefined {
  const parts: string[] = [];
  let start = -1;
  let end = from;
  for (const mark of marks) {
    const at = find(text, mark, end);
    if (at === undefined) return undefined;
    if (start < 0) start = at.start;
    else parts.push(text.slice(end, at.start));
    end = at.end;
  }
  return { parts, start, end };
}

/** The same, time after time to the end of the text. */
export function everyBetween(text: string, marks: readonly Mark[]): Between[] {
  const found: Between[] = [];
  for (let next = between(text, marks); next !== undefined; next = between(text, marks, next.end)) found.push(next);
  return found;
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

function find(text: string, mark: Mark, from: number): Span | undefined {
  if (typeof mark === "string") {
    const start = text.indexOf(mark, from);
    return start < 0 ? undefined : { start, end: start + mark.length };
  }
  mark.lastIndex = from;
  const found = mark.exec(text);
  return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
}
