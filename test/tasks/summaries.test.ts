import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import type { Event } from "../../src/types/index.js";

const movies = (...tags: string[]): Event[] =>
  tags.map((tag, index) => tasks.get("lamp2m").event({ id: `${index}`, description: "d", tag }));
const reviews = (...scores: string[]): Event[] =>
  scores.map((score, index) => tasks.get("lamp3").event({ id: `${index}`, text: "t", score }));

describe("computed summaries", () => {
  const { summary } = tasks.get("lamp2m");
  test("exact states the most frequent label in OPPU's form, ties in official order", () => {
    expect(summary.modeSentences?.(movies("romance", "action", "romance"))[0]).toBe("most popular tag: romance");
    expect(summary.modeSentences?.(movies("romance", "action"))[0]).toBe("most popular tag: action");
    expect(summary.modeSentences?.([])).toEqual([]);
  });

  test("a label in several spellings that data may have is one label", () => {
    expect(summary.modeSentences?.(movies("action", "romance", " romance"))[0]).toBe("most popular tag: romance");
    expect(tasks.get("lamp3").summary.modeSentences?.(reviews("5.0", "4", "5", "1.0"))[0]).toBe(
      "most common positive score: 5, most common negative score: 1",
    );
  });

  test("counts states the whole distribution", () => {
    expect(summary.counts?.(movies("romance", "action", "romance"))).toBe(
      "tag counts over 3 movies: romance 2, action 1",
    );
    expect(summary.counts?.(movies("romance"))).toBe("tag counts over 1 movie: romance 1");
    expect(summary.counts?.([])).toBe("");
  });

  test("LaMP-3 states a positive and a negative score, 3 being neither", () => {
    const sentenceOf = (history: Event[]) => tasks.get("lamp3").summary.modeSentences?.(history)[0];
    expect(sentenceOf(reviews("5", "4", "4", "3", "3", "3", "1"))).toBe(
      "most common positive score: 4, most common negative score: 1",
    );
    expect(sentenceOf(reviews("5"))).toBe("most common positive score: 5, most common negative score: none");
    expect(sentenceOf([])).toBeUndefined();
  });

  test("where labels mean nothing by themselves there is nothing to compute", () => {
    for (const name of ["lamp1", "lamp4", "lamp5", "lamp7"])
      expect(tasks.get(name).summary.modeSentences).toBeUndefined();
  });
});
