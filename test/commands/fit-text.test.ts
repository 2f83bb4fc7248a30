import { describe, expect, test } from "vitest";
import { fitText, wrapText } from "../../src/commands/fit-text.js";
import { renderText } from "../../src/report/tables/text.js";

const titles = [
  "method",
  "accuracy [95 %]",
  "macro-f1",
  "lenient",
  "n",
  "ok/unparsed/failed",
  "calls/q",
  "tok/q",
  "cost",
];
const columns = titles.map((title, at) => ({ title, align: at === 0 ? ("left" as const) : ("right" as const) }));
const row = (name: string) => [name, ".513 [.412, .611]", ".400", ".513", "300", "298/1/1*", "12.4", "1,024", "$0.052"];
const tableOf = (...names: string[]) => renderText({ columns, rows: names.map(row) });

describe("a text on a narrow terminal", () => {
  test("has a wide table in parts, each with its first column", () => {
    const text = `LaMP-3\n${tableOf("prompt", "persona-agent")}\nreact: a note`;
    expect(fitText(text, 60).split("\n")).toEqual([
      "LaMP-3",
      "method           accuracy [95 %]  macro-f1  lenient    n",
      "-------------  -----------------  --------  -------  ---",
      "prompt         .513 [.412, .611]      .400     .513  300",
      "persona-agent  .513 [.412, .611]      .400     .513  300",
      "",
      "method         ok/unparsed/failed  calls/q  tok/q    cost",
      "-------------  ------------------  -------  -----  ------",
      "prompt                   298/1/1*     12.4  1,024  $0.052",
      "persona-agent            298/1/1*     12.4  1,024  $0.052",
      "react: a note",
    ]);
  });

  test.each([80, 60])("loses nothing and stands within %i columns", (width) => {
    const label = "persona-agent select=rums";
    const fitted = fitText(`${tableOf("prompt", label)}\n\n${tableOf("rag")}`, width);
    expect(fitted.split("\n").every(({ length }) => length <= width)).toBe(true);
    const words = fitted.split(/\s+/);
    for (const word of [...titles, ...row(label)].flatMap((armSpec) => armSpec.split(" ")))
      expect(words).toContain(word);
  });

  test("stays as it is where it fits, or holds no table and may be read by a program", () => {
    const table = tableOf("prompt");
    expect(fitText(table, 200)).toBe(table);
    const json = JSON.stringify({ text: "word ".repeat(60) });
    expect(fitText(json, 80)).toBe(json);
  });
});

test.each([
  ["a bb ccc", 4, ["a bb", "ccc"]],
  ["a bb ccc", 8, ["a bb ccc"]],
  ["a bb ccc", 1, ["a", "bb", "ccc"]],
  ["unbreakable x", 3, ["unbreakable", "x"]],
  ["one\n\ntwo three", 5, ["one", "", "two", "three"]],
  ["", 10, [""]],
])("%j at %d characters is %j", (text, width, lines) => expect(wrapText(text, width)).toEqual(lines));
