import { describe, expect, test } from "vitest";
import { hiddenFrom } from "../../src/data/units.js";
import type { Event } from "../../src/types/index.js";

const event = (id: string, content: string, date?: string): Event => ({
  id,
  ...(date === undefined ? {} : { date }),
  fields: { id },
  content,
  document: content,
});
const question = (content: string, date?: string) => ({
  id: "q",
  text: content,
  query: content,
  content,
  ...(date === undefined ? {} : { date }),
});

describe("what a question may see of its user's past", () => {
  test("is everything up to its own day, that day included", () => {
    const judge = hiddenFrom(question("new", "2020-05-02"));
    const reasons = ["2020-05-01", "2020-05-02", "2020-05-03", "2021", undefined].map((date) =>
      judge(event("e", "old", date)),
    );
    expect(reasons).toEqual([undefined, undefined, "later", "later", undefined]);
  });

  test("is everything where the question has no date", () =>
    expect(hiddenFrom(question("new"))(event("e", "old", "2999-01-01"))).toBeUndefined());

  test("is never the question itself nor its text, whatever their dates", () => {
    const judge = hiddenFrom(question("The same", "2020"));
    expect(judge(event("q", "old", "1999"))).toBe("own");
    expect(judge(event("e", "the SAME", "1999"))).toBe("sameText");
    expect(judge(event("e", "the same thing", "1999"))).toBeUndefined();
  });
});
