import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

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
