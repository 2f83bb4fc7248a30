import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { escapeLatex, renderLatex } from "../../../src/report/tables/latex.js";
import { type PaperMaterial, paperTables } from "../../../src/report/tables/paper.js";
import { gainsOver } from "../../../src/results/gains.js";
import type { Outcome } from "../../../src/types/index.js";
import { answered, handMade } from "../../helpers/chart-material.js";
import { tempDir } from "../../helpers/temp-dir.js";

type Material = Omit<PaperMaterial, "gains"> & Parameters<typeof gainsOver>[1] & { readonly baseline: string };

const paper = ({ baseline, ...material }: Material): string =>
  renderLatex(paperTables({ ...material, gains: gainsOver(baseline, material) }));

/** A TeX of Debian (texlive-latex-base and -recommended); where CI asks for it, its absence is a failure. */
const hasTex = process.env.LAMP_EVAL_REQUIRE_TEX === "1" || spawnSync("pdflatex", ["--version"]).status === 0;

const miss = (user: number, question: number, gold: string): Outcome =>
  answered(question > 0 || user < 6 ? (gold === "comedy" ? "classic" : "comedy") : gold);
const rendered = (over: { baseline?: string; complete?: boolean } = {}) =>
  paper({
    ...handMade([{ method: "prompt", outcome: miss }, { method: "rag_x" }]),
    baseline: "prompt",
    complete: true,
    ...over,
  });

describe("tables in LaTeX", () => {
  test("set the best in bold, and the gain with its p beside the scores", () => {
    expect(rendered()).toMatch(/rag\\_x & \\textbf\{1\.000\} & .* & \+\.833 & \\textless\{\}\.001\$\^\{\*\}\$/);
    expect(rendered()).toMatch(/prompt & \.167 & .* & -- & --/);
    expect(rendered()).toContain("p: this pair alone; *: p $\\leq$ .05 after Holm over 1 comparison.");
  });

  test("have no gain where the baseline is not in the run", () => {
    expect(rendered({ baseline: "icl" })).not.toContain("Gain");
  });

  test("mark nothing where nothing differs", () => {
    const same = paper({
      ...handMade([{ method: "prompt" }, { method: "rag" }]),
      baseline: "prompt",
      complete: true,
    });
    expect(same).not.toContain("^{*}");
    expect(same).not.toContain("textbf{1.000}");
  });

  test("say SIMULATED and PARTIAL in the caption", () => {
    expect(rendered()).toContain("\\textbf{SIMULATED");
    expect(rendered()).not.toContain("PARTIAL");
    expect(rendered({ complete: false })).toContain("\\textbf{PARTIAL");
  });

  test("have balanced braces and as many cells in a row as columns", () => {
    const bare = rendered().replace(/\\[{}]/g, "");
    expect(bare.split("{").length).toBe(bare.split("}").length);
    const tables = rendered().split("\\begin{tabular}").slice(1);
    for (const table of tables) {
      const columns = /^\{@\{\}(\w+)@\{\}\}/.exec(table)?.[1]?.length;
      const rows = table.split("\n").filter((line) => line.endsWith("\\\\") && !line.includes("multicolumn"));
      expect(rows.length).toBeGreaterThan(2);
      expect(rows.map((line) => line.split(" & ").length)).toEqual(rows.map(() => columns));
    }
  });

  test("keep counters out of the captions, in comments", () => {
    const [caption = ""] = /\\caption\{.*/.exec(rendered()) ?? [];
    expect(caption).not.toMatch(/calls|tokens|n=/);
    expect(rendered()).toContain("% prompt: n=36, 1 call and 100 tokens a question");
  });

  const several = (over: Partial<Material> = {}) =>
    paper({
      ...handMade([{ method: "prompt", outcome: miss }, { method: "rag" }, { task: "lamp2n", method: "rag" }]),
      baseline: "prompt",
      complete: true,
      ...over,
    });

  test("set methods against tasks where a run has several, with a dash where a method did not answer one", () => {
    const [main = ""] = several().split("\\end{table*}");
    expect(main).toContain("\\multicolumn{2}{c}{LaMP-2M} & \\multicolumn{2}{c}{LaMP-2N}");
    expect(main).toMatch(/^prompt & \.167 & \S+ & -- & -- /m);
    expect(rendered()).not.toContain("table*");
  });

  test("stand in parts of two tasks, or two metrics, where the whole would be less than 5/6 of its size", () => {
    const third = { task: "lamp1", method: "rag" } as const;
    const three = paper({
      ...handMade([{ method: "rag" }, { task: "lamp2n", method: "rag" }, third]),
      baseline: "prompt",
      complete: true,
    });
    const [main = "", ...single] = three.split("\\end{table*}");
    const [whole = "", ...parts] = main.split("\\begin{tabular}").slice(1);
    expect(main).toContain("\\lampparts{\\textwidth}{\\begin{tabular}");
    expect([whole, ...parts].map((text) => text.match(/multicolumn/g)?.length)).toEqual([3, 2, 1]);
    expect(parts.join("")).toContain("rag");
    expect(single.join("")).toContain("\\lampparts{\\columnwidth}");
  });

  test.skipIf(!hasTex)("compile without an overfull box in one and in two columns", () => {
    const folder = tempDir();
    const long = handMade([
      { method: "prompt", outcome: miss },
      { method: "persona-agent-wo-alignment", options: { "align.iterations": 3, "memory.k": 8 } },
      { method: "persona-agent-wo-alignment", options: { "align.iterations": 1, "memory.k": 4 } },
      { task: "lamp2n", method: "persona-agent-wo-alignment", options: { "align.iterations": 1, "memory.k": 4 } },
    ]);
    writeFileSync(join(folder, "tables.tex"), paper({ ...long, baseline: "prompt", complete: false }));
    for (const columns of ["onecolumn", "twocolumn"]) {
      const lines = [
        `\\documentclass[${columns}]{article}`,
        "\\usepackage{booktabs,graphicx}",
        "\\begin{document}",
        "\\input{tables}",
        "\\end{document}",
      ];
      writeFileSync(join(folder, `${columns}.tex`), lines.join("\n"));
      const { status, stdout } = spawnSync("pdflatex", ["-interaction=nonstopmode", `${columns}.tex`], {
        cwd: folder,
        encoding: "utf8",
      });
      expect([status, stdout.match(/Overfull .*/g)]).toEqual([0, null]);
    }
  });

  test("escape what LaTeX would read", () => {
    expect(escapeLatex("a_b 95 % $x$ {y} #1 & ~ ^ \\")).toBe(
      "a\\_b 95 \\% \\$x\\$ \\{y\\} \\#1 \\& \\textasciitilde{} \\textasciicircum{} \\textbackslash{}",
    );
    expect(escapeLatex("é \u4e2d")).toBe("é [U+4E2D]");
  });
});
