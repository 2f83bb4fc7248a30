import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { paperNamed, papers } from "../../../src/commands/reproduce.js";
import { renderPaper } from "../../../src/report/papers/paper.js";

describe("every table and figure of a paper", () => {
  test.each(papers().map((paper) => [paper.id, paper] as const))(
    "%s: each is made by a command, partly made, or not and why",
    (id, { tables, absent }) => {
      const told = renderPaper(paperNamed(id, "."));
      for (const [name, why] of Object.entries(absent)) {
        expect(why.length).toBeGreaterThan(20);
        expect(told).toMatch(new RegExp(`^not +${id}/${name} +`, "m"));
      }
      for (const { name, partly, valuesOnly } of tables) {
        expect(name.startsWith(`${id}/`)).toBe(true);
        expect(told).toContain(
          `${valuesOnly !== undefined ? "values" : partly === undefined ? "made  " : "partly"}  ${name}`,
        );
      }
    },
  );

  test.each(papers().flatMap(({ tables }) => tables.filter(({ valuesOnly }) => valuesOnly === undefined)))(
    "$name: its config is there",
    ({ make }) => {
      const [, config] = /--config configs\/([\w-]+)\.yaml/.exec(make) ?? [];
      expect(config === undefined ? make.includes("--preset") : existsSync(`configs/${config}.yaml`)).toBe(true);
    },
  );

  test("another paper is refused by name", () => {
    expect(() => paperNamed("nine", ".")).toThrow(/reproduce nine: no such paper; papers: assistant, personaagent, /);
  });
});
