import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { papers, tableNamed } from "../../../src/commands/reproduce.js";
import { mcNemar, printedNumber } from "../../../src/report/papers/implied.js";
import { derivePublished, renderPublished } from "../../../src/report/papers/published.js";
import { sharedDir } from "../../helpers/shared.js";

const derived = (table: string, task: string) =>
  derivePublished(tableNamed(table, ".")).find((found) => found.task === task)!;

const text = (name: string) => renderPublished(tableNamed(name, "."), derivePublished(tableNamed(name, ".")), "text");

const pair = (table: string, task: string, better: string, worse: string) =>
  derived(table, task).pairs.find((found) => found.better === better && found.worse === worse)!;

describe("the counts behind printed shares", () => {
  it("are one whole number each on the tasks whose size is derived", () => {
    expect(derived("personaagent/T2", "lamp1").rows.map(({ method, hits }) => [method, hits])).toEqual([
      ["Prompt", 95],
      ["ICL", 96],
      ["RAG", 88],
      ["PAG", 103],
      ["ReAct", 103],
      ["MemBank", 106],
      ["PersonaAgent", 113],
    ]);
    expect(derived("personaagent/T3", "lamp2m").rows.map(({ hits }) => hits)).toEqual([154, 146, 139, 138, 121]);
  });

  it("are missing where the size is not derivable, with everything else", () =>
    expect(derived("personaagent/T2", "lamp2n")).toMatchObject({
      count: undefined,
      rows: Array.from({ length: 7 }, () => ({ hits: undefined, interval: undefined, errors: undefined })),
      pairs: [],
    }));

  it("are not told by the digits where the size is too large", () => {
    const table = tableNamed("personaagent/T2", ".");
    const sizeOf = (task: string) => ({ ...table.sizeOf(task), n: 3302 });
    const [found] = derivePublished({ ...table, sizeOf });
    expect(found).toMatchObject({ count: undefined, pairs: [] });
    expect(renderPublished(table, [found!], "text")).toContain("N=3302 is too large");
  });
});

describe("the size of a test set", () => {
  it.each([
    ["personaagent/T2", "lamp1", 123, [123, 246, 369, 492]],
    ["personaagent/T2", "lamp2m", 300, [300]],
    ["personaagent/T3", "lamp3", 112, [112, 224, 336, 448]],
    ["personaagent-graphrag/T1", "lamp2m", 300, [300, 349, 398]],
    ["personaagent/T2", "lamp2n", undefined, []],
    ["personamem/T2", "personamem", undefined, expect.arrayContaining([88])],
  ] as const)("of %s on %s is %s", (table, task, n, fits) => {
    expect(tableNamed(table, ".").sizeOf(task)).toMatchObject({ n, fits });
  });

  it("is bounded from below where values fit some size by chance", () => {
    expect(derived("personaagent/T2", "lamp2n").size.smallest).toBe(706);
    expect(text("personaagent/T2")).toContain("N is not known: sizes from 706 on fit by chance");
  });
});

describe("pairs of methods", () => {
  it("on LaMP-1 no pairing makes the 3 hits of alignment significant", () => {
    const { gap, smallestP } = pair("personaagent/T3", "lamp1", "PersonaAgent", "w/o alignment");
    expect(gap).toBe(3);
    expect(smallestP).toBeCloseTo(0.25, 12);
  });

  it("on LaMP-1 the lead over MemBank depends on how many questions they disagree on", () => {
    const { smallestP, largestP } = pair("personaagent/T2", "lamp1", "PersonaAgent", "MemBank");
    expect([smallestP, largestP]).toEqual([mcNemar(7, 0), mcNemar(17, 10)]);
  });

  it("are all there once, the better method first", () => {
    const { pairs, rows } = derived("personaagent/T2", "lamp2m");
    expect(pairs).toHaveLength((rows.length * (rows.length - 1)) / 2);
    const hits = (method: string) => rows.find((row) => row.method === method)!.hits!;
    expect(pairs.every(({ better, worse }) => hits(better) >= hits(worse))).toBe(true);
  });
});

describe("the errors behind printed MAE and RMSE", () => {
  it("say so where the RMSE is one off in its last digit", () => {
    const off = derived("personaagent/T3", "lamp3").rows.filter(({ errors }) => errors?.rmseOff === 1);
    expect(off.map(({ method, errors }) => [method, errors?.squaredSum])).toEqual([
      ["w/o alignment", 35],
      ["w/o persona", 33],
    ]);
  });
});

describe("values that do not fit the derived size", () => {
  it("are said to be of another test set, and nothing is derived from them", () => {
    expect(derived("personaagent/cold-start", "lamp1").rows).toMatchObject([
      { printed: { accuracy: "0.845" }, hits: undefined },
    ]);
    expect(derived("personaagent/cold-start", "lamp3").rows).toMatchObject([
      { printed: { mae: "0.301" }, errors: undefined },
    ]);
    const { rows } = derived("personaagent-graphrag/T1", "lamp3");
    expect(rows.filter(({ errors }) => errors === undefined).map(({ method }) => method)).toEqual([
      "PersonaAgent with GraphRAG",
    ]);
    expect(text("personaagent/cold-start")).toContain("-: no whole count of 123 prints so: another test set");
  });

  it("are just those that their tables mark", () => {
    const marked = papers()
      .flatMap(({ tables }) => tables)
      .flatMap(({ name, rows }) =>
        rows.flatMap(({ label, otherSet = [] }) => otherSet.map((task) => `${name} ${label} ${task}`)),
      );
    const misfits = papers()
      .flatMap(({ tables }) => tables)
      .flatMap((table) =>
        derivePublished(table).flatMap(({ task, count, rows }) =>
          rows.flatMap(({ method, hits, errors }) =>
            count !== undefined && hits === undefined && errors === undefined
              ? [`${table.name} ${method} ${task}`]
              : [],
          ),
        ),
      );
    expect(marked.length).toBeGreaterThan(0);
    expect(marked.sort()).toEqual(misfits.sort());
  });

  it("a percentage is read with its own digits", () =>
    expect(derived("personaagent/Fig4", "lamp2m").rows).toMatchObject([{ printed: { accuracy: "55.0%" }, hits: 165 }]));
});

test("the text of each kind of table: what its numbers imply and what cannot be derived", async () => {
  const names = ["personaagent/T3", "personaagent/T4", "personaagent-graphrag/T1", "personaagent/Fig3", "assistant/T4"];
  await expect(names.map(text).join("\n\n========\n\n")).toMatchFileSnapshot("./published.txt");
});

describe("ids of the papers", () => {
  it.each([
    ["rums/T11", "a study with people"],
    ["sage/results", "the excerpt has none"],
    ["assistant/T1", "counts dialogues and turns"],
    ["personaagent/T1", "no measured value"],
    ["personaagent-graphrag/T1c", "reproduce personaagent-graphrag/T1"],
  ])("%s is known, and the answer says why there is nothing to run", (name, why) =>
    expect(() => tableNamed(name, ".")).toThrow(why),
  );

  it("are found in any case, and others are suggested", () => {
    expect(tableNamed("personaagent/t2", ".").name).toBe("personaagent/T2");
    expect(() => tableNamed("personaagent/T9", ".")).toThrow(/personaagent\/T9: no such table; did you mean/);
  });
});

interface TablesFile {
  readonly tables: readonly {
    readonly id: string;
    readonly values?: readonly ExtractedValue[] | null;
    readonly rows?: unknown;
  }[];
  readonly external_and_derived: { readonly "ext/ACL2026": { readonly values: Notes } };
}

interface ExtractedValue {
  readonly task: string;
  readonly metric: string;
  readonly method?: string;
  readonly variant?: string;
  readonly value: number;
}

interface Notes {
  readonly seconds_per_sample: Readonly<Record<string, number>>;
  readonly cold_start_10_interactions: Readonly<Record<string, number>>;
}

const shared = sharedDir();

describe.skipIf(shared === undefined)("every printed value is the one extracted from the paper", () => {
  // The file numbers the papers.
  const papers = ["personaagent", "personaagent-graphrag", "rums", "sage", "assistant"];
  const file = (): TablesFile => {
    const text = readFileSync(join(shared!, "spec", "paper-tables.json"), "utf8");
    return JSON.parse(
      text.replace(/"id": ?"00(\d)/g, (_, paper: string) => `"id": "${papers[Number(paper)]}`),
    ) as TablesFile;
  };
  const ours = (name: string): string[] => {
    const { rows, columns } = tableNamed(name, ".");
    return rows
      .flatMap(({ label, values }) =>
        columns.flatMap(({ task, metric }, c) =>
          values[c] === "-" ? [] : [[label, task, metric, printedNumber(values[c]!)].join(" ")],
        ),
      )
      .sort();
  };
  const metricNames: Readonly<Record<string, string>> = { Acc: "accuracy" };
  const metricOf = (metric: string) => metricNames[metric] ?? metric.toLowerCase();
  const taskOf = (task: string) => task.toLowerCase().replace("-", "");

  it.each([
    ["personaagent/T2", "personaagent/T2"],
    ["personaagent/T3", "personaagent/T3"],
    ["personaagent/T4", "personaagent/T4"],
    ["personaagent-graphrag/T1", "personaagent-graphrag/T1c"],
  ])("%s", (name, id) => {
    const theirs = file().tables.find((table) => table.id === id)!.values!;
    expect(ours(name)).toEqual(
      theirs
        .map(({ task, metric, method, variant, value }) =>
          [method ?? variant, taskOf(task), metricOf(metric), value].join(" "),
        )
        .sort(),
    );
  });

  it("the one value in the text of personaagent/Fig4", () => {
    const theirs = file().tables.find((table) => table.id === "personaagent/Fig4")!.values!;
    expect(ours("personaagent/Fig4")).toEqual(theirs.map(({ value }) => `PersonaAgent lamp2m accuracy ${value}`));
  });

  it("the notes on seconds and cold start", () => {
    const { seconds_per_sample: seconds, cold_start_10_interactions: cold } =
      file().external_and_derived["ext/ACL2026"].values;
    expect(ours("personaagent/seconds")).toEqual(
      Object.entries(seconds)
        .map(([method, value]) => `${method} lamp2m seconds ${value}`)
        .sort(),
    );
    expect(ours("personaagent/cold-start")).toEqual(
      Object.entries(cold).map(([name, value]) => {
        const [task = "", metric = ""] = name.split(" ");
        return `PersonaAgent ${taskOf(task)} ${metricOf(metric)} ${value}`;
      }),
    );
  });

  it.each("T1 T2 T3 T4 T5 T6 T8 T9 T10 T12 T14 T16 T20 T21 T23 T25 Fig2b Fig3a".split(" "))(
    "rums/%s, value by value",
    (name) => {
      const left = JSON.stringify(file().tables.find(({ id }) => id === `rums/${name}`)!.rows)
        .match(/-?\d+(\.\d+)?/g)!
        .map(Number);
      const printed = tableNamed(`rums/${name}`, ".").rows.flatMap((row) =>
        row.values.filter((value) => value !== "-"),
      );
      for (const value of printed) {
        const at = left.indexOf(Number(value.replace("%", "")));
        expect([value, at >= 0]).toEqual([value, true]);
        left.splice(at, 1);
      }
    },
  );

  it("and every id of the file is a table here, or its absence has a reason", () => {
    for (const { id } of file().tables.filter((table) => !papers.includes(table.id))) {
      let answer = "a table";
      try {
        tableNamed(id, ".");
      } catch (error) {
        answer = (error as Error).message;
      }
      expect(answer).not.toContain("unknown");
    }
  });
});
