import { describe, expect, test } from "vitest";
import { armName, isRight } from "../../../src/commands/rums/material.js";
import { type Choice, selectionMeans, setScores, splitsOf } from "../../../src/results/selections.js";
import type { Cell, Row } from "../../../src/types/index.js";

describe("arms of a run", () => {
  const cell = (id: string, options: Cell["options"]): Cell => ({
    id,
    task: "profile-questions",
    dataset: "made",
    method: "rag",
    model: "made/up",
    options,
    seed: 0,
    repeat: 0,
  });

  test("of one selector are told apart by the settings in which they differ; a selector alone by its name", () => {
    const plain = cell("a", { select: "bm25", "rag.k": 5 });
    const [short, long] = [20, 100].map((tokens) =>
      cell(`rums-${tokens}`, { select: "rums", "rag.k": 5, "rums.tokens": tokens }),
    );
    const names = [plain, short!, long!].map((one) => armName(one, [plain, short!, long!]));
    expect(names).toEqual(["rag select=bm25", "rag select=rums (rums.tokens=20)", "rag select=rums (rums.tokens=100)"]);
  });

  test("of other tasks, methods and selectors are no peers: what they set otherwise is in no name", () => {
    const own = cell("a", { select: "rums", "rums.tokens": 20 });
    const others = [
      { ...cell("b", { select: "rums", "rums.tokens": 100 }), task: "lamp3" },
      { ...cell("c", { select: "rums", "rums.tokens": 50 }), method: "pag" },
    ];
    expect(armName(own, [own, ...others])).toBe("rag select=rums");
    const larger = { ...own, id: "d", model: "made/large" };
    expect(armName(own, [own, larger])).toBe("rag select=rums (model=made/up)");
  });
});

describe("H2", () => {
  test("sets are scored by sample: none against none is right", () => {
    expect(setScores([], [])).toEqual({ precision: 1, recall: 1, f1: 1 });
    expect(setScores(["a"], [])).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(setScores([], ["a"])).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(setScores(["a", "b", "c"], ["a"])).toEqual({ precision: 1 / 3, recall: 1, f1: 0.5 });
    expect(setScores(["a", "b"], ["b", "c"])).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
  });
});

describe("the cost of memory (RUMS, table 9)", () => {
  const spend = (answer: number, select = 0) => ({
    answer: { calls: 1, in: answer, out: 5 },
    ...(select === 0 ? {} : { "select@reference": { calls: 2, in: select, out: 7 } }),
  });
  const choice = (answer: number, plainTokens: number | undefined, select?: number): Choice => ({
    question: "q",
    label: { personal: true, items: ["a"], dataset: "PersonaFeedback" },
    events: ["a"],
    utilities: undefined,
    spend: spend(answer, select),
    plainTokens,
  });

  test("is what the answer's prompt has beyond one without any past; what choosing costs stands by itself", () => {
    expect(selectionMeans([choice(44, 40, 900), choice(50, 40, 100)])).toMatchObject({
      extraTokens: 7,
      selectCalls: 2,
      selectTokens: 507,
    });
    expect(selectionMeans([choice(44, undefined)]).extraTokens).toBeUndefined();
  });

  test("is told by kind of question and by data set, as the labels name it", () => {
    expect([...splitsOf([choice(1, 1)]).keys()]).toEqual(["all", "personal", "other", "PersonaFeedback"]);
  });
});

test("whether an answer is right is not known of a failed one, nor without a gold; an unreadable one is wrong", () => {
  const row = (outcome: Row["outcome"], gold: string | undefined = "4"): Row => ({
    ...{ cell: "c", unit: "u", user: "u", question: "q", outcome, spend: {}, incidents: {} },
    ...(gold === "" ? {} : { gold }),
  });
  expect(isRight(row({ kind: "failed", error: "busy" }))).toBeUndefined();
  expect(isRight(row({ kind: "answered", reply: "4" }, ""))).toBeUndefined();
  expect(isRight(row({ kind: "unparsed", reply: "It is 4.", lenient: "4" }))).toBe(false);
  expect(isRight(row({ kind: "answered", reply: "4" }))).toBe(true);
});
