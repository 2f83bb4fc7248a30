import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outsideProject } from "../helpers/packed.js";

const repository = join(import.meta.dirname, "../..");
const moods = (file: string): string => readFileSync(join(repository, "test/fixtures/plugins/moods", file), "utf8");
/** Its types are checked with those of docs/EXTENDING.md. */
const recent = /```ts\n(import [\s\S]*?)```/.exec(readFileSync(join(repository, "README.md"), "utf8"))![1]!;

test("a method, a task and a metric in a folder outside run by the installed package", async () => {
  const { lampEval, write } = await outsideProject();
  for (const file of ["index.js", "letters.js", "data/users.json"]) write(`moods/${file}`, moods(file));
  write("recent.ts", recent);
  const plugins = ["--plugin", "./moods", "--plugin", "./recent.ts"];
  const line = "run -t moods -m lately,recent --metric letters --data moods/data --out run";
  const { code, stderr, stdout } = await lampEval(...line.split(" "), ...plugins);
  expect([stderr, code]).toEqual([expect.stringContaining("everything is in run"), 0]);
  expect(stdout).toMatch(/Moods ·.*\nmethod +right \[95 %\].* letters[\s\S]*lately[\s\S]*recent/);

  const tested = await lampEval("doctor", "./recent.ts");
  expect([tested.code, tested.stdout]).toEqual([0, expect.not.stringMatching(/^(fail|warn)/m)]);
});
