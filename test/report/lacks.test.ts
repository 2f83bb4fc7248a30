import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { complete, readOptions } from "../../src/registry/options.js";
import { renderCsv } from "../../src/report/tables/csv.js";
import { renderLatex } from "../../src/report/tables/latex.js";
import { resultsTables } from "../../src/report/tables/results.js";
import { renderMarkdown, renderText } from "../../src/report/tables/text.js";
import { findingsOf, lacksOf } from "../../src/results/lacks.js";
import { summarize } from "../../src/results/summary.js";
import { encoderRemarks } from "../../src/run/describe.js";
import { selectorEmbeds } from "../../src/selectors/open.js";
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
    const { summaries, ...agents } = counted({ "agent-no-tool-call": 1 });
    expect(resultsTables({ ...agents, summaries })[0]!.notes).toEqual([
      "persona-agent (NO tools): no question called one",
    ]);
    const empty = [{ incidents: { "no-history": 1 } }];
    expect(lacksOf({ options: {} }, empty, []).map(({ mark }) => mark)).toEqual(["NO history"]);
    const called = [{ "tool=wikipedia": 2 }, { "agent-no-tool-call": 1 }].map((incidents) => ({
      incidents,
      spend: {},
    }));
    expect(lacksOf({ options: {} }, [{ incidents: {} }], called)).toEqual([]);
  });

  test("says below the table what happened to a notable share of its users or questions", () => {
    const notes = ({ summaries, ...run }: ReturnType<typeof counted>) =>
      resultsTables({ ...run, summaries })[0]!.notes!.map((note) => note.replace("persona-agent: ", ""));
    expect(notes(counted({ "answer-cut=64": 2, "simulate-cut=9": 1 }, 1, 1))).toEqual([
      "1 of 36 answers cut at 64 tokens; 1 simulate call cut at 9 tokens",
    ]);
    expect(notes(counted({ "select-unread": 1, "tool=wikipedia": 1 }, 1, 3))).toEqual([]);
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
  const by = (embedder: string) => [
    { method: "prompt", options: { embedder }, embeds: false },
    { method: "icl", options: { embedder }, embeds: true },
    { method: "membank", options: { embedder }, embeds: true },
  ];
  expect(encoderRemarks(by("embedded/hashed-1"))).toEqual(["encoder: embedded/hashed-1 (icl, membank), counts words"]);
  expect(encoderRemarks(by("onnx/mine"))).toEqual([]);
});

test.each([
  [true, ["rag select=dense", "rag select=rums-binary:m.json", "rums rums.filter=dense", "icl icl.select=kate"]],
  [false, ["rag", "rag select=bm25", "rag select=none", "rums rums.filter=bm25", "icl", "react", "graph-rag"]],
  [true, ["membank", "sage", "assistant", "persona-agent", "react react.tools=episodic-memory"]],
  [false, ["membank select=all", "sage select=bm25", "assistant select=bm25", "persona-agent select=tf-idf"]],
  [true, ["graph-rag graph-rag.weighting=dense", "graph-rag select=dense", "membank select=rums rums.filter=dense"]],
  [false, ["persona-agent persona-agent.tools=wikipedia", "persona-agent-wo-action", "persona-agent-wo-memory"]],
])("whether the encoder is asked (%s) is said by the method, or by its selector: %j", (isAsked, arms) => {
  const embeds = (arm: string): boolean => {
    const [name = "", ...set] = arm.split(" ");
    const method = methods.get(name);
    const given = Object.fromEntries(set.map((one) => one.split("=")));
    const options = readOptions(method.options, complete(method.options, given));
    return method.embeds?.(options) ?? selectorEmbeds(options);
  };
  expect(arms.map(embeds)).toEqual(arms.map(() => isAsked));
});
