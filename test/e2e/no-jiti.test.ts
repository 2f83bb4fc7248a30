import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { startCli } from "./cli-process.js";

/** Node then resolves `jiti` no more, as in an installation without optional packages. From Node 26 on `register` is deprecated. */
const HIDE = `import { register } from "node:module";
const hooks = 'export const resolve = (name, from, next) => { if (name === "jiti") throw new Error("not found"); return next(name, from); };';
register("data:text/javascript," + encodeURIComponent(hooks));
`;

test("a plug-in in TypeScript where the optional jiti is missing: one line that says what to do, exit 2", async () => {
  const cwd = tempDir();
  writeFileSync(join(cwd, "hide.mjs"), HIDE);
  writeFileSync(join(cwd, "mine.ts"), "export default { methods: [] };\n");
  const start = (...args: string[]) =>
    startCli(args, { cwd, env: { NODE_OPTIONS: "--no-deprecation --import=./hide.mjs" } }).exit;
  expect(await start("run", "-t", "lamp3", "-m", "prompt", "--plugin", "./mine.ts", "--out", "r")).toEqual({
    code: 2,
    signal: null,
    stdout: "",
    stderr: "lamp-eval: --plugin ./mine.ts: TypeScript needs jiti (npm install jiti); or compile it to JavaScript\n",
  });
});
