import { describe, expect, test } from "vitest";
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
    for (const name of ["004/T2", "004/T3"]) expect(paperTables.names).toContain(name);
    expect(renderParts("004")).toMatch(/made +004\/T3 /);
    expect(renderParts("003")).toMatch(/not +003\/results /);
  });

  test("another paper is refused by name", () => {
    expect(() => renderParts("009")).toThrow(/reproduce 009: no list .* 003, 004/);
  });
});
