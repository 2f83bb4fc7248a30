import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { type OutsideProject, outsideProject } from "../helpers/packed.js";

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The programs of docs/examples, with what their last comment says they print. */
const shown = ["compare", "own-method", "score"].map((name) => {
  const program = read(`docs/examples/${name}.ts`);
  return { name, program, prints: /\/\* It prints:\n([\s\S]*?)\*\//.exec(program)![1]! };
});

const pluginOfReadme = /```ts\n(import [\s\S]*?)```/.exec(read("README.md"))![1]!;
const selectorOfPage = /```ts\n(import \{ defineSelector[\s\S]*?)```/.exec(read("docs/EXTENDING.md"))![1]!;
const MORE = { plugin: pluginOfReadme, selector: selectorOfPage, "rating-task": read("docs/examples/rating-task.ts") };

let project: OutsideProject;
let compiled: string;

beforeAll(async () => {
  project = await outsideProject();
  for (const { name, program } of shown) project.write(`${name}.ts`, program);
  project.write("wrong.ts", WRONG);
  for (const [name, program] of Object.entries(MORE)) project.write(`${name}.ts`, program);
  compiled = project.compile(
    ...[...shown.map(({ name }) => name), ...Object.keys(MORE), "wrong"].map((name) => `${name}.ts`),
  );
});

/** Each line is a mistake that a person's editor should show. */
const WRONG = `import { compare, defineMethod, metricOf, option, run } from "lamp-eval";
const { summaries } = await run({ task: "lamp3", metod: "rag" });
metricOf(summaries[0], "mae");
export const low: number = metricOf(summaries[0]!).strict;
await compare({ b: "x" });
export const mine = defineMethod({
  name: "mine", summary: "", source: "", options: { "mine.k": option.integer({ default: 1, help: "" }) },
  personalize: async (_, options) => async () => options["mine.k"].toFixed() + options["mine.x"],
  plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
});
`;

describe("the programs of docs/examples, in a folder outside with the packed package", () => {
  test("pass the strictest type check, so do the plug-in of the README, the selector and the task of docs/EXTENDING.md; a wrong program does not", () => {
    const lines = compiled.split("\n").filter((line) => line.includes("error TS"));
    expect(lines.map((line) => /^(.*\.ts\(\d+),/.exec(line)?.[1])).toEqual(
      [2, 3, 4, 5, 8].map((at) => `wrong.ts(${at}`),
    );
  });

  test.each(shown)("$name prints what its last comment says", async ({ name, prints }) => {
    expect(await project.node(`${name}.js`)).toMatchObject({ stdout: prints, code: 0 });
  });

  test("tell a mistake in one line", async () => {
    expect((await project.node("own-method.js", "0")).stdout).toBe(
      "cannot run: recent.k=0: expected a whole number of 1 or more\n",
    );
  });
});
