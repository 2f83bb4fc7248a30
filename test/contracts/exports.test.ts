import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** Exported values that nothing but tests imports, and why they are exported all the same. */
const forTests: Readonly<Record<string, readonly string[]>> = {
  "words that an agent's model is shown, which tests of whole conversations look for": [
    "agent/loop.ts OUT_OF_STEPS",
    "agent/parse-react.ts INVALID",
    "agent/parse-react.ts MISSING_ACTION",
    "agent/parse-react.ts MISSING_INPUT",
    "agent/tools/episodic-memory.ts NO_HISTORY",
    "agent/tools/wikipedia.ts NOTHING_FOUND",
    "agent/tools/wikipedia.ts NOTHING_RECORDED",
  ],
  "rules of methods that are tried by themselves": [
    "memory/memory-bank.ts daysBetween",
    "memory/memory-bank.ts retention",
    "methods/pag-summary.ts newestWithin",
    "methods/recall-answer.ts indexHistory",
  ],
  "the rules of methods, which test/contracts asks of every method": [
    "app/contract/options.ts optionFindings",
    "app/contract/rows.ts outOfPlan",
    "app/contract/rows.ts rowFindings",
    "app/contract/time.ts laterWordFindings",
    "app/contract/time.ts memoryFindings",
    "app/contract/time.ts showsItsPast",
    "app/contract/time.ts timeFindings",
    "app/contract/time.ts wideOptions",
  ],
  "steps below an embedder that a test reaches without weights or a server": [
    "embedders/onnx.ts openOnnx",
    "embedders/openai.ts openEndpoint",
    "embedders/transformers.ts encoderOf",
    "embedders/transformers.ts importTransformers",
    "embedders/use-lite.ts loadPackages",
    "embedders/use-lite.ts openUseLite",
  ],
  "the clock of a process, for tests of servers and programs, whose time is real": ["process-io.ts realClock"],
  "what a run wrote of its units, for tests that read run folders": ["run/run-rows.ts latestUnits"],
  "rules that are stated by themselves, not only through what uses them": [
    "app/rums/evaluate.ts setScores",
    "cli/live/progress.ts liveDisplay",
    "exec/command.ts splitWords",
    "models/wrap/layered.ts RETRY_DEFAULTS",
    "run/journal/journal-reading.ts readDamage",
    "run/estimate.ts fillingModel",
    "selectors/rums/entropy.ts ofTail",
    "selectors/rums/entropy.ts tokenEntropy",
    "selectors/rums/search.ts subsetsOf",
    "run/lease.ts STALE_MS",
    "statistics/cluster-sums.ts valueOfWeighted",
    "statistics/interval.ts betaInterval",
    "statistics/interval.ts exactEnds",
    "statistics/paired-difference.ts swapP",
    "statistics/race.ts saddlepoint",
    "tasks/styles/oppu.ts pythonList",
  ],
};

const excused = Object.values(forTests).flat();

const files = ["src", "scripts", "bin"].flatMap(filesIn);
const testFiles = filesIn("test");
/** The library's face: what it gives is for others. */
const face = join(root, "src/index.ts");

test("every exported value is imported by another file, or a test is named that needs it", () => {
  const isTaken = takenBy(files);
  const unused = files.flatMap(({ path, text }) =>
    exportsOf(text)
      .filter((name) => !isTaken(path, name))
      .map((name) => `${relative(root, path).split(sep).join("/")} ${name}`),
  );
  const ofSource = unused.filter((name) => name.startsWith("src/")).map((name) => name.slice("src/".length));
  expect(ofSource.filter((name) => !excused.includes(name))).toEqual([]);
});

test("every exported type, and all that is handed on from another file, is imported by a file or is of the library", () => {
  const isTaken = takenBy([...files, ...testFiles]);
  const unused = files
    .filter(({ path }) => path.startsWith(join(root, "src", "/")) && path !== face)
    .flatMap(({ path, text }) =>
      [...typesOf(text), ...handedOnBy(text)]
        .filter((name) => !isTaken(path, name))
        .map((name) => `${relative(root, path).split(sep).join("/")} ${name}`),
    );
  expect(unused).toEqual([]);
});

test("no value is excused that is not there", () => {
  const exported = files.flatMap(({ path, text }) =>
    exportsOf(text).map((name) => `${relative(join(root, "src"), path).split(sep).join("/")} ${name}`),
  );
  expect(excused.filter((name) => !exported.includes(name))).toEqual([]);
});

test("imports and exports are read in all their forms", () => {
  const code =
    'import a, { type B, c as d } from "./x.js"; export { e } from "./x.js"; const { f } = await import("./x.js")';
  expect(importsOf(code)).toEqual([
    { from: "./x.js", names: ["a", "B", "c"] },
    { from: "./x.js", names: ["e"] },
    { from: "./x.js", names: ["f"] },
  ]);
  expect(importsOf('export * from "./y.js"; const y = await import("./y.js"); import * as z from "./z.js"')).toEqual([
    { from: "./y.js", names: [], isHandedOn: true },
    { from: "./y.js", names: ["*"] },
    { from: "./z.js", names: ["*"] },
  ]);
  expect(importsOf('let x: import("./z.js").Z;')).toEqual([{ from: "./z.js", names: ["Z"] }]);
  expect(typesOf("export interface A {}\nexport type B = 1;\nexport const c = 1;")).toEqual(["A", "B"]);
  expect(handedOnBy('export { a, type B, c as d } from "./x.js";\nexport * from "./y.js";')).toEqual(["a", "B", "d"]);
  expect(exportsOf("export const a = 1;\nexport async function b() {}\nexport class C {}\nexport type D = 1;")).toEqual(
    ["a", "b", "C"],
  );
});

/** Whether one of these files imports this name of a file, from there or from a file that hands all of it on. */
function takenBy(importers: readonly SourceFile[]): (path: string, name: string) => boolean {
  const taken = new Set<string>();
  const handing = new Map<string, string[]>();
  for (const { path, text } of importers)
    for (const { from, names, isHandedOn } of importsOf(text)) {
      const target = inSource(resolve(dirname(path), from.replace(/\.js$/, ".ts")));
      if (isHandedOn) handing.set(target, [...(handing.get(target) ?? []), path]);
      else for (const name of names) taken.add(`${target} ${name}`);
    }
  const isTaken = (path: string, name: string): boolean =>
    taken.has(`${path} ${name}`) ||
    taken.has(`${path} *`) ||
    (handing.get(path) ?? []).some((handed) => isTaken(handed, name));
  return isTaken;
}

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

function filesIn(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
    .map((name) => ({ path: resolve(root, folder, name), text: readFileSync(join(root, folder, name), "utf8") }));
}

/** Scripts that measure the built program import from `dist`. */
const inSource = (path: string): string =>
  path.startsWith(join(root, "dist", "/")) ? join(root, "src", relative(join(root, "dist"), path)) : path;

const IMPORT =
  /(?:\b(?:import|export)\s+(?:type\s+)?([\w$*{},\s]+?)\s*from\s*|(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*)["'](\.[^"']+)["'](?:\)\.(\w+))?/g;

/** `isHandedOn`: by `export *`. */
function importsOf(code: string): { from: string; names: string[]; isHandedOn?: true }[] {
  return [...code.matchAll(IMPORT)].map(([whole, names, taken, from = "", member]) => {
    if (/^export\s+(type\s+)?\*\s+from/.test(whole)) return { from, names: [], isHandedOn: true };
    const list = (names ?? taken ?? member ?? "*").replace(/[{}]/g, "").split(",");
    const isWhole = list.some((name) => name.trim().startsWith("*"));
    const single = list.map(
      (name) =>
        name
          .replace(/^\s*type\s/, "")
          .trim()
          .split(/\s|:/)[0] ?? "",
    );
    return { from, names: isWhole ? ["*"] : single.filter((name) => name !== "") };
  });
}

function exportsOf(code: string): string[] {
  return [...code.matchAll(/^export\s+(?:async\s+)?(?:const|let|function\*?|class)\s+([\w$]+)/gm)].map(
    ([, name = ""]) => name,
  );
}

const typesOf = (code: string): string[] =>
  [...code.matchAll(/^export\s+(?:interface|type|enum)\s+([\w$]+)/gm)].map(([, name = ""]) => name);

function handedOnBy(code: string): string[] {
  return [...code.matchAll(/^export\s+(?:type\s+)?\{([^}]*)\}\s*from/gm)].flatMap(([, list = ""]) =>
    list
      .split(",")
      .map((name) => name.replace(/^\s*type\s/, "").trim())
      .filter((name) => name !== "")
      .map((name) => name.split(/\s+as\s+/).at(-1) ?? ""),
  );
}
