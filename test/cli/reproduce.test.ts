import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const run = (line: string) => runCommandLine(line, { cwd: tempDir() });

test("a published table is taken apart with no data, key or model", async () => {
  const { code, stdout } = await run("reproduce 000/T2 --published-only");
  expect(code).toBe(0);
  expect(stdout).toMatch(/PersonaAgent +\.919 +113 +\[\.857, \.955\]/);
  expect(stdout).toMatch(/PersonaAgent - MemBank +\+7 +7\.\.27 +\.016 +\.248/);
});

test("as JSON everything is marked as derived", async () => {
  const { stdout } = await run("reproduce 000/T3 --published-only --json");
  const json = JSON.parse(stdout);
  expect(json).toMatchObject({ table: "000/T3", derived: true });
  expect(json.tasks[0].pairs[0]).toMatchObject({
    better: "PersonaAgent",
    worse: "w/o alignment",
    significant: "never",
  });
});

test.each([
  ["reproduce 000/T9 --published-only", 'unknown published table "000/T9"'],
  ["reproduce 000/T2", "add --published-only"],
])("%s ends with one line and exit code 2", async (line, message) => {
  const { code, stdout, stderr } = await run(line);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("\n");
});
