import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outsideProject } from "../helpers/packed.js";

test("the packed package works in a folder outside, with nothing but its dependencies", async () => {
  const { lampEval, node, write } = await outsideProject();
  const help = await lampEval("--version");
  expect(help).toMatchObject({ code: 0, stderr: "" });
  write("all.mjs", 'import * as all from "lamp-eval";\nconsole.log(typeof all.run);\n');
  expect(await node("all.mjs")).toEqual({ code: 0, stdout: "function\n", stderr: "" });
  write("inner.mjs", 'import "lamp-eval/dist/run/engine.js";\n');
  expect((await node("inner.mjs")).stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
});

test("the tarball stays within the size that is promised", async () => {
  const home = join((await outsideProject()).folder, "..");
  const bytes = readdirSync(home).flatMap((name) => (name.endsWith(".tgz") ? [statSync(join(home, name)).size] : []));
  expect(bytes).toHaveLength(1);
  expect(bytes[0], "bytes of what npm pack writes").toBeLessThanOrEqual(MOST_BYTES);
});

/** 1.4 MB: the synthetic samples of ten tasks are a fifth of it. */
const MOST_BYTES = 1_400_000;
