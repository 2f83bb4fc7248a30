import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";

test("what `init` prints runs: the config, the baseline, and the script for CI", () => {
  const cwd = tempDir();
  const cli = `node ${fileURLToPath(new URL("../../bin/lamp-eval.js", import.meta.url))}`;
  const shell = (line: string) => {
    const typed = line.replace(/^lamp-eval/, cli);
    return spawnSync(typed, { cwd, env: { PATH: process.env.PATH, LAMP_EVAL: cli }, shell: true, encoding: "utf8" });
  };
  const commands = shell('lamp-eval init "my task"').stdout.trim().split("\n").slice(1);
  expect(commands).toHaveLength(3);
  for (const command of commands) expect([command, shell(command).status]).toEqual([command, 0]);
  expect(existsSync(join(cwd, "my task/results/ci/junit.xml"))).toBe(true);
});
