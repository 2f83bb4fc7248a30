import { describe, expect, test } from "vitest";
import { boxedLetter, choiceQuestion, choiceTask, namedLetter, shownLetter } from "../../src/tasks/choice.js";

const letters = ["a", "b", "c", "d"];
const [strict, lenient] = [boxedLetter(letters), namedLetter(letters)];
const found = (read: typeof strict, reply: string) => {
  const reading = read(reply);
  return reading.kind === "answer" ? reading.answer : undefined;
};

describe("the letter of a reply", () => {
  test.for([
    // reply, strict, lenient
    ["\\boxed{A}", "a", "a"],
    ["\\boxed{(a)}", undefined, "a"],
    ["first \\boxed{a}, no: \\boxed{ b }", "b", "b"],
    ["\\fbox{c}", "c", "c"],
    ["d", "d", "d"],
    ["B.", undefined, "b"],
    ["<final_answer>(b)", undefined, "b"],
    ["(b) is better than (c). <final_answer>(b)</final_answer>", undefined, "b"],
    ["The answer is (b), a clear fit", undefined, "b"],
    ["a or b", undefined, undefined],
    ["\\boxed{e}", undefined, undefined],
    ["", undefined, undefined],
  ] as const)("%s is %s by the strict and %s by the lenient reading", ([reply, wanted, forgiving]) => {
    expect([found(strict, reply), found(lenient, reply)]).toEqual([wanted, forgiving]);
  });

  test.for([
    ...["(b)", "b)", "B.", "**(b)**", "b", "\\boxed{b}", "(b) A roast chicken.", "B: the roast"].map((reply) => [
      reply,
      "b",
    ]),
    ...["Option B", "Answer: (B) A roast.", "I think the answer is (b), as Ann eats meat.", "My choice: **B**."].map(
      (reply) => [reply, "b"],
    ),
    ...["a roast chicken", "option a or option b", "The answer is a roast", "(e)", "", "b and c"].map((reply) => [
      reply,
    ]),
  ])("own tasks read %s as %s", ([reply = "", wanted]) => {
    expect(found(shownLetter(letters), reply)).toBe(wanted);
  });

  test("accuracy counts letters, an unreadable reply as wrong", () => {
    const [metric] = choiceTask(4).metrics;
    const sums = new Float64Array(1);
    for (const prediction of ["\\boxed{B}", "b", "c", ""]) metric.add({ prediction, gold: "b" }, sums);
    expect(metric.value(sums, 4)).toBe(0.5);
    const own = new Float64Array(1);
    choiceTask(4, true).metrics[0].add({ prediction: "(b)", gold: "b" }, own);
    expect(own[0]).toBe(1);
  });
});

test("a question shows its options by letter, in their order, and is searched for without them", () => {
  const query = { id: "q", input: "What now?", options: ["tea", "rest"] };
  expect(choiceQuestion(query, "{input}\n{options}\nLetter?")).toEqual({
    id: "q",
    text: "What now?\n(a) tea\n(b) rest\nLetter?",
    content: "What now?",
    query: "What now?",
    options: ["tea", "rest"],
  });
});
