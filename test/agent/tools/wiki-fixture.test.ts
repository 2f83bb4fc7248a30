import { expect, test } from "vitest";
import { formatWikiFixture, parseWikiFixture, type WikiEntry } from "../../../src/agent/tools/wiki-fixture.js";
import { UsageError } from "../../../src/errors.js";

const entry = (query: string): WikiEntry => ({
  query,
  retrieved: "2024-01-01",
  pages: [{ title: query, summary: `About ${query}: "quoted"\nand more` }],
});

test("a fixture file is the same text whatever the order of its entries, and reads back as written", () => {
  const entries = [entry("b"), entry("A"), entry("c")];
  const content = formatWikiFixture(entries);
  expect(formatWikiFixture([...entries].reverse())).toBe(content);
  expect(formatWikiFixture(parseWikiFixture(content, "f.json").entries)).toBe(content);
  expect(content.split("\n")).toHaveLength(6);
});

test("a file that is no fixture is named with what is wrong", () => {
  const read = (content: string) => () => parseWikiFixture(content, "f.json");
  expect(read("{")).toThrow(UsageError);
  expect(read("{")).toThrow(/^f\.json: not JSON/);
  expect(read("[]")).toThrow(/^f\.json: .*expected \{"format": "lamp-eval-wikipedia-1"/);
  const broken = (change: object) =>
    JSON.stringify({ format: "lamp-eval-wikipedia-1", entries: [entry("a"), { ...entry("b"), ...change }] });
  expect(read(broken({ query: 1 }))).toThrow(/^f\.json: entries\.1\.query: expected text/);
  expect(read(broken({ pages: null }))).toThrow(/^f\.json: entries\.1\.pages: expected a list/);
  expect(read(broken({ pages: [{ title: "x" }] }))).toThrow(/entries\.1\.pages\.0\.summary: /);
});
