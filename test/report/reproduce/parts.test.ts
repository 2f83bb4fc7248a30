import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stepsAfter } from "../../../scripts/paper/steps.js";
import { paperTables } from "../../../src/report/reproduce/papers/index.js";
import { listedPapers, renderParts } from "../../../src/report/reproduce/parts/index.js";

describe("every table and figure of a paper", () => {
  test.each(listedPapers.map((paper) => [paper.paper, paper] as const))(
    "%s: each part says what makes it or why not",
    (name, { parts }) => {
      for (const part of parts) expect([part.name.startsWith(`${name}/`), part.how.length > 20]).toEqual([true, true]);
      expect(renderParts(name)).toContain("contradictions:\n- ");
    },
  );

  test("what can stand beside own runs is a published table", () => {
    for (const name of ["assistant/T2", "assistant/T3"]) expect(paperTables.names).toContain(name);
    expect(renderParts("assistant")).toMatch(/made +assistant\/T3 /);
    expect(renderParts("sage")).toMatch(/not +sage\/results /);
  });

  test.each(listedPapers.flatMap(({ parts }) => parts).filter(({ state }) => state !== "not"))(
    "$name: npm run paper runs its config and each command that prints it",
    ({ how }) => {
      const [, config] = /^run --config configs\/([\w-]+)\.yaml/.exec(how) ?? [];
      expect(existsSync(`configs/${config}.yaml`)).toBe(true);
      const ran = stepsAfter(config ?? "").map((step) => step.split(" RUN")[0]);
      for (const [, command] of how.matchAll(/, then (judge|rums eval|rums calibrate|show|report) RUN/g))
        expect(ran).toContain(command);
    },
  );

  test("another paper is refused by name", () => {
    expect(() => renderParts("nine")).toThrow(/reproduce nine: no list .* sage, assistant/);
  });
});
