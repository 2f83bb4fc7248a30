import { describe, expect, test } from "vitest";
import { readView, writeView } from "../../../src/report/page/browser/address.js";
import { type Filter, filterRows, noFilter, sameQuestion } from "../../../src/report/page/browser/filter.js";
import type { PackedRows } from "../../../src/report/page/packed.js";

/** Two methods on two questions of lamp2m, one of them on a question of lamp3 (mae), and one failed row. */
const rows: PackedRows = {
  arms: [
    { task: "lamp2m", dataset: "d", label: "prompt", metric: { name: "accuracy", better: "higher", exact: true } },
    { task: "lamp2m", dataset: "d", label: "rag", metric: { name: "accuracy", better: "higher", exact: true } },
    { task: "lamp3", dataset: "d", label: "rag", metric: { name: "mae", better: "lower", exact: true } },
    { task: "lamp4", dataset: "d", label: "rag", metric: { name: "rouge-1", better: "higher", exact: false } },
  ],
  cells: [0, 1, 2, 3].map((arm) => ({ id: `c${arm}`, arm, repeat: 0 })),
  users: ["ann", "bob"],
  questions: ["q1", "q2"],
  askedTexts: ["A heist goes wrong", "Two robots fall in love"],
  texts: ["comedy", "action", "HTTP 529", "5", "2", "A Headline"],
  //             prompt  rag    mae rouge
  cell: /*   */ [0, 0, 1, 1, 2, 2, 3],
  user: /*   */ [0, 1, 0, 1, 0, 1, 0],
  question: [0, 1, 0, 1, 0, 1, 0],
  asked: /* */ [0, 1, 0, 1, 0, 1, 0],
  kind: "aaaufaa",
  gold: /*   */ [0, 0, 0, 0, 3, 3, 5],
  reply: /*  */ [0, 1, 1, 0, 2, 4, 5],
  reading: [0, 1, 1, -1, -1, 4, 5],
  value: /*  */ [1, 0, 0, 0, null, 3, 0.4],
  unit: [-1, -1, -1, -1, -1, -1, -1],
  units: [],
  transcript: [0, 1, 2, 3, 4, 5, 6],
  rowChunks: [],
  unitChunks: [],
};
const found = (filter: Partial<Filter>, hits?: Uint8Array) => filterRows(rows, { ...noFilter, ...filter }, hits);

describe("the filter of the answers", () => {
  test("without a wish shows all of them in order", () => expect(found({})).toEqual([0, 1, 2, 3, 4, 5, 6]));

  test("by what the question says", () => expect(found({ text: "robots" })).toEqual([1, 3, 5]));

  test("by task, method and user, each alone and together", () => {
    expect(found({ task: "lamp2m" })).toEqual([0, 1, 2, 3]);
    expect(found({ method: "rag" })).toEqual([2, 3, 4, 5, 6]);
    expect(found({ user: "bob" })).toEqual([1, 3, 5]);
    expect(found({ task: "lamp2m", method: "rag", user: "ann" })).toEqual([2]);
    expect(found({ user: "b" })).toEqual([]);
  });

  test("right and wrong by the metric's own direction; texts are neither", () => {
    expect(found({ show: "right" })).toEqual([0]);
    expect(found({ show: "wrong" })).toEqual([1, 2, 3, 5]);
  });

  test("unparsed and failed", () => {
    expect(found({ show: "unparsed" })).toEqual([3]);
    expect(found({ show: "failed" })).toEqual([4]);
  });

  test("flipped, gained and lost against another method on the same question", () => {
    expect(found({ show: "flipped", against: "prompt" })).toEqual([2]);
    expect(found({ show: "lost", against: "prompt" })).toEqual([2]);
    expect(found({ show: "gained", against: "prompt" })).toEqual([]);
    expect(found({ show: "gained", against: "rag" })).toEqual([0]);
    expect(found({ show: "flipped", against: "" })).toEqual([]);
  });

  test("by text in golds, replies, errors, users and questions, in any case", () => {
    expect(found({ text: "ACTION" })).toEqual([1, 2]);
    expect(found({ text: "http" })).toEqual([4]);
    expect(found({ text: " ann " })).toEqual([0, 2, 4, 6]);
    expect(found({ text: "q2" })).toEqual([1, 3, 5]);
    expect(found({ text: "nowhere" })).toEqual([]);
    expect(found({ text: "nowhere" }, Uint8Array.of(0, 0, 1, 0, 0, 0, 0))).toEqual([2]);
  });

  test("worst and best first, each by its metric, those without a score last", () => {
    expect(found({ order: "worst" })).toEqual([5, 1, 2, 3, 6, 0, 4]);
    expect(found({ order: "best" })).toEqual([0, 6, 1, 2, 3, 5, 4]);
  });

  test("the same question by other methods", () =>
    expect([...sameQuestion(rows, 0)]).toEqual([
      ["prompt", 0],
      ["rag", 2],
    ]));
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
