import { describe, expect, test } from "vitest";
import { foreignWording } from "../../src/data/record.js";
import { tasks } from "../../src/tasks/index.js";
import type { RawItem, Task } from "../../src/types/index.js";

const item: RawItem = {
  id: "1",
  title: "t",
  text: "x",
  abstract: "a",
  description: "d",
  tag: "comedy",
  category: "politics",
  score: "3",
  option1: "one",
  option2: "two",
  label: "[1]",
};
const posed = (task: Task): string => task.pose(task.event(item))?.text ?? "";
/** Its past cannot be posed as questions, so its wording is written out. */
const tweet = "Paraphrase the following tweet without any explanation before or after it: x";
const questions = [
  ...["lamp1", "lamp2m", "lamp2n", "lamp3", "lamp4", "lamp5"].map((name): [string, string] => [
    name,
    posed(tasks.get(name)),
  ]),
  ["lamp7", tweet] as [string, string],
];

describe("the official wording of a task", () => {
  test.each(questions)("%s is told from that of every other task", (name, question) => {
    for (const [other] of questions) expect(foreignWording(question, other)).toBe(other === name ? undefined : name);
  });

  test("is no matter to a wording of one's own, nor to a task of one's own", () => {
    expect(foreignWording("How many stars? review: fine", "lamp3")).toBeUndefined();
    expect(foreignWording(tweet, "my-tweets")).toBeUndefined();
  });
});
