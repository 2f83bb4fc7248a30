import { describe, expect, test } from "vitest";
import { embedderProviders } from "../../src/embedders/index.js";
import { methods } from "../../src/methods/index.js";
import { providers } from "../../src/models/index.js";
import { seeded } from "../../src/random/seeded.js";
import { readOptions } from "../../src/registry/options.js";
import { retrievers } from "../../src/retrievers/index.js";
import { allOptions } from "../../src/run/plan/options.js";
import { tasks } from "../../src/tasks/index.js";
import { wordEmbedder } from "../helpers/kit.js";

const named = /^[a-z0-9]+(-[a-z0-9]+)*$/;

describe("everything registered", () => {
  test.each([...tasks.all, ...methods.all, ...retrievers.all, ...providers.all, ...embedderProviders.all])(
    "$name is named as it is typed",
    ({ name }) => expect(name).toMatch(named),
  );

  test.each([...methods.all, ...retrievers.all, ...providers.all, ...embedderProviders.all])(
    "$name sums itself up in a line",
    ({ summary }) => expect(summary).toMatch(/^\S.{9,}$/),
  );

  test.each([...tasks.all, ...methods.all, ...retrievers.all, ...tasks.all.flatMap(({ metrics }) => metrics)])(
    "$name names its source",
    ({ source }) => expect(source).toMatch(/\S{4,}/),
  );
});

describe("every option", () => {
  const options = Object.entries(allOptions()).map(([name, option]) => ({ name, option }));

  test.each(options)("$name reads its own default, and its canonical form again", ({ name, option }) => {
    const canonical = option.canonical(name, option.default);
    expect(option.canonical(name, canonical)).toBe(canonical);
    expect(option.canonical(name, String(canonical))).toBe(canonical); // as typed behind --set
    expect(option.read(name, String(canonical))).toEqual(option.read(name, option.default));
  });

  test.each(options)("$name says what it takes and what it does", ({ option }) => {
    expect(option.accepts).not.toBe("");
    expect(option.help).toMatch(/\S{3,}/);
  });

  test.each(methods.all)("$name plans its calls with defaults", ({ plan, options: table }) => {
    const { perUnit, perQuestion } = plan(readOptions(table, {}));
    for (const range of [...Object.values(perUnit([])), ...Object.values(perQuestion())])
      expect(range.low).toBeLessThanOrEqual(range.high);
    expect(perQuestion().answer?.high).toBeGreaterThanOrEqual(1);
  });

  test("two methods that share an option agree on it", () => {
    const seen = new Map<string, unknown>();
    for (const { options: table } of methods.all)
      for (const [name, option] of Object.entries(table)) {
        const facts = [option.default, option.accepts];
        expect(seen.get(name) ?? facts, name).toEqual(facts);
        seen.set(name, facts);
      }
  });
});

describe.each(retrievers.all)("retriever $name", (retriever) => {
  const documents = ["red apples and pears", "a tale of two cities", "green apples", "the sea, the sea"].map(
    (text, i) => ({ text, date: `2020-01-0${i + 1}` }),
  );
  const kit = () => ({
    tokenize: (text: string) => text.split(/\s+/),
    embedder: wordEmbedder,
    random: seeded("contract"),
  });

  test("finds the same on every try, best first, each document once, fewer only where there are fewer", async () => {
    const search = await retriever.index(documents, kit());
    const again = await retriever.index(documents, kit());
    for (const k of [0, 1, 3, 10]) {
      const hits = await search("apples of the sea", k);
      expect(hits).toEqual(await again("apples of the sea", k));
      expect(hits).toHaveLength(Math.min(k, documents.length));
      expect(new Set(hits.map(({ index }) => index)).size).toBe(hits.length);
      const scores = hits.map(({ score }) => score);
      expect(scores).toEqual([...scores].sort((a, b) => b - a));
    }
  });

  test("finds nothing in nothing", async () => {
    expect(await (await retriever.index([], kit()))("apples", 4)).toEqual([]);
  });
});
