import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { inferentialSentences } from "../helpers/sentences.js";

const page = readFileSync(new URL("../../docs/STATISTICS.md", import.meta.url), "utf8");
const table = page.slice(page.indexOf("## Every sentence"));
const listed = [...table.matchAll(/^\| `(.*?)` \| (.+?) \| (.*?) \|/gm)].map(([, text = "", when = "", by = ""]) => ({
  text: text.replaceAll("\\|", "|"),
  when,
  by,
}));

test("every text that goes beyond what was counted stands in docs/STATISTICS.md, with when it is printed and what it rests on", () => {
  const printed = [...new Set(inferentialSentences().map(({ text }) => text))];
  const known = new Set(listed.map(({ text }) => text));
  expect(printed.filter((text) => !known.has(text))).toEqual([]);
  expect(listed.filter(({ text }) => !printed.includes(text))).toEqual([]); // what no code prints any more
  expect(listed.filter(({ when, by }) => when.trim() === "" || by.trim() === "")).toEqual([]);
  expect(printed.length).toBeGreaterThan(50);
});
