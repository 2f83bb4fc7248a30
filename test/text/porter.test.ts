import { expect, it } from "vitest";
import { porterStem } from "../../src/text/porter.js";
import { rougeTokens } from "../../src/text/tokens.js";

// Examples of Porter's paper and of NLTK's documented departures (dies, flies, spied, enjoy, sky, theology).
it.each([
  ["caresses", "caress"],
  ["ponies", "poni"],
  ["feed", "feed"],
  ["agreed", "agre"],
  ["plastered", "plaster"],
  ["motoring", "motor"],
  ["conflated", "conflat"],
  ["hopping", "hop"],
  ["falling", "fall"],
  ["filing", "file"],
  ["sky", "sky"],
  ["skies", "sky"],
  ["happy", "happi"],
  ["enjoy", "enjoy"],
  ["relational", "relat"],
  ["vietnamization", "vietnam"],
  ["hopefulness", "hope"],
  ["electriciti", "electr"],
  ["adoption", "adopt"],
  ["probate", "probat"],
  ["rate", "rate"],
  ["controll", "control"],
  ["dies", "die"],
  ["flies", "fli"],
  ["died", "die"],
  ["spied", "spi"],
  ["theology", "theolog"],
  ["geology", "geolog"],
  ["innings", "inning"],
])("%s has the stem %s", (word, stem) => {
  expect(porterStem(word)).toBe(stem);
});

it("ROUGE tokens are runs of ASCII letters and digits in lower case", () => {
  expect(rougeTokens("Naïve U.S. ÇA! 日本 42")).toEqual(["na", "ve", "u", "s", "a", "42"]);
  expect(rougeTokens("\u212aelvin")).toEqual(["kelvin"]);
});

it("ROUGE stems only tokens of more than three characters", () => {
  expect(rougeTokens("The gas runs", { stem: true })).toEqual(["the", "gas", "run"]);
});
