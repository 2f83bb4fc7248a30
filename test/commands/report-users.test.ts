import { readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });

beforeAll(async () => {
  await run("run --task lamp3 --method prompt,rag --out demo");
});

test("--reference counts gains over another method, in the results too", async () => {
  for (const asked of ["--format markdown", "", "--wide"])
    expect((await run(`report demo --reference rag ${asked}`)).stdout).toContain("gain over rag [95 %]");
});

test.each([
  ["demo --reference rga", 'did you mean "rag"?'],
  ["demo --html --wide", "--html"],
  ["demo --html --format csv", "--html"],
  ["demo --reference nonsense --figures gains", "--reference nonsense: not in "],
])("report %s is wrong use", async (line, message) => {
  const { code, stderr } = await run(`report ${line}`);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("\n");
  expect(readdirSync(join(cwd, "demo")).filter((name) => /figures|\.html$/.test(name))).toEqual([]);
});
