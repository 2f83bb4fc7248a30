import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import { eventOfAnswer } from "../../src/tasks/prequential.js";
import type { RawItem } from "../../src/types/index.js";

const noBudget = { maxTokens: 0 };
const review = tasks.get("longlamp-review");
const abstract = tasks.get("longlamp-abstract");
const topic = tasks.get("longlamp-topic");

const kettle: RawItem = {
  id: "r1",
  overall: "5.0",
  summary: "Hot",
  description: "A kettle",
  reviewText: "It boils.\nFast.",
};
const tent: RawItem = { id: "r2", overall: "1.0", summary: "Wet", description: "A tent", reviewText: "It leaks." };

/** The strings of prompts/prompts.py @41412fe, counted out by hand. */
describe("LongLaMP's documents, queries and prompts are the official ones", () => {
  test("review", () => {
    const style = review.styles.lamp!;
    const question = review.question({ id: "q", input: 'Generate the review text ... "Dry".' });
    expect(style.document(review.event(kettle))).toBe("5.0 Hot A kettle It boils.\nFast.");
    expect(style.query(question)).toBe('Generate the review text ... "Dry".');
    expect(style.assemble(question, [kettle, tent].map(review.event), noBudget)).toBe(
      '"5.0" is a rating for the product with description "A kettle". "Hot" is summary for "It boils.\nFast." , and ' +
        '"1.0" is a rating for the product with description "A tent". "Wet" is summary for "It leaks." . ' +
        'Following the given patterns Generate the review text ... "Dry".',
    );
    expect(review.event(kettle).label).toBe(kettle.reviewText);
  });

  test("abstract, cut at its first 750 words, and searched by what stands behind items:", () => {
    const style = abstract.styles.lamp!;
    const words = Array.from({ length: 760 }, (_, i) => `w${i}`);
    const event = abstract.event({ id: "r1", title: "Tides", abstract: words.join("  ") });
    const input = 'Generate an abstract for the title "Seas" using the following items: salt, items: wind';
    const question = abstract.question({ id: "q", input });
    expect(style.query(question)).toBe("salt, items: wind");
    expect(style.document(event)).toBe(`Tides ${words.join("  ")}`);
    expect(style.assemble(question, [event], noBudget)).toBe(
      `"${words.slice(0, 750).join(" ")}" is the abstract for the title "Tides". Use the above abstracts as context to understand the style and language of the user and, ${input}`,
    );
    expect(abstract.question({ id: "q", input: " no list " }).query).toBe("no list");
  });

  test("topic", () => {
    const style = topic.styles.lamp!;
    const event = topic.event({ id: "r1", summary: "Cats", content: "I like cats." });
    const question = topic.question({ id: "q", input: "Generate the content for a reddit post Dogs" });
    expect(style.document(event)).toBe("Cats I like cats.");
    expect(style.assemble(question, [event], noBudget)).toBe(
      '"Cats" is a summary for "I like cats." . Following the given patterns, Generate the content for a reddit post Dogs',
    );
  });

  test.each([review, abstract, topic])("$name without history items asks the input alone", (task) => {
    const question = task.question({ id: "q", input: "Write it." });
    expect(task.styles.lamp!.assemble(question, [], noBudget)).toBe("Write it.");
  });

  test.each([
    [review, kettle],
    [review, { ...kettle, description: 'A "small" kettle, 2"', summary: 'My "Hot" one' }],
    [abstract, { id: "r1", title: 'On "tides"', abstract: "a" }],
    [topic, { id: "r1", summary: "Cats: why", content: "c" }],
  ])("$name: a history item that is the question itself is known by its content", (task, fields) => {
    const event = task.event(fields);
    expect(task.pose(event)?.content).toBe(event.content);
  });

  test.each([
    [review, kettle],
    [abstract, { id: "r1", title: "Tides", abstract: "a" }],
    [topic, { id: "r1", summary: "Cats: why", content: "c" }],
  ])("$name: an answered question of --online is a history item like any other", (task, fields) => {
    const event = task.event(fields);
    expect(eventOfAnswer(task, task.pose(event)!, event.label!)).toEqual(event);
  });
});

test("an item's block of the list is what methods that go by days summarize together", () => {
  for (const { event, benchmark } of tasks.all)
    if (benchmark === "LongLaMP") expect(event({ id: "r11", session: "2" }).session).toBe("2");
  expect.hasAssertions();
});
