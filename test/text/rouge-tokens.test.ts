import { expect, it } from "vitest";
import { rougeTokens } from "../../src/text/tokens.js";

it("ROUGE tokens are runs of ASCII letters and digits in lower case", () => {
  expect(rougeTokens("Naïve U.S. ÇA! 日本 42")).toEqual(["na", "ve", "u", "s", "a", "42"]);
  expect(rougeTokens("\u212aelvin")).toEqual(["kelvin"]);
});
