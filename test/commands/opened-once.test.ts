import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

/** How often a log, or a pack, was opened: whoever opens one reads it from its first line to its last. */
let opened = 0;
const { openSync } = fs;

function countWith(open: typeof openSync): void {
  fs.openSync = open;
  syncBuiltinESMExports();
}

const cwd = suiteDir();
const size = "--task lamp2m --method rag,prompt --users 3";
/** Returns how many logs a command has read. */
async function logsReadBy(line: string): Promise<number> {
  opened = 0;
  const { code, stderr } = await runCommandLine(line, { cwd });
  expect(`${code} ${stderr}`).toMatch(/^0 /);
  return opened;
}

beforeAll(async () => {
  await runCommandLine(`run ${size} --out one`, { cwd });
  await runCommandLine(`run ${size} --seed 1 --out other`, { cwd });
  await runCommandLine("judge one", { cwd });
  await runCommandLine("export one --form pack --out one.pack", { cwd });
});
beforeAll(() =>
  countWith((path, flags, mode) => {
    if (/(?:^|[/\\])(?:log\.jsonl|one\.pack)$/.test(String(path))) opened += 1;
    return openSync(path, flags, mode);
  }),
);
afterAll(() => countWith(openSync));

test.each([
  [2, "report one"], // its judge's run, too
  [3, "report one other"],
  [2, "report one --html"],
  [3, "compare one other"],
  [2, "compare one --methods rag,prompt"],
  [2, "show one --limit 2"], // its judge's run
  [1, "show other --limit 2"],
  [2, "gate one --baseline other"],
  [1, "gate one --write-baseline baseline.json"],
  [1, "export one --form pack --out again.pack"],
  [1, "export one --form csv --out one.csv"],
  [2, "verify one"], // and the empty one that the run is made again in
  [2, "verify one.pack"],
  [1, `run ${size} --out one`], // it has finished
  [1, `run ${size} --out new`],
  [2, `run ${size} --replay one --out replayed`],
  [1, `run ${size} --out one --dry-run`],
])("opens %i logs: lamp-eval %s", async (logs, line) => {
  expect(await logsReadBy(line)).toBe(logs);
});
