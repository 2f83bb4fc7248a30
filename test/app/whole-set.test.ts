import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommandLine } from "../helpers/test-io.js";

test("a plan of chosen questions says what all of the file would take: preparation by users, the rest by questions", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "whole-"));
  const line = "run --task personamem --method prompt,pag --dry-run";
  const { stdout } = await runCommandLine(`${line} --queries-per-user 2`, { cwd });
  expect(stdout).toContain("personamem, all 48 questions of 12 users in the file: 108 calls, ");
  expect((await runCommandLine(line, { cwd })).stdout).not.toContain("in the file");
});
