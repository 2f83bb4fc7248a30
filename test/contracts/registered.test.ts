import { describe, expect, test } from "vitest";
import { embedderProviders } from "../../src/embedders/index.js";
import { methods } from "../../src/methods/index.js";
import { providers } from "../../src/models/index.js";
import { allOptions } from "../../src/plan/options.js";
import { readOptions } from "../../src/registry/options.js";
import { retrievers } from "../../src/retrievers/index.js";
import { tasks } from "../../src/tasks/index.js";

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

  test.each(methods.all)("$name plans its calls with defaults", ({ plan, summary, options: table }) => {
    const { perUnit, perQuestion } = plan(readOptions(table, {}));
    for (const range of [...Object.values(perUnit([])), ...Object.values(perQuestion())])
      expect(range.low).toBeLessThanOrEqual(range.high);
    const { answer = { high: 0 } } = perQuestion();
    expect(answer.high >= 1, "asks a model for answers").toBe(!summary.endsWith("asks no model"));
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
