import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import {
  compare,
  defineMetric,
  gate,
  metricOf,
  type RunRequest,
  report,
  reproduce,
  run,
  score,
  summaryOf,
  UsageError,
  verify,
  writeBaseline,
} from "../../src/index.js";
import { builtIn, extended } from "../../src/plan/catalogue.js";
import type { RunConfig } from "../../src/plan/settings.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const text = async (line: string) => (await runCommandLine(line, { cwd })).stdout;

beforeAll(async () => {
  await text("run --task lamp2m --method prompt,rag --users 12 --queries-per-user 2 --out demo");
});

describe("a program gets from the library what the commands print", () => {
  test("the tables of a run, and its results as values", async () => {
    const { text: table, results, file } = await report({ runs: ["demo"], form: "csv" }, { cwd });
    expect(table.trimEnd()).toBe(await text("report demo --format csv"));
    expect(results.map(({ method }) => method)).toEqual(["prompt", "rag"]);
    expect(file).toBeUndefined();
  });

  test("a comparison", async () => {
    const found = await compare({ a: "demo", methods: ["prompt", "rag"] }, { cwd });
    const [printed] = JSON.parse(await text("compare demo --methods prompt,rag --json")).comparisons;
    expect(printed.flipped).toEqual(plain(found[0]!.comparison.flipped));
  });

  test("a verdict, against a baseline that it wrote", async () => {
    expect(await writeBaseline({ run: "demo", file: "base.json", maxFailed: 0 }, { cwd })).toMatchObject({ arms: 2 });
    const found = await gate({ run: "demo", baseline: "base.json" }, { cwd });
    expect(found.verdict).toBe("pass");
    expect(JSON.parse(await text("gate demo --baseline base.json --json"))).toMatchObject({
      ...{ exitCode: 0, ...plain(found) },
      arms: found.arms.map(({ loss, bound }) => ({ loss, bound })),
    });
  });

  test("a paper's grid of simulated numbers, without the published ones", async () => {
    const made = await reproduce({ table: "personaagent/T2", runs: ["demo"] }, { cwd });
    expect(JSON.stringify(made)).toContain("SIMULATED");
  });
});

describe("a run that adds a metric of its own", () => {
  const letters = defineMetric({
    name: "letters",
    title: "Letters of the answer",
    better: "lower",
    source: "a test",
    sumCount: 1,
    add: ({ prediction }, sums, offset = 0) => {
      sums[offset] = (sums[offset] ?? 0) + prediction.length;
    },
    value: (sums, count) => (sums[0] ?? 0) / count,
  });
  const known = { cwd, catalogue: extended(builtIn, { metrics: [letters] }, "this test") };
  const names = (metrics: readonly { readonly name: string }[] = []) => metrics.map(({ name }) => name);

  beforeAll(async () => {
    const asked = { task: "lamp2m", method: ["prompt", "rag"], metric: letters, users: 12, limit: 24, out: "lettered" };
    const made = await run(asked, { cwd });
    expect(made.ended).toBe("done");
    await writeBaseline({ run: made.folder, file: "lettered.json", maxFailed: 0 }, known);
  });

  test("is compared, gated, reported and verified by it where it is handed in", async () => {
    const compared = await compare({ a: "lettered", methods: ["prompt", "rag"] }, known);
    expect(names(compared[0]?.comparison.metrics)).toContain("letters");
    expect(compared[0]?.remarks).toEqual([]);
    const judged = await gate({ run: "lettered", baseline: "lettered.json" }, known);
    expect(judged.arms.map(({ rule }) => rule)).toEqual(["same answers", "same answers"]);
    expect(
      metricOf(summaryOf((await report({ runs: ["lettered"] }, known)).results, { method: "rag" }), "letters"),
    ).toBeDefined();
    expect((await verify({ run: "lettered" }, known)).every(({ equal }) => equal)).toBe(true);
  });

  test("is refused by the metric's name where it is not", async () => {
    for (const read of [report({ runs: ["lettered"] }, { cwd }), verify({ run: "lettered" }, { cwd })])
      await expect(read).rejects.toThrow("letters");
  });
});

describe("what a program reads off a run", () => {
  test("an arm by its method, and its metric by name or as the headline", async () => {
    const { results } = await report({ runs: ["demo"] }, { cwd });
    const rag = summaryOf(results, { method: "rag" });
    expect(rag.method).toBe("rag");
    expect(metricOf(rag)).toBe(metricOf(rag, "accuracy"));
    expect(() => summaryOf(results)).toThrow(/^one arm: several arms; arms: lamp2m prompt offline.*; lamp2m rag /);
    expect(() => summaryOf(results, { method: "pag" })).toThrow(/^method pag: no such arm; arms: lamp2m prompt /);
    expect(() => metricOf(rag, "acuracy")).toThrow('metric acuracy: not of lamp2m; did you mean "accuracy"?');
  });

  test("the score of predictions that are in no file, as of those that are", async () => {
    const answers = (...outputs: string[]) => ({
      task: "LaMP_3",
      golds: outputs.map((output, i) => ({ id: String(i), output })),
    });
    const [predictions, golds] = [answers("5", "3", "1"), answers("5", "5", "1")];
    const scored = await score({ task: "lamp3", predictions, golds });
    expect(scored).toMatchObject({ count: 3, scores: { MAE: 2 / 3 } });
    writeFileSync(join(cwd, "p.json"), JSON.stringify(predictions));
    writeFileSync(join(cwd, "g.json"), JSON.stringify(golds));
    expect(await score({ task: "lamp3", predictions: "p.json", golds: "g.json" }, { cwd })).toEqual(scored);
    await expect(score({ task: "lamp3", predictions: { task: "LaMP_3", golds: [] }, golds })).rejects.toThrow(
      /^predictions/,
    );
  });

  test("every key of a config file is a key of a request", () => {
    expectTypeOf<Exclude<keyof RunConfig, keyof RunRequest | "set" | "extends">>().toEqualTypeOf<never>();
  });
});

/** As JSON keeps it. */
const plain = (value: object): object => JSON.parse(JSON.stringify(value)) as object;

test("a needed field that is absent is a UsageError that names it", async () => {
  const none = {} as never;
  const calls: readonly [string, () => Promise<unknown>][] = [
    ["task", () => score(none)],
    ["golds", () => score({ task: "lamp3", predictions: "p.json" } as never)],
    ["a", () => compare(none)],
    ["a", () => compare(undefined as never)],
    ["runs", () => report(none)],
    ["run", () => gate(none)],
    ["baseline", () => gate({ run: "demo" } as never)],
    ["file", () => writeBaseline({ run: "demo" } as never)],
    ["table", () => reproduce(none)],
    ["run", () => verify({ run: null } as never)],
  ];
  for (const [field, call] of calls)
    await expect(call()).rejects.toThrow(
      expect.objectContaining({ message: expect.stringMatching(`^${field}: it is missing`) }),
    );
  await expect(score(none)).rejects.toBeInstanceOf(UsageError);
});
