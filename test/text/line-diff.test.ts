import { describe, expect, test } from "vitest";
import { diffLines } from "../../src/text/line-diff.js";

describe("the line diff", () => {
  test("marks what is gone and what is new, and keeps the order", () => {
    expect(diffLines("a\nb\nc", "a\nx\nc\nd")).toBe("  a\n- b\n+ x\n  c\n+ d");
  });

  test("gives both texts back, whatever is in them", () => {
    const before = "You are {x}\n- a dash\n+ a plus\n  blanks\n`tick`\n\nend";
    const after = "You are {y}\n- a dash\n  blanks\n+ a plus\n<b>\nend\n";
    const lines = diffLines(before, after).split("\n");
    const side = (gone: string) =>
      lines
        .filter((line) => !line.startsWith(gone))
        .map((line) => line.slice(2))
        .join("\n");
    expect(side("+ ")).toBe(before);
    expect(side("- ")).toBe(after);
  });
});
