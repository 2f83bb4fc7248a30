import { expect, test } from "vitest";
import { wrapText } from "../../src/commands/wrap.js";

test.each([
  ["a bb ccc", 4, ["a bb", "ccc"]],
  ["a bb ccc", 8, ["a bb ccc"]],
  ["a bb ccc", 1, ["a", "bb", "ccc"]],
  ["unbreakable x", 3, ["unbreakable", "x"]],
  ["one\n\ntwo three", 5, ["one", "", "two", "three"]],
  ["", 10, [""]],
])("%j at %d characters is %j", (text, width, lines) => expect(wrapText(text, width)).toEqual(lines));
