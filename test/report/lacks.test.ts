import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { complete, inArm, readOptions } from "../../src/registry/options.js";
import { renderCsv } from "../../src/report/tables/csv.js";
import { renderLatex } from "../../src/report/tables/latex.js";
import { resultsTables } from "../../src/report/tables/results.js";
import { renderMarkdown, renderText } from "../../src/report/tables/text.js";
import { findingsOf, lacksOf } from "../../src/results/lacks.js";
import { summarize } from "../../src/results/summary.js";
import { encoderRemarks } from "../../src/run/describe.js";
import { tasks } from "../../src/tasks/index.js";
import { handMade } from "../helpers/chart-material.js";
import { noPrices } from "../helpers/priced.js";

/** A run of two arms, the second of which counted this for every question. */
function counted(incidents: Readonly<Record<string, number>>, iterations = 1, of = 36) {
  const options = { "align.iterations": iterations };
  const made = handMade([{ method: "prompt" }, { method: "persona-agent", options }]);
  const rows = made.rows.map((row, r) => (row.arm === "c1" && r % 36 < of ? { ...row, incidents } : row));
  const summaries = summarize({ ...made, rows, units: [], timings: [], prices: noPrices });
  return { ...made, rows, summaries };
}

describe("an arm that did without a part of its method", () => {
  const material = counted({ "align-skipped=no-labels": 1 });
  test.each([
    ["text", () => renderText(...resultsTables(material))],
    ["Markdown", () => renderMarkdown(...resultsTables(material))],
    ["LaTeX", () => renderLatex(resultsTables(material))],
    ["CSV", () => renderCsv(...resultsTables(material))],
  ])("is marked in its row: %s", (_, render) => {
    const rows = render()
      .split("\n")
      .filter((line) => /^\|? ?persona-agent[^:]*$/.test(line));
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row).toContain("persona-agent (NOT aligned)");
  });

  test("has the reason below the table", () => {
    expect(resultsTables(material)[0]!.notes).toEqual(["persona-agent (NOT aligned): no labels to learn from"]);
    const options = { "react.tools": "wikipedia" };
    const { summaries, ...react } = handMade([{ method: "react", options }]);
    expect(resultsTables({ ...react, summaries })[0]!.notes).toEqual([
      "react (NO tools): no question called one (react.tools=wikipedia)",
    ]);
    const empty = [{ incidents: { "no-history": 1 } }];
    expect(lacksOf({ options: {} }, empty, []).map(({ mark }) => mark)).toEqual(["NO history"]);
    const called = [{ incidents: { "tool=wikipedia": 2 }, spend: {} }];
    expect(lacksOf({ options }, [{ incidents: {} }], called)).toEqual([]);
  });

  test("says below the table what happened to a notable share of its users or questions", () => {
    const notes = ({ summaries, ...run }: ReturnType<typeof counted>) =>
      resultsTables({ ...run, summaries })[0]!.notes!.map((note) => note.replace("persona-agent: ", ""));
    expect(notes(counted({ "answer-cut": 2 }, 1, 4))).toEqual(["an answer cut at its most tokens: 4 of 36 questions"]);
    expect(notes(counted({ "answer-cut": 1, "tool=wikipedia": 1 }, 1, 3))).toEqual([]);
    const users = Array.from({ length: 12 }, () => ({ incidents: { "summary-empty": 1, "fallback=prompt": 1 } }));
    const found = (control: string) => findingsOf({ options: { "history.control": control } }, users, []);
    expect(found("right")).toEqual([
      "an empty summary: 12 of 12 users",
      "nothing to show but the question: 12 of 12 users",
    ]);
    expect(found("none")).toEqual(["an empty summary: 12 of 12 users"]);
  });

  test("is one where every rewrite failed, and none where one user, or one iteration, learned", () => {
    const isMarked = (...given: Parameters<typeof counted>) =>
      counted(...given).summaries[1]?.lacks?.some(({ mark }) => mark === "NOT aligned") === true;
    expect(isMarked({ persona_update_failed: 1 })).toBe(true);
    expect(isMarked({ persona_update_failed: 3 }, 3)).toBe(true);
    expect(isMarked({ persona_update_failed: 2 }, 3)).toBe(false);
    expect(isMarked({ persona_update_failed: 1 }, 1, 35)).toBe(false);
    expect(isMarked({ "answer-cut": 1 })).toBe(false);
    const users = [{ incidents: { "align-skipped=no-labels": 1 } }];
    const later = (incidents: Record<string, number>) => [
      { incidents: {}, spend: { answer: {} } },
      { incidents, spend: { gradient: {}, update: {}, answer: {} } },
    ];
    const isUnaligned = (questions: ReturnType<typeof later>) => lacksOf({ options: {} }, users, questions).length > 0;
    expect(isUnaligned(later({}))).toBe(false); // once something is remembered, there is something to learn from
    expect(isUnaligned(later({ persona_update_failed: 1 }))).toBe(true);
  });
});

test("an embedded encoder is named with the methods that search by it, and no other", () => {
  const armSpec = (method: string, options: Readonly<Record<string, string>>) => ({ method, options });
  const by = (embedder: string) => [
    armSpec("prompt", { embedder }),
    armSpec("rag", { embedder, "rag.retriever": "bm25" }),
    armSpec("icl", { embedder, "icl.select": "kate" }),
    armSpec("membank", { embedder, "memory.kind": "dense" }),
  ];
  expect(encoderRemarks(by("embedded/hashed-1"))).toEqual(["encoder: embedded/hashed-1 (icl, membank), counts words"]);
  expect(encoderRemarks(by("onnx/mine"))).toEqual([]);
});

test("a selector in the place of a retriever decides whether the encoder is named, and a method that never asks it is not named", () => {
  const named = (select: string, more: Record<string, string> = {}): boolean =>
    encoderRemarks([{ method: "rag", options: { embedder: "embedded/hashed-1", select, ...more } }]).length > 0;
  expect(["similar", "dense", "rums-binary:m.json"].map((select) => named(select))).toEqual([true, true, true]);
  expect(["bm25", "all", "none"].map((select) => named(select, { "memory.kind": "dense" }))).toEqual([
    false,
    false,
    false,
  ]);
  expect(named("own", { "memory.kind": "dense" })).toBe(true);
  const ofAgent = (name: string, given: Record<string, string> = {}): boolean => {
    const method = methods.get(name);
    const options = inArm(method.options, complete(method.options, given), tasks.get("lamp2m"));
    const embeds = method.embeds?.(readOptions(method.options, complete(method.options, given)));
    return (
      encoderRemarks([{ method: name, options: { embedder: "embedded/hashed-1", ...options }, embeds }]).length > 0
    );
  };
  expect(ofAgent("persona-agent")).toBe(true);
  expect(ofAgent("persona-agent", { "persona-agent.tools": "wikipedia" })).toBe(false);
  expect(ofAgent("persona-agent-wo-action")).toBe(false);
  expect(ofAgent("persona-agent-wo-memory")).toBe(false);
  expect(ofAgent("assistant")).toBe(true);
  expect(ofAgent("assistant", { select: "bm25" })).toBe(false);
});
