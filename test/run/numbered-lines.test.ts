import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { numberedLines } from "../../src/run/numbered-lines.js";
import { tempDir } from "../helpers/temp-dir.js";

const linesOf = (text: string) => {
  const path = join(tempDir(), "lines");
  writeFileSync(path, text);
  return [...numberedLines(path)];
};

test("lines are counted as an editor counts them, blank ones too", () => {
  expect(linesOf("\na\n\nb\nrest")).toEqual([
    { line: 2, text: "a" },
    { line: 4, text: "b" },
    { line: 5, text: "rest" },
  ]);
});

test.each(["\r\n", "\r"])("line ends may have been changed (%j), and a byte order mark is no text", (end) => {
  expect(linesOf(`\ufeff${["a", "", "b", ""].join(end)}`).map(({ text }) => text)).toEqual(["a", "b"]);
  expect(linesOf("\ufeff")).toEqual([]);
});

test("only line ends end a line, and characters may lie across the blocks that are read", () => {
  const long = `é\u2028${"é".repeat(1 << 20)}`;
  expect(linesOf(`x\n${long}\ny\n`).map(({ line, text }) => [line, text === long || text])).toEqual([
    [1, "x"],
    [2, true],
    [3, "y"],
  ]);
});

test("a file that is not there has no lines", () => {
  expect([...numberedLines(join(tempDir(), "nowhere"))]).toEqual([]);
});
