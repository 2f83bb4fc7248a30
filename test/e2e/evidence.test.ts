import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { outsideProject } from "../helpers/packed.js";

test("a file of every method is checked in an empty folder by the packed package", async () => {
  const [author, checker] = [await outsideProject(), await outsideProject()];
  const made = await author.lampEval(
    "run",
    "--task",
    "lamp1",
    "--users",
    "1",
    "--method",
    methods.names.join(","),
    "--out",
    "run",
  );
  expect(made.code, made.stderr).toBe(0);
  await author.lampEval("export", "run", "--form", "evidence", "--out", "run.jsonl.gz");
  copyFileSync(join(author.folder, "run.jsonl.gz"), join(checker.folder, "run.jsonl.gz"));
  const { code, stdout } = await checker.lampEval("verify", "run.jsonl.gz", "--level", "complete");
  expect(code, stdout).toBe(0);
  expect(stdout.match(/ complete$/gm)).toHaveLength(methods.names.length);
});
