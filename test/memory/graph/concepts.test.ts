import { describe, expect, test } from "vitest";
import { conceptReaders } from "../../../src/memory/graph/concepts.js";

const labels = async (reader: string, text: string): Promise<string[]> =>
  (await conceptReaders.get(reader).open())(text).map(({ label }) => label);
const keys = async (reader: string, text: string): Promise<string[]> =>
  (await conceptReaders.get(reader).open())(text).map(({ key }) => key);

describe("released concepts", () => {
  test("are capitalized words and topic words, each once, whatever a sentence starts with", async () => {
    expect(await labels("released", "Teen Vogue wrote about Florida. The vote in Florida was about music.")).toEqual([
      "Teen",
      "Vogue",
      "Florida",
      "The",
      "music",
      "vote",
    ]);
  });

  test("are whole words of plain letters: no part of a longer or an accented word, no capitals only", async () => {
    expect(await labels("released", "NASA McDonald éCole Café musical")).toEqual([]);
  });
});

test("named concepts are the released ones without function words at the head of a sentence", async () => {
  const text = "The vote. It was in Florida. Nobody asked Teen Vogue.";
  expect(await labels("named", text)).toEqual(["Florida", "Teen", "Vogue", "vote"]);
  expect(await labels("released", text)).toEqual(expect.arrayContaining(["The", "It", "Nobody"]));
});

test("named concepts are no words that merely begin a sentence; a name that stands elsewhere too is one", async () => {
  const text = 'Students marched with Anna. "Protesters sang." Anna spoke.';
  expect(await labels("named", text)).toEqual(["Anna"]);
  expect(await labels("released", text)).toEqual(expect.arrayContaining(["Students", "Protesters"]));
});

test("named concepts: a headline in Title Case carries no names by its capitals, and case is folded", async () => {
  const text = "Donald Trump Says Twitter Users Will Love The President. Then Obama, the president, met Michael Cohen.";
  expect(await labels("named", text)).toEqual(["Obama", "Michael", "Cohen", "president"]);
  expect(await labels("named", "The team met President Obama. A president spoke.")).toEqual([
    "President",
    "Obama",
    "team",
  ]);
});

describe("linguistic concepts", () => {
  test("hold no function word that scikit-learn's list lacks", async () => {
    expect(await labels("linguistic", "gun does just amid rain")).toEqual(["gun", "rain"]);
  });

  test("are content words and pairs of neighbours, cut at function words and punctuation", async () => {
    expect(await labels("linguistic", "Teen survivors of a shooting, march slowly")).toEqual([
      "teen",
      "survivors",
      "teen survivors",
      "shooting",
      "march",
    ]);
  });

  test("inflected forms are one concept, shown as first met", async () => {
    expect(await keys("linguistic", "guns")).toEqual(await keys("linguistic", "gun"));
    expect(await labels("linguistic", "The guns and the gun")).toEqual(["guns"]);
  });
});
