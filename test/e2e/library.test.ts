import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { type OutsideProject, outsideProject } from "../helpers/packed.js";

const docs = new URL("../../docs/", import.meta.url);
const page = readFileSync(fileURLToPath(new URL("LIBRARY.md", docs)), "utf8");

/** The programs that the page shows, with what it says they print. */
const shown = [
  ...page.matchAll(
    /<!-- program: examples\/([\w-]+)\.ts -->\n```ts\n([\s\S]*?)```\n<!-- end -->\n\n(?:.*\n\n)?```text\n([\s\S]*?)```/g,
  ),
].map(([, name = "", program = "", prints = ""]) => ({ name, program, prints }));

const readme = readFileSync(fileURLToPath(new URL("../README.md", docs)), "utf8");
const pluginOfReadme = /```ts\n(import [\s\S]*?)```/.exec(readme)![1]!;

const selectorOfPage = /```ts\n(import \{ defineSelector[\s\S]*?)```/.exec(
  readFileSync(fileURLToPath(new URL("PLUGINS.md", docs)), "utf8"),
)![1]!; // the page's only selector

let project: OutsideProject;
let compiled: string;

beforeAll(async () => {
  project = await outsideProject();
  for (const { name, program } of shown) project.write(`${name}.ts`, program);
  project.write("wrong.ts", WRONG);
  project.write("plugin.ts", pluginOfReadme);
  project.write("selector.ts", selectorOfPage);
  compiled = project.compile(...shown.map(({ name }) => `${name}.ts`), "plugin.ts", "selector.ts", "wrong.ts");
}, 120_000);

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

describe("the programs of docs/LIBRARY.md, in a folder outside with the packed package", () => {
  test("are the three files of docs/examples", () => {
    expect(shown.map(({ name }) => name)).toEqual(["compare", "own-method", "score"]);
    for (const { name, program } of shown)
      expect(program).toBe(readFileSync(fileURLToPath(new URL(`examples/${name}.ts`, docs)), "utf8"));
  });

  test("pass the strictest type check, the plug-in of the README and the selector of docs/PLUGINS.md too, which finds what is wrong in a program that is not right", () => {
    const lines = compiled.split("\n").filter((line) => line.includes("error TS"));
    expect(lines.map((line) => /^wrong\.ts\((\d+),/.exec(line)?.[1])).toEqual(["2", "3", "4", "5", "8"]);
  });

  test.each(shown)("$name prints what the page says", async ({ name, prints }) => {
    expect(await project.node(`${name}.js`)).toMatchObject({ stdout: prints, code: 0 });
  });

  test("tell a mistake in one line", async () => {
    expect((await project.node("own-method.js", "0")).stdout).toBe(
      "cannot run: recent.k=0: expected a whole number of 1 or more\n",
    );
  });
});
