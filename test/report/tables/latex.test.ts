import { describe, expect, test } from "vitest";
import { escapeLatex, renderLatex } from "../../../src/report/tables/latex.js";
import type { Outcome } from "../../../src/types.js";
import { answered, handMade } from "../../helpers/chart-material.js";

const miss = (user: number, question: number, gold: string): Outcome =>
  answered(question > 0 || user < 6 ? (gold === "comedy" ? "classic" : "comedy") : gold);
const rendered = (over: { baseline?: string; complete?: boolean } = {}) =>
  renderLatex({
    ...handMade([{ method: "prompt", outcome: miss }, { method: "rag_x" }]),
    baseline: "prompt",
    complete: true,
    ...over,
  });

describe("tables in LaTeX", () => {
  test("set the best in bold and mark what differs from the baseline after Holm", () => {
    expect(rendered()).toMatch(/rag\\_x & \\textbf\{1\.000\}\$\^\{\\dagger\}\$/);
    expect(rendered()).toMatch(/prompt & \.167 &/);
    expect(rendered()).toContain("differs from prompt");
  });

  test("mark nothing where the baseline is not in the run", () => {
    expect(rendered({ baseline: "icl" })).not.toContain("dagger");
  });

  test("mark nothing where nothing differs", () => {
    const same = renderLatex({
      ...handMade([{ method: "prompt" }, { method: "rag" }]),
      baseline: "prompt",
      complete: true,
    });
    expect(same).not.toContain("^{\\dagger}");
    expect(same).toContain("No difference to prompt survives");
    expect(same).not.toContain("textbf{1.000}");
  });

  test("say SIMULATED and PARTIAL in the caption", () => {
    expect(rendered()).toContain("\\textbf{SIMULATED}");
    expect(rendered()).not.toContain("PARTIAL");
    expect(rendered({ complete: false })).toContain("\\textbf{PARTIAL}");
  });

  test("have balanced braces and as many cells in a row as columns", () => {
    const tex = rendered();
    const bare = tex.replace(/\\[{}]/g, "");
    expect(bare.split("{").length).toBe(bare.split("}").length);
    const columns = /\\begin\{tabular\}\{(\w+)\}/.exec(tex)?.[1]?.length;
    const rows = tex.split("\n").filter((line) => line.endsWith("\\\\"));
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.map((line) => line.split(" & ").length)).toEqual(rows.map(() => columns));
  });

  test("escape what LaTeX would read", () => {
    expect(escapeLatex("a_b 95 % $x$ {y} #1 & ~ ^ \\")).toBe(
      "a\\_b 95 \\% \\$x\\$ \\{y\\} \\#1 \\& \\textasciitilde{} \\textasciicircum{} \\textbackslash{}",
    );
    expect(escapeLatex("é \u4e2d")).toBe("é [U+4E2D]");
  });
});
