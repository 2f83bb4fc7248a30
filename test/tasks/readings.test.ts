import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import { namedLabel } from "../../src/tasks/reply-reading.js";
import type { Reading } from "../../src/types/index.js";

const citation =
  'For an author who has written the paper with the title "T", which reference is related? Just answer with [1] or [2] without explanation. [1]: "Fast sorting." [2]: "Slow sorting"';
const read = (reading: Reading): string | undefined => (reading.kind === "answer" ? reading.answer : undefined);
const strict = (task: string, reply: string) => read(tasks.get(task).strict(reply));
const lenient = (task: string, reply: string, input = "") => {
  const { lenient, question } = tasks.get(task);
  return read(lenient(reply, question({ id: "q", input })));
};

describe("the strict reading", () => {
  test.each([
    ["lamp2m", " comedy\n", "comedy"],
    ["lamp2m", "Comedy", undefined],
    ["lamp2m", "comedy.", undefined],
    ["lamp1", "[1]", "[1]"],
    ["lamp1", "1", undefined],
    ["lamp3", " 4.5 ", "4.5"],
    ["lamp3", "10", "10"],
    ["lamp3", "5/5", undefined],
    ["lamp3", "nan", undefined],
    ["lamp3", "1e39", undefined],
    ["lamp4", " A Title \n", "A Title"],
    ["lamp4", "", ""],
  ])("%s reads %j as %j", (task, reply, answer) => {
    expect(strict(task, reply)).toBe(answer);
  });
});

describe("the lenient reading of labels", () => {
  test.each([
    ["dark comedy", "dark comedy"],
    ["**Comedy**", "comedy"],
    ['"comedy."', "comedy"],
    ["```\ncomedy\n```", "comedy"],
    ["Thought: no. Final Answer: dark comedy.", "dark comedy"],
    ["The tag is dark comedy because it is bleak.", "dark comedy"],
    ["comedy\n\nThere is some romance in it, too.", "comedy"],
    ["I would say Sci-Fi", "sci-fi"],
    ["comedy or romance", undefined],
    ["comedy, not dark comedy", undefined],
    ["tragicomedy", undefined],
    ["non-violence", undefined],
    ["", undefined],
  ])("reads %j as %j", (reply, answer) => {
    expect(lenient("lamp2m", reply)).toBe(answer);
  });
});

describe("the lenient reading of LaMP-1", () => {
  test.each([
    ["1", "[1]"],
    ["[2]", "[2]"],
    ["Reference [1]", "[1]"],
    ["Reference: 2", "[2]"],
    ['Final Answer: [1]: "Fast sorting"', "[1]"],
    ["slow sorting", "[2]"],
    ["Fast sorting", "[1]"],
    ["[1] rather than [2]", undefined],
    ["12", undefined],
    ["neither", undefined],
  ])("reads %j as %j", (reply, answer) => {
    expect(lenient("lamp1", reply, citation)).toBe(answer);
  });
});

describe("the lenient reading of ratings", () => {
  test.each([
    ["4", "4"],
    ["4.5", "4.5"],
    ["**5**", "5"],
    ["Score: 3.", "3"],
    ["4 out of 5", "4"],
    ["On a scale of 1 to 5, a 4.", "4"],
    ["From 1 to 5 I would say 2", "2"],
    ["On the 1-5 scale: **3**", "3"],
    ["4/5 stars", "4"],
    ["I'd give it 10 points", undefined],
    ["about 4.5 stars", undefined],
    ["five", undefined],
  ])("reads %j as %j", (reply, answer) => {
    expect(lenient("lamp3", reply)).toBe(answer);
  });
});

describe("the lenient reading of texts", () => {
  test.each([
    ['Headline: "Rain Again"', "Rain Again"],
    ["Final Answer: Rain Again.", "Rain Again"],
    ["Wait and see...", "Wait and see..."],
    ['""', undefined],
    ["  ", undefined],
  ])("reads %j as %j", (reply, answer) => {
    expect(lenient("lamp4", reply)).toBe(answer);
  });
});

test("a label that begins another one is found only where it stands alone", () => {
  const found = ["It is a dark comedy film.", "It is a dark film."].map(namedLabel(["dark", "dark comedy"]));
  expect(found.map(read)).toEqual(["dark comedy", "dark"]);
});
