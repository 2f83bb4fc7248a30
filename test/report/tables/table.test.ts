import { describe, expect, test } from "vitest";
import { drawnTable } from "../../../src/report/page/drawn-table.js";
import { type Table, withColumns } from "../../../src/report/table.js";
import { renderCsv } from "../../../src/report/tables/csv.js";
import { formatAmount, formatScore, formatUsd } from "../../../src/report/tables/format.js";
import { renderLatex } from "../../../src/report/tables/latex.js";
import { renderMarkdown, renderText } from "../../../src/report/tables/text.js";

const table = {
  columns: [
    { title: "method", align: "left" },
    { title: "n", align: "right" },
  ],
  rows: [
    ["a|b", "7"],
    ["prompt", "1,024"],
  ],
} as const;

describe("tables", () => {
  test("line up on a terminal, without blanks at the ends of lines", () => {
    expect(renderText(table).split("\n")).toEqual(["method      n", "------  -----", "a|b         7", "prompt  1,024"]);
  });

  test("in Markdown escape what would break a cell", () => {
    expect(renderMarkdown(table).split("\n")).toEqual([
      "| method | n |",
      "| --- | ---: |",
      "| a\\|b | 7 |",
      "| prompt | 1,024 |",
    ]);
  });

  test("without rows still have a head", () => {
    expect(renderText({ ...table, rows: [] })).toBe("method  n\n------  -");
  });
});

describe("a table of estimates", () => {
  const scores: Table = {
    name: "scores",
    title: "LaMP-2M",
    warnings: ["made up"],
    keys: 2,
    columns: [
      { title: "method" },
      { title: "group" },
      { title: "accuracy", format: formatScore, interval: true },
      { key: "usd", title: "cost", format: formatUsd, wide: true },
    ],
    rows: [
      ["rag", "all", { value: 0.5, interval: { low: 0.4, high: 0.625 }, rank: 1 }, 0.012],
      ["prompt", "all", { value: 0.25, mark: "*" }, undefined],
    ],
    notes: ["prompt: failed"],
    legend: ["brackets: 95 %"],
  };

  test("is text with title, warnings, notes and legend; the columns that name a row are underlined as one", () => {
    expect(renderText(scores).split("\n")).toEqual([
      "LaMP-2M",
      "warning: made up",
      "method  group    accuracy [95 %]    cost",
      "-------------  -----------------  ------",
      "rag     all    .500 [.400, .625]  $0.012",
      "prompt  all            .250* [-]       -",
      "prompt: failed",
      "",
      "brackets: 95 %",
    ]);
  });

  test("prints a legend that tables share once, below the last", () => {
    expect(renderText(scores, scores).match(/brackets/g)).toHaveLength(1);
    expect(renderMarkdown(scores, scores).trimEnd()).toMatch(/\n\nbrackets: 95 %$/);
  });

  test("is Markdown with the best in bold", () => {
    expect(renderMarkdown(scores)).toContain("| rag | all | **.500 [.400, .625]** | $0.012 |");
    expect(renderMarkdown(scores)).toMatch(/^### LaMP-2M\n\n\*\*warning:\*\* made up\n\n\| method/);
  });

  test("is LaTeX with the interval under the number, and columns of a group under its name", () => {
    const latex = renderLatex([scores]);
    expect(latex).toContain("rag & all & \\textbf{.500} & \\$0.012");
    expect(latex).toContain(" &  & {\\scriptsize [.400, .625]} & ");
    expect(latex).toContain("prompt & all & .250$^{*}$ & --");
    expect(latex).toContain(
      "\\caption{\\textbf{made up.} LaMP-2M. Best in bold, second underlined. brackets: 95 \\%.}\n\\label{tab:scores}",
    );
    const columns = scores.columns.map((column, c) => (c < 2 ? column : { ...column, group: "LaMP-2M" }));
    expect(renderLatex([{ ...scores, columns }])).toMatch(
      / & {2}& \\multicolumn\{2\}\{c\}\{LaMP-2M\} \\\\\n\\cmidrule\(lr\)\{3-4\}/,
    );
  });

  test("is CSV with unrounded numbers and their bounds", () => {
    expect(renderCsv(scores).split("\n").slice(0, 3)).toEqual([
      "method,group,accuracy,accuracy_low,accuracy_high,usd",
      "rag,all,0.5,0.4,0.625,0.012",
      "prompt,all,0.25,,,",
    ]);
  });

  test("is HTML with its intervals drawn, texts escaped", () => {
    const interval = { low: 0.25, high: 0.75 };
    const page = drawnTable({ ...scores, rows: [["<b>", "all", { value: 0.5, interval, rank: 1 }, 0.3]] }).text;
    expect(page).toContain('<th scope="row">&lt;b&gt;</th>');
    expect(page).toContain('data-value="0.5"><strong>.500</strong> <small>[.250, .750]</small></td>');
    expect(page).toContain('style="--x:50%;--a:8.3%;--b:91.7%"');
    expect(page).toContain('<td data-value="0.3">$0.30</td>');
  });

  test("shows wide columns only on request", () => {
    const titles = (wide: boolean) => withColumns([scores], wide)[0]?.columns.map(({ title }) => title);
    expect(titles(false)).toEqual(["method", "group", "accuracy"]);
    expect(titles(true)).toEqual(["method", "group", "accuracy", "cost"]);
  });
});

describe("numbers", () => {
  test.each([
    [0.5131, ".513"],
    [1, "1.000"],
    [0, ".000"],
    [-0.004, "-.004"],
    [10.2, "10.200"],
    [undefined, "-"],
    [Number.NaN, "-"],
  ])("score %s is printed %s", (value, printed) => expect(formatScore(value)).toBe(printed));

  test.each([
    [0, "0"],
    [0.0521, "0.0521"],
    [1.333333, "1.33"],
    [12.34, "12.3"],
    [99.96, "100"],
    [1023.6, "1,024"],
    [undefined, "-"],
    [Number.NaN, "-"],
  ])("amount %s is printed %s", (value, printed) => expect(formatAmount(value)).toBe(printed));

  test.each([
    [0.000123, "$0.00012"],
    [0.5, "$0.50"],
    [12.345, "$12.35"],
    [undefined, "-"],
  ])("%s dollars are printed %s", (value, printed) => expect(formatUsd(value)).toBe(printed));
});
