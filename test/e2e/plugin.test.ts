import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { outsideProject } from "../helpers/packed.js";

const repository = join(import.meta.dirname, "../..");
const moods = (file: string): string => readFileSync(join(repository, "test/fixtures/plugins/moods", file), "utf8");
/** Its types are checked with those of docs/EXTENDING.md. */
const recent = /```ts\n(import [\s\S]*?)```/.exec(readFileSync(join(repository, "README.md"), "utf8"))![1]!;

test("a method, a task and a metric in a folder outside: run, table, page, resume, by the installed package", async () => {
  const { folder, lampEval, write } = await outsideProject();
  for (const file of ["index.js", "letters.js", "data/users.json"]) write(`moods/${file}`, moods(file));
  write("recent.ts", recent);
  const plugins = ["--plugin", "./moods", "--plugin", "./recent.ts"];
  const run = [
    "run",
    "-t",
    "moods",
    "-m",
    "lately,recent",
    "--metric",
    "letters",
    "--data",
    "moods/data",
    "--out",
    "run",
  ];

  const first = await lampEval(...run, ...plugins);
  expect([first.stderr, first.code]).toEqual([expect.stringContaining("everything is in run"), 0]);
  expect(first.stdout).toMatch(/Moods ·.*\nmethod +right \[95 %\].* letters[\s\S]*lately[\s\S]*recent/);

  const page = await lampEval("report", "run", "--html", ...plugins);
  expect([page.code, page.stdout]).toEqual([0, "run/report.html\n"]);
  const html = readFileSync(join(folder, "run/report.html"), "utf8");
  for (const name of ["Moods: personalized", "letters", "lately", "recent"]) expect(html).toContain(name);

  const again = await lampEval(...run, ...plugins);
  expect([again.code, again.stderr, again.stdout]).toEqual([0, expect.stringContaining("0 calls sent"), first.stdout]);
  write("moods/letters.js", `${moods("letters.js")}// another\n`);
  const changed = await lampEval(...run, ...plugins);
  expect([changed.code, changed.stderr]).toEqual([
    2,
    expect.stringContaining("plug-in moods changed: its files are others now"),
  ]);

  const tested = await lampEval("doctor", "./recent.ts");
  expect([tested.code, tested.stdout]).toEqual([
    0,
    expect.stringContaining("recent: 4 checks passed, 0 failed, 0 not checked"),
  ]);
});
