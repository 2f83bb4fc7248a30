import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { loadPlugin } from "../../../src/extend/plugins/load.js";
import { withPlugins } from "../../../src/extend/plugins/with-plugins.js";
import { tempDir } from "../../helpers/temp-dir.js";

const METHOD = `name: "echo", summary: "says it again", source: "a test", options: {},
  personalize: async () => async ({ text }) => text, plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) })`;
const METRIC = `{ name: "m", title: "M", better: "higher", source: "a test", sumCount: 1, add() {}, value: () => 1 }`;

/** A fresh folder with these files in it. */
function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const load = (files: Readonly<Record<string, string>>, named: string) => loadPlugin(named, folderWith(files));

describe("a plug-in is loaded from", () => {
  const source = `export default { methods: [{ ${METHOD} }] };`;
  test.each<[string, string, Readonly<Record<string, string>>, object]>([
    ["a file", "./mine.js", { "mine.js": source }, { name: "mine" }],
    ["a folder", "./mine", { "mine/index.js": source }, { name: "index" }],
    ["a file by its bare name", "mine.mjs", { "mine.mjs": source }, { name: "mine" }],
    [
      "CommonJS",
      "./mine.cjs",
      { "mine.cjs": `module.exports = { plugin: { methods: [{ ${METHOD} }] } };` },
      { name: "mine" },
    ],
    [
      "an export called plugin",
      "./mine.mjs",
      { "mine.mjs": `export const plugin = { name: "own", version: "3", methods: [{ ${METHOD} }] };` },
      { name: "own", version: "3" },
    ],
    [
      "TypeScript",
      "./mine.ts",
      {
        "mine.ts": `interface A { name: string }\nimport { more } from "./more.js";\nconst a: A[] = [{ ${METHOD} } as A, more];\nexport default { methods: a };`,
        "more.ts": `export const more: object = { ${METHOD.replace("echo", "more")} };`,
      },
      { name: "mine", brings: ["method echo", "method more"] },
    ],
  ])("%s", async (_what, named, files, expected) => {
    const { plugin, additions } = await load(files, named);
    expect(plugin).toMatchObject({ brings: ["method echo"], ...expected });
    expect(additions.methods?.[0]?.name).toBe("echo");
  });
});

describe("a plug-in that is not in order is refused in one line that names the file and the field", () => {
  test.each<[string, string, string]>([
    [
      "exports nothing",
      "export const x = 1;",
      "exports no plug-in; write export default { methods: [...] }, or export const plugin = ...",
    ],
    [
      "brings nothing",
      "export default { name: 'x' };",
      "brings nothing; give one of methods, tasks, retrievers, selectors, metrics, judges, embedders, providers",
    ],
    ["has an unknown field", "export default { method: [] };", 'method: no such field; did you mean "methods"?'],
    ["has a thing in place of a list", "export default { methods: {} };", "methods: expected a list"],
    [
      "lacks a function",
      `export default { methods: [{ ${METHOD}, plan: undefined }] };`,
      "methods[0]: plan: expected a function",
    ],
    [
      "has a name with blanks",
      `export default { methods: [{ ${METHOD}, name: "my echo" }] };`,
      'methods[0]: name "my echo": expected one without blanks, as it is typed',
    ],
    [
      "has an option without help",
      `export default { methods: [{ ${METHOD}, options: { "echo.k": { default: 1, accepts: "a number", read: Number, canonical: Number } } }] };`,
      "methods[0]: option echo.k: help: missing",
    ],
    [
      "has a metric of no direction",
      `export default { metrics: [{ ...${METRIC}, better: "up" }] };`,
      'metrics[0]: better: expected "higher" or "lower"',
    ],
    ["throws", 'throw new Error("no luck\\nat all");', "cannot be loaded: no luck"],
  ])("%s", async (_what, source, message) => {
    const where = source.startsWith("throw") ? "--plugin ./mine.mjs" : "./mine.mjs";
    await expect(load({ "mine.mjs": source }, "./mine.mjs")).rejects.toThrow(new UsageError(`${where}: ${message}`));
  });

  test.each<[string, Readonly<Record<string, string>>, RegExp]>([
    ["./none.js", {}, /^--plugin \.\/none\.js: there is no .*none\.js$/],
    ["./mine.py", { "mine.py": "" }, /not a program; name a file in \.js, \.mjs, \.cjs, \.ts, \.mts, \.cts$/],
    ["./mine", { "mine/words.json": "[]" }, /there is no .*mine.index\.js$/],
  ])("%s", async (named, files, message) => {
    await expect(load(files, named)).rejects.toThrow(message);
  });
});

describe("what a plug-in is made of", () => {
  test("is every file that its sources name by a relative path, and nothing else", async () => {
    const { plugin } = await load(
      {
        "mine.mjs": `import { more } from "./lib/more.mjs";\nexport default { methods: [{ ${METHOD}, source: more }] };`,
        "lib/more.mjs": `export const more = String(new URL("../words.json", import.meta.url));`,
        "words.json": "[]",
        "results/rows.json": "[]",
      },
      "./mine.mjs",
    );
    expect(Object.keys(plugin.files)).toEqual(["lib/more.mjs", "mine.mjs", "words.json"]);
  });

  test("comes into a catalogue once, and two that bring one name are refused", async () => {
    const folder = folderWith({
      "mine.mjs": `export default { methods: [{ ${METHOD} }] };`,
      "other.mjs": `export default { methods: [{ ${METHOD} }] };`,
      "sub/mine.mjs": `export default { metrics: [${METRIC}] };`,
    });
    const { catalogue } = await withPlugins({}, { names: ["./mine.mjs", "mine.mjs"], from: folder });
    expect(catalogue.plugins.map(({ name }) => name)).toEqual(["mine"]);
    await expect(withPlugins({ catalogue }, { names: ["./other.mjs"], from: folder })).rejects.toThrow(
      "two methods called echo: echo of plug-in other and echo, of plug-in mine; rename one",
    );
    await expect(withPlugins({ catalogue }, { names: ["sub/mine.mjs"], from: folder })).rejects.toThrow(
      /^two plug-ins called mine: .*; give one another name$/,
    );
  });
});
