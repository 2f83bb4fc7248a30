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

test("report --per-user groups users and counts gains over prompt, on a run of the embedded model", async () => {
  const { code, stdout } = await run("report demo --per-user");
  expect(code).toBe(0);
  expect(stdout).toContain("SIMULATED");
  expect(stdout).toContain("gain over prompt [95 %]");
  expect(stdout.match(/^history quartile \d of 4 +rag /gm)).toHaveLength(4);
  expect(stdout).toMatch(/^all +prompt +24 +\d+\.\.\d+ +79 +\.\d{3} \[\.\d{3}, .*\] +-$/m);
});

test("--reference counts gains over another method, in the results too", async () => {
  for (const asked of ["--per-user --format markdown", "", "--wide"])
    expect((await run(`report demo --reference rag ${asked}`)).stdout).toContain("gain over rag [95 %]");
});

test.each([
  ["demo --per-user --reference rga", 'did you mean "rag"?'],
  ["demo --html --per-user", "--html"],
  ["demo --html --format csv", "--html"],
  ["demo --reference nonsense --figures gains", "--reference nonsense: not in "],
])("report %s is wrong use", async (line, message) => {
  const { code, stderr } = await run(`report ${line}`);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("\n");
  expect(readdirSync(join(cwd, "demo")).filter((name) => /figures|\.html$/.test(name))).toEqual([]);
});
