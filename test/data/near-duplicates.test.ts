import { describe, expect, it } from "vitest";
import { nearDuplicates } from "../../src/data/near-duplicates.js";
import { seeded } from "../../src/random/seeded.js";

const TEXT = "A retired keeper finds a wounded sailor on the rocks below his tower after a long storm at sea";
const isNear = (one: string, other: string, near?: number): boolean => nearDuplicates([one], near).of(other).length > 0;

describe("near-duplicates", () => {
  it("are found in either direction: as the indexed text and as the one that is looked up", () => {
    const appended = `${TEXT}. And a great deal more is told of the daughter whom he had lost many years ago in spring.`;
    expect(isNear(TEXT, appended)).toBe(true);
    expect(isNear(appended, TEXT)).toBe(true);
  });

  it("may differ in as large a share of their words as the threshold leaves, and in no larger one", () => {
    const words = Array.from({ length: 20 }, (_, i) => `word${i}`);
    const changed = (count: number): string =>
      words.map((word, i) => (i % 5 === 2 && i < count * 5 ? `other${i}` : word)).join(" ");
    expect(isNear(words.join(" "), changed(4), 0.8)).toBe(true);
    expect(isNear(words.join(" "), changed(4), 0.85)).toBe(false);
  });

  it("are no texts that share their subject or a few common words only", () => {
    expect(
      isNear(TEXT, "A retired keeper of a museum finds a painting on the wall below the window of his daughter"),
    ).toBe(false);
    expect(isNear("", "")).toBe(false);
    expect(isNear("Good film", "Good book")).toBe(false);
  });

  it("are measured word for word, unknown words included: two of them are not taken for the same", () => {
    expect(isNear("one two three four five six", "one two three four alpha beta")).toBe(false);
    expect(isNear("Good film", "good FILM!")).toBe(true);
  });

  it("are compared without markup: tags alone make none, and hide none", () => {
    const video = (id: number, more = ""): string =>
      `<div id="video-block-R${id}" class="a-section a-spacing-small a-spacing-top-mini video-block"></div><input type="hidden" name="" value="https://example.com/${id}" class="video-url">${more}`;
    expect(isNear(video(1), video(2))).toBe(false);
    expect(isNear(video(1, "Loved it"), video(2, TEXT))).toBe(false);
    const marked = TEXT.split(" ").join('<br class="a">');
    for (const [one, other] of [
      [TEXT, marked],
      [marked, TEXT],
      [`<p>${TEXT}</p>`, `${TEXT}<!-- it's é -->`],
    ] as const) {
      expect(isNear(one, other, 1)).toBe(true);
      expect(nearDuplicates([one, ""], 1).of(other)).toEqual([0]);
    }
  });

  it.each([
    ["I don't think that it's worth it", "I don&#039;t think that it&rsquo;s worth it"],
    ['a "great" little phone case', "a &#34;great&#34; little phone case"],
    ["the café by the lake is naïve", "the caf&eacute; by the lake is na&amp;iuml;ve"],
    ["a pan that heats evenly", "&lt;br /&gt;a pan&#60;br&#x3E;that heats evenly"],
  ])("are compared with HTML escapes read: %s", (text, escaped) => {
    expect(isNear(text, escaped, 1)).toBe(true);
    expect(isNear(escaped, text, 1)).toBe(true);
  });

  it("keep what is no escape", () => {
    expect(
      isNear(
        "A &constructor; of &things; &amp and &#99999999; more",
        "a constructor of things amp and 99999999 more",
        1,
      ),
    ).toBe(true);
  });

  it.each([
    "这个产品非常好用，我很喜欢它的颜色和设计",
    "この製品はとても使いやすくて色もデザインも大好きです",
    "สินค้านี้ดีมากและส่งเร็วมาก",
  ])("are found where words are written without blanks: %s", (text) => {
    const middle = Math.floor(text.length / 2);
    expect(isNear(text, `${text.slice(0, middle)}${text[0]}${text.slice(middle + 1)}`)).toBe(true);
    expect(isNear(text, [...text].sort().join(""))).toBe(false);
  });

  it.each([
    ["今天不下雨", "今天要下雨"], // it will not rain, it will
    ["张伟的电影评论", "张强的电影评论"], // another one's reviews
    ["これは安いです", "これは高いです"], // cheap, dear
    ["เขามาแล้วเมื่อวาน", "เรามาแล้วเมื่อวาน"], // he came, we came
    ["iPhone 15 很好用", "iPhone 16 很好用"],
  ])(
    "are not found of fewer than five words written without blanks, of which one sign says another thing: %s",
    (one, other) => {
      for (const [text, asked] of [
        [one, other],
        [other, one],
      ] as const) {
        expect(isNear(text, asked)).toBe(false);
        expect(isNear(text, `${text}!`)).toBe(true); // but the very same words
        expect(nearDuplicates([text, one, "x"]).of(asked)).toEqual(asked === one ? [1] : []);
      }
    },
  );

  it("are found from five words on: two signs of Chinese and Japanese for one, four of Thai", () => {
    for (const [sign, other, count] of [
      ["好", "不", 10],
      ["の", "好", 10],
      ["ก", "ข", 20],
    ] as const) {
      const changed = (length: number) => isNear(sign.repeat(length), `${sign.repeat(length - 1)}${other}`);
      expect([changed(count - 1), changed(count)]).toEqual([false, true]);
    }
    expect(isNear("one two three four 好", "one two three four 不")).toBe(false);
    expect(isNear("one two three four 好好", "one two three four 好不")).toBe(true);
    const [few, more] = ["好".repeat(9), "好".repeat(11)];
    for (const [one, other] of [
      [few, more],
      [more, few],
    ] as const) {
      expect(isNear(one, other)).toBe(false);
      expect(nearDuplicates([one, ""]).of(other)).toEqual([]);
    }
  });

  it("keep the words of what only looks like a tag", () => {
    expect(isNear("a < b and so are all of them > c", "a and so are c")).toBe(false);
    expect(isNear(`${TEXT} <3 and more >`, `${TEXT} 3 and more`, 1)).toBe(true);
    expect(isNear(`${TEXT} <and more`, `${TEXT} and more`, 1)).toBe(true);
    expect(isNear(`<p ${"<a".repeat(1000)}`, `p ${"a ".repeat(1000)}`, 1)).toBe(true);
    const opening = "My honest thoughts about it:";
    expect(isNear(`${opening} <the zip broke on day two>`, `${opening} <soft and warm, I want more>`)).toBe(false);
    expect(isNear(`<${TEXT}>`, `<${TEXT.replace("wall", "door")}>`)).toBe(true);
  });

  it("are those that a comparison of every pair finds", () => {
    const random = seeded("near twins");
    const vocabulary = Array.from({ length: 30 }, (_, i) => `w${i}`);
    const text = (length: number): string[] => Array.from({ length }, () => vocabulary[random.below(30)]!);
    const originals = Array.from({ length: 40 }, () => text(6 + random.below(30)));
    const search = nearDuplicates(originals.map((words) => words.join(" ")));
    for (const original of originals) {
      const edited = original.map((word) => (random.next() < 0.15 ? "new" : word));
      const expected = originals.flatMap((other, i) =>
        distance(other, edited) <= Math.floor(0.2 * Math.max(other.length, edited.length) + 1e-9) ? [i] : [],
      );
      expect(search.of(edited.join(" "))).toEqual(expect.arrayContaining(expected));
    }
  });
});

/** Edits of whole words, by the full table. */
function distance(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, j) => j + 1);
  row.unshift(0);
  for (const [i, word] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries())
      next.push(Math.min(row[j]! + (word === other ? 0 : 1), row[j + 1]! + 1, next[j]! + 1));
    row = next;
  }
  return row.at(-1)!;
}
