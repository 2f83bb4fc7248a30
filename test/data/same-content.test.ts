import { describe, expect, test } from "vitest";
import { sameContent } from "../../src/data/same-content.js";
import { normalized } from "../../src/text/words.js";

describe("two texts have the same content", () => {
  test.each<readonly [string, string]>([
    ["The Quick fox", " the\u00a0quick\n FOX\t"],
    ["ﬁne Ｗｉｄｅ", "fine wide"],
    ["a", `${" ".repeat(500)}A`],
    ["cafe\u0301", "CAFÉ"],
    ["a\u0301", "Á"],
    [`${" ".repeat(300)}a\u0301 b`, "Á B"],
    ["x", " \t X"],
    ["x y", "\n\n  X y"],
    ["é", "É"],
    ["AZ MA", "az ma"],
    ["a", "A  "],
    ["é a", "É  A"],
    ...[..."\t\n\v\f\r\x1c\x1d\x1e\x1f"].map((space) => ["a b", `${space}A${space} b${space}`] as const),
  ])("whatever their case, spacing and width: %j, %j", (one, other) => {
    expect(sameContent(one)(other)).toBe(true);
    expect(sameContent(other)(one)).toBe(true);
    expect(normalized(one)).toBe(normalized(other));
  });

  test.each<readonly [string, string]>([
    ["the fox", "thefox"],
    ["the fox", "the fox."],
    ["the fox", "A fox"],
    ["the fox", ""],
    ["Straße", "STRASSE"],
    ["a\u0301", "a"],
    ["x", "é"],
    ["\u00a0", "x"],
    ["@", "`"],
    ["[", "{"],
    ["fox", "fo"],
    ["a fox", "a fox b"],
    ...[..."\b\x0e\x1b!"].map((sign) => ["a b", `a${sign}b`] as const),
  ])("but for nothing else: %j, %j", (one, other) => {
    expect(sameContent(one)(other)).toBe(false);
    expect(sameContent(other)(one)).toBe(false);
  });

  test("only where there is content: two empty texts have none in common", () => {
    expect(sameContent("")("")).toBe(false);
    expect(sameContent(" ")("\n")).toBe(false);
  });
});
