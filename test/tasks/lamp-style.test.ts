import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import type { AssembleSettings, RawItem } from "../../src/types/index.js";

const WHOLE: AssembleSettings = { maxTokens: 0 };

function assemble(name: string, input: string, items: readonly RawItem[], settings: AssembleSettings = WHOLE): string {
  const task = tasks.get(name);
  const style = task.styles.lamp;
  if (style === undefined) throw new Error("no style lamp");
  return style.assemble(task.question({ id: "q", input }), items.map(task.event), settings);
}

const review = (id: string, text: string, score = "5"): RawItem => ({ id, text, score });

describe("the LaMP prompt style", () => {
  test.each<[string, string, RawItem[], string]>([
    [
      "lamp1",
      'the title "T", title',
      [
        { id: "1", title: "A" },
        { id: "2", title: "B" },
      ],
      'the title, and "A", and "B" "T", title',
    ],
    [
      "lamp2m",
      "Q",
      [
        { id: "1", description: "d", tag: "action" },
        { id: "2", description: "e", tag: "comedy" },
      ],
      'the tag for the movie: "d" is "action" , and the tag for the movie: "e" is "comedy" . Q',
    ],
    ["lamp2n", "Q", [{ id: "1", text: "t", category: "sports" }], 'the category for the article: "t" is "sports" . Q'],
    ["lamp3", "Q", [review("1", "t", "2")], '2 is the score for "t" . Q'],
    ["lamp4", "Q", [{ id: "1", text: "t", title: "H" }], '"H" is the title for "t" . Q'],
    [
      "lamp5",
      "Q",
      [{ id: "1", abstract: " a", title: "H" }],
      '"H" is a title for " a" . Following the given patterns Q',
    ],
    ["lamp7", "Q", [{ id: "1", text: "t" }], '"t"  are written by a person. Following the given patterns Q'],
  ])("%s", (name, input, items, prompt) => {
    expect(assemble(name, input, items)).toBe(prompt);
  });

  test("collapses whitespace of item texts alone, where asked to, cut or not", () => {
    const item = [review("1", "  a\n\n b\tc  ")];
    const collapsed = (maxTokens: number) => assemble("lamp3", "Q  q", item, { maxTokens, itemText: "collapsed" });
    expect([collapsed(0), collapsed(256)]).toEqual(Array(2).fill('5 is the score for "a b c" . Q  q'));
    expect(assemble("lamp3", "Q  q", item)).toBe('5 is the score for "  a\n\n b\tc  " . Q  q');
  });

  test("shares a token budget evenly and hands on what short items save", () => {
    const items = [review("1", "a"), review("2", "b c d e f g h i j k")];
    // 30 tokens - 2 of the input - 1 - 2 for the join = 25, 12 each; an item needs 8 beside its text.
    expect(assemble("lamp3", "Q", items, { maxTokens: 30 })).toBe(
      '5 is the score for "a" , and 5 is the score for "b c d e f" . Q',
    );
  });

  test("takes from the input's share when items do not fit, and gives the plain input when nothing helps", () => {
    // An item needs 8 tokens beside its text: 20 - 12 - 1 leaves 7, with half of the budget for the input 9.
    const long = Array.from({ length: 40 }, (_, index) => `w${index}`).join(" ");
    expect(assemble("lamp3", long, [review("1", "a b c d")], { maxTokens: 20 })).toBe(
      `5 is the score for "" . ${long}`,
    );
    expect(assemble("lamp3", long, [review("1", "a")], { maxTokens: 5 })).toBe(long);
  });
});
