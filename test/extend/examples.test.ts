import { join } from "node:path";
import { expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { entriesOf } from "../helpers/planted-log.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const example = join(import.meta.dirname, "../../docs/examples/pag.ts");

test("docs/examples/pag.ts, which knows the public exports only, sends the requests of the built-in pag and gives its rows", async () => {
  const common = `--task lamp1,lamp2m,lamp3,lamp4 --users 6 --plugin ${example}`;
  for (const method of ["pag", "my-pag"]) {
    const { code, stderr } = await runCommandLine(`run ${common} --method ${method} --out ${method}`, { cwd });
    expect([method, code, stderr]).toEqual([method, 0, expect.stringContaining("SIMULATED")]);
  }
  const keys = (run: string) => entriesOf(join(cwd, run)).flatMap((entry) => (entry.t === "answer" ? [entry.key] : []));
  expect(keys("my-pag").sort()).toEqual(keys("pag").sort());
  const rows = (run: string) =>
    rowsOf(join(cwd, run))
      .map(({ user, question, gold, outcome, spend }) => JSON.stringify({ user, question, gold, outcome, spend }))
      .sort();
  expect(rows("my-pag")).toEqual(rows("pag"));
  expect(rows("pag").length).toBeGreaterThan(60);
});

test("docs/examples/summary-rag.ts works as doctor wants it", async () => {
  const file = join(import.meta.dirname, "../../docs/examples/summary-rag.ts");
  expect(await runCommandLine(["doctor", file], { cwd })).toMatchObject({ code: 0, stderr: "" });
});
