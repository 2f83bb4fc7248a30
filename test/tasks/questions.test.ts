import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import { officialCitationQuery } from "../../src/tasks/lamp1.js";
import type { RawItem } from "../../src/types/index.js";

const citation = (title: string, first: string, second: string): string =>
  `For an author who has written the paper with the title "${title}", which reference is related? Just answer with [1] or [2] without explanation. [1]: "${first}" [2]: "${second}"`;

const ask = (task: string, input: string) => tasks.get(task).question({ id: "q1", input, date: "2020-01-02" });

describe("reading a question", () => {
  test.each([
    ["lamp2m", "tags: [a, b] description: A man. description: again", "A man. description: again"],
    ["lamp2n", "categories: [a] article: One: two", "One: two"],
    ["lamp3", "score of the following review on a scale. review: Bad. review: worse", "Bad. review: worse"],
    ["lamp4", "Generate a headline for the following article: It rains.", "It rains."],
    ["lamp5", "Generate a title for the following abstract of a paper: Abstract: we", "Abstract: we"],
    ["lamp7", "Paraphrase the following tweet without any explanation before or after it: hi: there ", "hi: there"],
  ])("%s searches with what stands behind its first marker", (task, input, content) => {
    expect(ask(task, input)).toMatchObject({ content, query: content });
  });

  test("LaMP-1 searches with the two options and is about its own title", () => {
    expect(ask("lamp1", citation("Own", "First", "Second"))).toMatchObject({ content: "Own", query: "First Second" });
  });

  test("quotes inside LaMP-1 titles do not shift the options, as they do for the official scanner", () => {
    const input = citation('The "best" one', 'Say "no"', "Second");
    expect(ask("lamp1", input)).toMatchObject({ content: 'The "best" one', query: 'Say "no" Second' });
    expect(officialCitationQuery(input)).toBe(" one Say ");
  });

  test("LaMP-1 falls back to the scanner for another wording", () => {
    expect(ask("lamp1", 'Paper "Own": is it "A" or "B"?')).toMatchObject({ content: "Own", query: "A B" });
    expect(ask("lamp1", "no quotes at all").query).toBe("no quotes at all");
  });
});

describe("reading an event", () => {
  test("the retrieval document never holds the label of a label task", () => {
    const event = tasks.get("lamp2n").event({ id: "1", title: "T", text: "x y", category: "sports", date: "2019" });
    expect(event).toMatchObject({ content: "x y", document: "T x y", label: "sports", date: "2019" });
  });

  test("a stock LaMP-1 paper has no label, a prepared one has", () => {
    const stock: RawItem = { id: "1", title: "T", abstract: "  a" };
    const { lamp1 } = { lamp1: tasks.get("lamp1") };
    expect(lamp1.event(stock)).toMatchObject({ content: "T", document: "T   a" });
    expect("label" in lamp1.event(stock)).toBe(false);
    expect(lamp1.event({ ...stock, option1: "A", option2: "B", label: "[2]" }).label).toBe("[2]");
  });

  test("shows date, content and label on one line", () => {
    const { formatEvent: show, event } = tasks.get("lamp2m");
    expect(show(event({ id: "1", description: "A\n heist.", tag: "action", date: "2019-02-27" }))).toBe(
      "2019-02-27 | movie: A heist. | tag: action",
    );
    expect(show(event({ id: "1", description: "A heist." }))).toBe("movie: A heist.");
    const lamp1 = tasks.get("lamp1");
    expect(lamp1.formatEvent(lamp1.event({ id: "1", title: "T", option1: "A", option2: "B", label: "[2]" }))).toBe(
      'paper: T | options: [1] "A" [2] "B" | reference: [2]',
    );
  });
});

describe("posing an event as a question", () => {
  test("uses the wording of a real question up to its marker", () => {
    const task = tasks.get("lamp3");
    const event = task.event({ id: "e", text: "Great {review: }.", score: "5", date: "2018-01-01" });
    expect(task.pose(event, ask("lamp3", "Score this. review: other"))).toMatchObject({
      id: "e",
      date: "2018-01-01",
      text: "Score this. review: Great {review: }.",
      content: "Great {review: }.",
    });
  });

  test("uses the official wording where no question is given", () => {
    const task = tasks.get("lamp2m");
    const posed = task.pose(task.event({ id: "e", description: "A heist.", tag: "action" }));
    expect(posed?.text).toMatch(
      /^Which tag does this movie relate to .* tags: \[sci-fi, .*, true story\] description: A heist\.$/,
    );
  });

  test("LaMP-1 puts title and options into the wording", () => {
    const task = tasks.get("lamp1");
    const event = task.event({ id: "e", title: "T", abstract: "", option1: 'A "x"', option2: "B", label: "[1]" });
    expect(task.pose(event)?.text).toBe(citation("T", 'A "x"', "B"));
    expect(task.pose(event, ask("lamp1", citation("o", "p", "q")))).toMatchObject({
      text: citation("T", 'A "x"', "B"),
      query: 'A "x" B',
    });
  });

  test("an event without a label, or a tweet without its source, cannot be posed", () => {
    const lamp1 = tasks.get("lamp1");
    const lamp7 = tasks.get("lamp7");
    expect(lamp1.pose(lamp1.event({ id: "e", title: "T", abstract: "" }))).toBeUndefined();
    expect(lamp7.pose(lamp7.event({ id: "e", text: "hi" }))).toBeUndefined();
  });
});
