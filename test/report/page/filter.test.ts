import { describe, expect, test } from "vitest";
import { readView, writeView } from "../../../src/report/page/browser/address.js";
import { type Filter, filterQuestions, noFilter } from "../../../src/report/page/browser/filter.js";
import { besideOf, runOf } from "../../../src/report/page/browser/run.js";
import type { PackedArm } from "../../../src/report/page/packed.js";

const accuracy = { name: "accuracy", better: "higher", exact: true } as const;
const arm = (task: number, label: string, metric: NonNullable<PackedArm["metric"]> = accuracy): PackedArm => ({
  task,
  label,
  metric,
});

/** Three questions of lamp2m by two methods, two of lamp3 (mae) and of lamp4 by one, one of which failed. */
const run = runOf({
  tasks: ["lamp2m", "lamp3", "lamp4"],
  arms: [
    arm(0, "prompt"),
    arm(0, "rag"),
    arm(1, "rag", { name: "mae", better: "lower", exact: true }),
    arm(2, "rag", { name: "rouge-1", better: "higher", exact: false }),
  ],
  cells: [0, 1, 2, 3].map((arm) => ({ id: `c${arm}`, arm, repeat: 0 })),
  users: ["ann", "bob"],
  questions: [
    { id: "q1", task: 0, repeat: 0, user: 0, gold: 0, asked: "A heist goes wrong" },
    { id: "q2", task: 0, repeat: 0, user: 1, gold: 0, asked: "Two robots fall in love" },
    { id: "q3", task: 0, repeat: 0, user: 1, gold: 0, asked: "A storm" },
    { id: "q1", task: 1, repeat: 0, user: 0, gold: 3, asked: "A heist goes wrong" },
    { id: "q2", task: 1, repeat: 0, user: 1, gold: 3, asked: "Two robots fall in love" },
    { id: "q1", task: 2, repeat: 0, user: 0, gold: 5, asked: "A heist goes wrong" },
  ],
  texts: ["comedy", "action", "HTTP 529", "5", "2", "A Headline"],
  question: [0, 0, 1, 1, 2, 2, 3, 4, 5],
  cell: /* */ [0, 1, 0, 1, 0, 1, 2, 2, 3],
  kind: "aaauaafaa",
  reply: /**/ [0, 1, 1, 0, 0, 0, 2, 4, 5],
  reading: [0, 1, 1, -1, 0, 0, -1, 4, 5],
  value: /**/ [1, 0, 0, 0, 1, 1, null, 3, 0.4],
  unit: [0, 0, 0, 0, 0, 0, 0, 0, 0],
  units: [],
  answerChunks: [],
  unitChunks: [],
});
const found = (filter: Partial<Filter>, hits?: Uint8Array) =>
  filterQuestions(run, { ...noFilter, order: "run", ...filter }, hits);

describe("the filter of the questions", () => {
  test("without a wish shows the first task in order", () => expect(found({})).toEqual([0, 1, 2]));

  test("by what the question says", () => expect(found({ text: "robots" })).toEqual([1]));

  test("by task and user, each alone and together", () => {
    expect(found({ task: "lamp3" })).toEqual([3, 4]);
    expect(found({ user: "bob" })).toEqual([1, 2]);
    expect(found({ task: "lamp3", user: "ann" })).toEqual([3]);
    expect(found({ user: "b" })).toEqual([]);
  });

  test("right and wrong by the metric's own direction, by any method or one; texts are neither", () => {
    expect(found({ show: "right" })).toEqual([0, 2]);
    expect(found({ show: "right", method: "rag" })).toEqual([2]);
    expect(found({ show: "wrong" })).toEqual([0, 1]);
    expect(found({ show: "wrong", task: "lamp3" })).toEqual([4]);
    expect(found({ show: "wrong", task: "lamp4" })).toEqual([]);
  });

  test("unparsed and failed", () => {
    expect(found({ show: "unparsed" })).toEqual([1]);
    expect(found({ show: "failed", task: "lamp3" })).toEqual([3]);
  });

  test("flipped, gained and lost against another method on the same question", () => {
    expect(found({ show: "flipped", against: "prompt" })).toEqual([0]);
    expect(found({ show: "lost", against: "prompt" })).toEqual([0]);
    expect(found({ show: "gained", against: "prompt" })).toEqual([]);
    expect(found({ show: "gained", against: "rag" })).toEqual([0]);
    expect(found({ show: "flipped", against: "" })).toEqual([]);
  });

  test("by text in golds, replies, errors, users and questions, in any case", () => {
    expect(found({ text: "ACTION" })).toEqual([0, 1]);
    expect(found({ text: "http", task: "lamp3" })).toEqual([3]);
    expect(found({ text: " ann " })).toEqual([0]);
    expect(found({ text: "q2" })).toEqual([1]);
    expect(found({ text: "nowhere" })).toEqual([]);
    expect(found({ text: "nowhere" }, Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0))).toEqual([1]);
  });

  test("most disagreement, worst and best first, those without a score last", () => {
    expect(found({ order: "differ" })).toEqual([0, 1, 2]);
    expect(found({ order: "worst" })).toEqual([1, 0, 2]);
    expect(found({ order: "best" })).toEqual([2, 0, 1]);
    expect(found({ order: "worst", task: "lamp3" })).toEqual([4, 3]);
  });

  test("an answer stands beside the first method's, and that one beside one that scored otherwise", () => {
    expect(besideOf(run, 1)).toBe(0);
    expect(besideOf(run, 0)).toBe(1);
    expect(besideOf(run, 8)).toBeUndefined();
  });
});

describe("the address of what is shown", () => {
  test("reads back what it wrote, blanks and signs included", () => {
    const view = {
      filter: { ...noFilter, text: "a & b = c", show: "lost" as const, against: "rag (k=4)" },
      row: "c0/q%2F1",
    };
    expect(readView(writeView(view))).toEqual(view);
  });

  test("leaves out what is not asked for", () =>
    expect(writeView({ filter: { ...noFilter, task: "lamp3", against: "rag" }, row: undefined })).toBe("#task=lamp3"));

  test("of a section is none of ours, and unknown words are no filter", () => {
    expect(readView("#results")).toBeUndefined();
    expect(readView("")).toBeUndefined();
    expect(readView("#show=everything")?.filter).toEqual(noFilter);
  });
});
