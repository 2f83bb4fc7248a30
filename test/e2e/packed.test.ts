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
