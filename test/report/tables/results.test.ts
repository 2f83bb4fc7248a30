import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { withColumns } from "../../../src/report/table.js";
import { renderCsv, renderJson } from "../../../src/report/tables/csv.js";
import { renderLatex } from "../../../src/report/tables/latex.js";
import { baselineScores, methodsByTasks, resultsTables } from "../../../src/report/tables/results.js";
import { gainsOver } from "../../../src/results/compare.js";
import { summarize } from "../../../src/results/summary.js";
import { tasks } from "../../../src/tasks/index.js";
import type { Row } from "../../../src/types/index.js";
import { answered, type HandMadeArm, handMade } from "../../helpers/chart-material.js";
import { noPrices } from "../../helpers/priced.js";
import { shown } from "../../helpers/table-texts.js";
import { tempDir } from "../../helpers/temp-dir.js";

const hits = (method: string, of: number, more: Partial<HandMadeArm> = {}): HandMadeArm => ({
  method,
  outcome: (user, question, gold) => answered((user + question) % 6 < of ? gold : "none"),
  ...more,
});
const made = (...arms: readonly HandMadeArm[]) => {
  const material = handMade(arms);
  return { ...material, gains: gainsOver("prompt", material) };
};
const titles = (results: ReturnType<typeof made>): string[] =>
  shown(resultsTables(results))[0]!.table.columns.map(({ title }) => title);

describe("a table of results", () => {
  const results = made(hits("prompt", 2), hits("rag", 5), hits("icl", 3));

  test("has at most eight columns: score, gain over the reference with p, one further metric, n, tokens", () => {
    expect(titles(results)).toEqual(["method", "accuracy [95 %]", "gain over prompt [95 %]", "p", "f1", "n", "tok/q"]);
    const [{ table, legend, title }] = shown(resultsTables(results)) as [ReturnType<typeof shown>[number]];
    expect(title).toBe("LaMP-2M · hand-made data · m/one (SIMULATED) · 12 users, 36 questions");
    expect(table.rows[1]!.slice(0, 4)).toEqual([
      "rag",
      expect.stringMatching(/^\.833 \[/),
      expect.stringMatching(/^\+\.500 \[\+/),
      "<.001*",
    ]);
    expect(legend[1]).toBe("p: this pair alone; *: p ≤ .05 after Holm over 2 comparisons with prompt");
  });

  test("a gain is over the reference with the arm's own settings", () => {
    const at = (method: string, k: number, of: number) => hits(method, of, { options: { "rag.k": k } });
    const { gains, summaries } = made(at("prompt", 1, 1), at("prompt", 2, 4), at("rag", 1, 5), at("rag", 2, 5));
    const found = summaries.slice(2).map((arm) => gains.of(arm)?.metrics[0]?.gain);
    expect(found.map((gain) => gain?.toFixed(3))).toEqual(["0.667", "0.167"]);
  });

  test("an unfinished arm takes no rank from the others", () => {
    const planned = 99;
    const summaries = results.summaries.map((arm) => (arm.method === "rag" ? { ...arm, planned } : arm));
    const [table] = resultsTables({ ...results, summaries });
    const ranks = table!.rows.map(([method, ...cells]) => [
      method,
      cells.flatMap((cell) => Object(cell).rank ?? [])[0],
    ]);
    expect(Object.fromEntries(ranks)).toMatchObject({ prompt: undefined, icl: 1 });
  });

  test("shows what went wrong beside both metrics, and repeats with their deviation", () => {
    const failing = made(
      hits("prompt", 2),
      hits("rag", 5, { outcome: (u) => (u === 0 ? { kind: "failed", error: "e" } : { kind: "unparsed", reply: "?" }) }),
    );
    expect(titles(failing)).toEqual([
      "method",
      "accuracy [95 %]",
      "gain over prompt [95 %]",
      "p",
      "f1",
      "n",
      "unparsed",
      "failed",
      "tok/q",
    ]);
    expect(shown(resultsTables(failing))[0]!.notes).toEqual([
      "rag: 3 of 36 failed and are not in the scores; run again to try them",
    ]);
    const { specs, rows, ...more } = handMade([hits("rag", 2), hits("rag", 4)]);
    const repeated = specs.map((arm, repeat) => ({ ...arm, repeat }));
    const summaries = summarize({ ...more, specs: repeated, rows, units: [], timings: [], prices: noPrices });
    const [table] = shown(resultsTables({ ...more, summaries }));
    expect(table!.table.columns.map(({ title }) => title)).toEqual(expect.arrayContaining(["f1", "sd"]));
    expect(table!.table.rows[0]!.slice(0, 4)).toEqual(["rag", expect.stringMatching(/^\.500 /), ".130", ".236"]);
  });

  test("marks what is below the best answer without a model, and says a dash, never 0, for what does not exist", () => {
    const facts = results.facts.map((fact) => ({
      ...fact,
      baseline: { name: "majority label", count: 36, values: { accuracy: 0.4 } },
      unfit: [{ method: "tot", why: "no labels" }],
    }));
    const [table] = shown(resultsTables({ ...results, facts }));
    expect(table!.table.rows.map(([name, score]) => [name, score!.split(" ")[0]])).toEqual([
      ...[
        ["prompt", ".333†"],
        ["rag", ".833"],
        ["icl", ".500"],
        ["tot", "-"],
        ["(majority label)", ".400"],
      ],
    ]);
    expect(table!.notes).toEqual(["† below the majority label: prompt", "tot: -, no labels"]);
  });

  test("has in CSV a line an arm with every column, only the options that differ, and numbers unrounded", () => {
    const [head, one, two] = renderCsv(
      ...resultsTables(
        made(
          hits("rag", 1, { options: { "rag.k": 1, shared: 3 } }),
          hits("rag", 2, { options: { "rag.k": 4, shared: 3 } }),
        ),
      ),
    ).split("\n");
    expect(head).toMatch(/^arm,task,dataset,model,method,rag\.k,made,accuracy,accuracy_low,accuracy_high,f1,/);
    expect(head).not.toContain("shared");
    expect(one).toMatch(/^rag \(rag\.k=1\),lamp2m,hand-made,m\/one,rag,1,SIMULATED,0\.16666666666666666,/);
    expect(two).toMatch(/^rag \(rag\.k=4\),/);
  });

  test("has the same names and numbers in JSON, null for what is missing", () => {
    const [line] = JSON.parse(renderJson(resultsTables(results))).tables[0].rows;
    const [head, first] = renderCsv(...resultsTables(results))
      .split("\n")
      .map((text) => text.split(","));
    expect(Object.keys(line)).toEqual(head);
    expect([line.accuracy, line.p, line.tokens]).toEqual([Number(first![head!.indexOf("accuracy")]), null, 100]);
  });

  test("has in LaTeX the best in bold, the second underlined, intervals below, and warnings in the caption", () => {
    const latex = renderLatex(withColumns(resultsTables(results)));
    expect(latex).toContain("rag & \\textbf{.833} & +.500 & \\textless{}.001$^{*}$");
    expect(latex).toContain("icl & \\underline{.500}");
    expect(latex).toMatch(/\\scriptsize \[\.\d{3}, \.\d{3}\]/);
    expect(latex).toContain("SIMULATED");
  });
});

/** A TeX of Debian (texlive-latex-base and -recommended); where CI asks for it, its absence is a failure. */
const hasTex = process.env.LAMP_EVAL_REQUIRE_TEX === "1" || spawnSync("pdflatex", ["--version"]).status === 0;

test.skipIf(!hasTex)(
  "LaTeX compiles without an overfull box in one and in two columns, every special letter escaped",
  () => {
    const folder = tempDir();
    const long = ["lamp2m", "lamp3"].flatMap((task) => [
      hits("prompt", 2, { task }),
      ...[1, 3].map((k) =>
        hits("persona-agent-wo-alignment", k, { task, options: { "align.iterations": k, x_y: "a%b" } }),
      ),
    ]);
    const tables = [...methodsByTasks(made(...long)), ...resultsTables(made(...long))];
    const odd = "a_b 95 % $x$ {y} #1 & ~ ^ \\ é \u4e2d";
    writeFileSync(
      join(folder, "tables.tex"),
      renderLatex(withColumns(tables.map((table) => ({ ...table, warnings: [odd] })))),
    );
    for (const columns of ["onecolumn", "twocolumn"]) {
      const document = `\\documentclass[${columns}]{article}\\usepackage{booktabs,graphicx}\\begin{document}\\input{tables}\\end{document}`;
      writeFileSync(join(folder, `${columns}.tex`), document);
      const { status, stdout } = spawnSync("pdflatex", ["-interaction=nonstopmode", `${columns}.tex`], {
        cwd: folder,
        encoding: "utf8",
      });
      expect([status, stdout.match(/Overfull .*/g)]).toEqual([0, null]);
    }
  },
);

test("several tasks have a table of methods by tasks, with the stars of their families", () => {
  const results = made(
    ...["lamp2m", "lamp3"].flatMap((task) => [hits("prompt", 2, { task }), hits("rag", 5, { task })]),
  );
  const [table] = shown(methodsByTasks(results));
  expect(table!.table.columns.map(({ title }) => title)).toEqual([
    "method",
    "LaMP-2M accuracy",
    "LaMP-2M f1",
    "LaMP-3 mae",
    "LaMP-3 rmse",
  ]);
  expect(table!.table.rows[1]!.slice(0, 2)).toEqual(["rag", ".833*"]);
  expect(table!.legend.join()).toContain("*: better, p ≤ .05 after Holm over 1 comparison with prompt");
  const worse = made(...["lamp2m", "lamp3"].flatMap((task) => [hits("prompt", 5, { task }), hits("rag", 2, { task })]));
  expect(shown(methodsByTasks(worse))[0]!.table.rows[1]!.slice(0, 2)).toEqual(["rag", ".333"]);
  expect(methodsByTasks(made(hits("prompt", 2)))).toEqual([]);
});

test("the majority label counts the questions that the arms are scored on", () => {
  const row = (question: string, gold: string, outcome: Row["outcome"], arm = "a"): Row => ({
    ...{ arm, user: "u", unit: "u", question, gold, outcome, spend: {}, incidents: {} },
  });
  const rows = [
    row("1", "5", answered("4")),
    row("1", "5", answered("5"), "b"),
    row("2", "3", answered("3")),
    row("3", "1", { kind: "failed", error: "busy" }),
  ];
  const { metrics } = tasks.get("lamp3");
  const baselines = (answers: Record<string, string>) =>
    baselineScores([{ name: "majority label", answers }], rows, metrics);
  expect(baselines({ 1: "5", 2: "5", 3: "5", 4: "1" })).toMatchObject([{ count: 2, values: { mae: 1 } }]);
  expect(baselines({ 4: "1" })).toEqual([]);
});
