import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";

const program = fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url));

test.skipIf(!existsSync("/dev/full"))("a disk that takes no output ends in one line and exit code 2", () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [program, "list", "tasks"], {
    stdio: ["ignore", full, "pipe"],
    encoding: "utf8",
  });
  closeSync(full);
  expect(stderr).toMatch(/^lamp-eval: the output could not be written \(ENOSPC\); [^\n]+\n$/);
  expect(status).toBe(2);
});

test.each([
  [
    "an error that nobody caught",
    "new Error('late')",
    70,
    /^lamp-eval: internal error, please report it\nError: late\n/,
  ],
  [
    "a refusal of the system",
    "Object.assign(new Error('no'), { code: 'EMFILE', syscall: 'open', path: 'x' })",
    2,
    /^lamp-eval: x: too many files are open; what was written before is safe; raise the limit[^\n]*\n$/,
  ],
])("%s ends a command as its words say", (_, error, code, says) => {
  const late = `data:text/javascript,setTimeout(()=>{throw ${encodeURIComponent(error)}},1500)`;
  const run = [
    "run",
    "--task",
    "lamp3",
    "--method",
    "prompt",
    "--model",
    "openai/m",
    "--base-url",
    "http://127.0.0.1:1/v1",
  ];
  const args = [`--import=${late}`, program, ...run, "--out", join(suiteDir(), "late")];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr.slice(stderr.lastIndexOf("lamp-eval: "))).toMatch(says);
  expect(status).toBe(code);
});
