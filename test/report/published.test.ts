import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { errorsPrintedAs, fewestOutsideLabels, hitsPrintedAs } from "../../src/report/implied-counts.js";
import { impliedPair } from "../../src/report/implied-pair.js";
import { paperTables } from "../../src/report/paper-tables.js";
import { derivePublished } from "../../src/report/published.js";
import { renderPublished } from "../../src/report/published-text.js";
import { mcNemar } from "../../src/statistics/mcnemar.js";
import { sharedDir } from "../helpers/shared.js";

const derived = (table: string, task: string) =>
  derivePublished(paperTables.get(table)).find((found) => found.task === task)!;

const pair = (table: string, task: string, better: string, worse: string) =>
  derived(table, task).pairs.find((found) => found.better === better && found.worse === worse)!;

describe("the counts behind printed shares", () => {
  it("are one whole number each on the tasks whose size is derived", () => {
    expect(derived("000/T2", "lamp1").answers.map(({ method, hits }) => [method, hits])).toEqual([
      ["Prompt", 95],
      ["ICL", 96],
      ["RAG", 88],
      ["PAG", 103],
      ["ReAct", 103],
      ["MemBank", 106],
      ["PersonaAgent", 113],
    ]);
    expect(derived("000/T3", "lamp2m").answers.map(({ hits }) => hits)).toEqual([154, 146, 139, 138, 121]);
  });

  it("are missing where the size is not derivable, with everything else", () =>
    expect(derived("000/T2", "lamp2n")).toMatchObject({ count: undefined, answers: [], pairs: [], ratings: [] }));

  it("are none where the share is no share of the size, and several where the size is too large to tell", () => {
    expect(hitsPrintedAs("0.919", 123)).toEqual([113]);
    expect(hitsPrintedAs("0.919", 50)).toEqual([]);
    expect(hitsPrintedAs("0.387", 3302).length).toBeGreaterThan(1);
  });
});

describe("pairs of methods", () => {
  it("on LaMP-1 no pairing makes the 3 hits of alignment significant", () => {
    expect(pair("000/T3", "lamp1", "PersonaAgent", "w/o alignment")).toMatchObject({
      gap: 3,
      discordant: { least: 3, most: 23 },
      smallestP: 0.25,
      significant: "never",
      upTo: undefined,
    });
  });

  it("on LaMP-1 the lead over MemBank depends on how many questions they disagree on", () => {
    const { smallestP, largestP, significant, upTo } = pair("000/T2", "lamp1", "PersonaAgent", "MemBank");
    expect([smallestP, largestP]).toEqual([mcNemar(7, 0), mcNemar(17, 10)]);
    expect({ significant, upTo }).toEqual({ significant: "depends", upTo: 9 });
  });

  it.each([
    [7, 5, 10],
    [10, 2, 12],
    [4, 4, 9],
    [0, 6, 6],
    [1, 19, 20],
  ])("with %i and %i hits of %i allow just the ps of all possible pairings", (hitsA, hitsB, count) => {
    const ps: number[] = [];
    for (let both = 0; both <= Math.min(hitsA, hitsB); both++)
      if (hitsA + hitsB - both <= count) ps.push(mcNemar(hitsA - both, hitsB - both));
    const implied = impliedPair(hitsA, hitsB, count);
    expect(implied.smallestP).toBe(Math.min(...ps));
    expect(implied.largestP).toBe(Math.max(...ps));
    const above = ps.filter((p) => p > 0.05).length;
    expect(implied.significant).toBe(above === 0 ? "always" : above === ps.length ? "never" : "depends");
  });

  it("are all there once, the better method first", () => {
    const { pairs, answers } = derived("000/T2", "lamp2m");
    expect(pairs).toHaveLength((answers.length * (answers.length - 1)) / 2);
    const hits = (method: string) => answers.find((answer) => answer.method === method)!.hits;
    expect(pairs.every(({ better, worse }) => hits(better) >= hits(worse))).toBe(true);
  });
});

describe("replies outside two labels", () => {
  it("must exist where macro-F1 is above accuracy", () => {
    const outside = derived("000/T3", "lamp1").answers.map(({ outsideLabels }) => outsideLabels);
    expect(outside).toEqual([0, 0, 3, 6, 8]);
    expect(derived("000/T2", "lamp1").answers.find(({ method }) => method === "ReAct")?.outsideLabels).toBe(5);
  });

  it("are not claimed where labels alone can have the F1", () => {
    expect(fewestOutsideLabels("0.500", 6, 10)).toBe(0);
    expect(fewestOutsideLabels("0.999", 1, 10)).toBeUndefined();
  });
});

describe("the errors behind printed MAE and RMSE", () => {
  it("are whole sums, of which the exactly right ratings follow", () => {
    // 25 errors of 1 and one of 2: 27 and 29, 26 wrong
    expect(errorsPrintedAs("0.241", "0.509", 112)).toEqual({
      sum: 27,
      squaredSum: 29,
      exact: { least: 86, most: 86 },
      rmseOff: 0,
    });
    // errors 3 + 1, or 2 + 2 (squares 10 or 8): only the first prints as this RMSE
    expect(errorsPrintedAs("0.400", "1.000", 10)).toEqual({
      sum: 4,
      squaredSum: 10,
      exact: { least: 8, most: 8 },
      rmseOff: 0,
    });
  });

  it("say so where the RMSE is one off in its last digit", () => {
    const off = derived("000/T3", "lamp3").ratings.filter(({ rmseOff }) => rmseOff === 1);
    expect(off.map(({ method, squaredSum }) => [method, squaredSum])).toEqual([
      ["w/o alignment", 35],
      ["w/o persona", 33],
    ]);
  });

  it("are none where no errors have both", () => {
    expect(errorsPrintedAs("0.216", "0.484", 112)).toBeUndefined();
    expect(errorsPrintedAs("0.500", "0.500", 10)).toBeUndefined();
  });
});

test("the text says what is derived, and nothing is run", () => {
  const table = paperTables.get("000/T3");
  const text = renderPublished(table, derivePublished(table));
  expect(text).toContain("published values only, nothing was run");
  expect(text).toContain("N=123 (derived: all 5 accuracies are shares of 123)");
  expect(text).toMatch(/PersonaAgent - w\/o alignment +\+3 +3\.\.23 +\.250 +\.678 +under no pairing/);
  expect(text).not.toContain("SIMULATED");
});

interface TablesFile {
  readonly tables: readonly {
    readonly id: string;
    readonly values?: readonly { task: string; metric: string; method?: string; variant?: string; printed: string }[];
  }[];
}

const shared = sharedDir();

test.skipIf(shared === undefined)("every printed value is the one extracted from the paper", () => {
  const file = JSON.parse(readFileSync(join(shared!, "spec", "paper-tables.json"), "utf8")) as TablesFile;
  const names: Readonly<Record<string, string>> = { Acc: "accuracy", F1: "f1", MAE: "mae", RMSE: "rmse" };
  for (const table of paperTables.all) {
    const theirs = file.tables
      .find(({ id }) => id === table.name)!
      .values!.map(({ task, metric, method, variant, printed }) =>
        [method ?? variant, task.toLowerCase().replace("-", ""), names[metric], printed].join(" "),
      );
    const ours = table.rows.flatMap(({ method, printed }) =>
      table.columns.map(({ task, metric }, c) => [method, task, metric, printed[c]].join(" ")),
    );
    expect(ours.sort()).toEqual(theirs.sort());
  }
});
