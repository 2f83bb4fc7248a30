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
  "the rules of methods, which test/contracts asks of every method": [
    "app/contract/options.ts optionFindings",
    "app/contract/rows.ts outOfPlan",
    "app/contract/rows.ts rowFindings",
    "app/contract/sealed.ts reachedFor",
    "app/contract/time.ts laterWordFindings",
    "app/contract/time.ts memoryFindings",
    "app/contract/time.ts showsItsPast",
    "app/contract/time.ts timeFindings",
    "app/contract/time.ts wideOptions",
  ],
  "the disk, which tests let fail": ["disk/calls.ts realCalls", "disk/calls.ts replaceCalls"],
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
    "app/contract/trial.ts armOf",
    "app/rums/evaluate.ts setScores",
    "exec/command.ts splitWords",
    "models/wrap/layered.ts RETRY_DEFAULTS",
    "run/journal/journal-reading.ts readDamage",
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

const files = ["src", "scripts", "bin"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.[cm]?[jt]s$/.test(name))
    .map((name) => ({ path: resolve(root, folder, name), text: readFileSync(join(root, folder, name), "utf8") })),
);

test("every exported value is imported by another file, or a test is named that needs it", () => {
  const imported = importedNames();
  const unused = files.flatMap(({ path, text }) =>
    exportsOf(text)
      .filter((name) => !imported.has(`${path} ${name}`) && !imported.has(`${path} *`))
      .map((name) => `${relative(root, path).split(sep).join("/")} ${name}`),
  );
  const ofSource = unused.filter((name) => name.startsWith("src/")).map((name) => name.slice("src/".length));
  expect(ofSource.filter((name) => !excused.includes(name))).toEqual([]);
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
  expect(importsOf('export * from "./y.js"; const y = await import("./y.js")').map(({ names }) => names)).toEqual([
    ["*"],
    ["*"],
  ]);
  expect(exportsOf("export const a = 1;\nexport async function b() {}\nexport class C {}\nexport type D = 1;")).toEqual(
    ["a", "b", "C"],
  );
});

/** `FILE NAME` for every import; `FILE *` where all of a file is taken. */
function importedNames(): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ path, text }) =>
      importsOf(text).flatMap(({ from, names }) => {
        const target = inSource(resolve(dirname(path), from.replace(/\.js$/, ".ts")));
        return names.map((name) => `${target} ${name}`);
      }),
    ),
  );
}

/** Scripts that measure the built program import from `dist`. */
const inSource = (path: string): string =>
  path.startsWith(join(root, "dist", "/")) ? join(root, "src", relative(join(root, "dist"), path)) : path;

const IMPORT =
  /(?:\b(?:import|export)\s+(?:type\s+)?([\w$*{},\s]+?)\s*from\s*|(?:\{([^{}]*)\}\s*=\s*)?\bawait\s+import\(\s*)["'](\.[^"']+)["']/g;

function importsOf(code: string): { from: string; names: string[] }[] {
  return [...code.matchAll(IMPORT)].map(([, names, taken, from = ""]) => {
    const list = (names ?? taken ?? "*").replace(/[{}]/g, "").split(",");
    const whole = list.some((name) => name.trim().startsWith("*"));
    const single = list.map(
      (name) =>
        name
          .replace(/^\s*type\s/, "")
          .trim()
          .split(/\s|:/)[0] ?? "",
    );
    return { from, names: whole ? ["*"] : single.filter((name) => name !== "") };
  });
}

function exportsOf(code: string): string[] {
  return [...code.matchAll(/^export\s+(?:async\s+)?(?:const|let|function\*?|class)\s+([\w$]+)/gm)].map(
    ([, name = ""]) => name,
  );
}
