import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const plan = "run --task lamp2m,lamp4 --method prompt,rag --users 6 --queries-per-user 1 --out begun";
const fileOf = (name: string): string => readFileSync(join(cwd, "begun", name), "utf8");

beforeAll(async () => {
  await run(`${plan} --max-calls 9`);
});

describe("the tables of a run that was stopped", () => {
  test("mark an arm that has not had all its questions in every form", async () => {
    const note = "3 of 6 questions so far: not comparable with the other lines";
    expect((await run("report begun")).stdout).toContain(note);
    expect(fileOf("results.md")).toContain(note);
    expect(fileOf("results.tex")).toContain(note);
    expect((await run("report begun --format html")).stdout).toContain(note);
    expect(fileOf("results.md")).toMatch(/\| rag .*\| 3\/6 \|/);
  });

  test("say SIMULATED of a task that has not begun too", async () => {
    const { stdout } = await run("report begun");
    expect(stdout).toMatch(/^LaMP-4: .*SIMULATED/m);
    expect(stdout).toContain("prompt: 0 of 6 questions so far");
  });

  test("carry no such mark once the run has ended", async () => {
    await run("report begun --html");
    expect((await run(plan)).stderr).toContain("report.html and charts are of before");
    expect((await run("report begun")).stdout).not.toContain("so far");
  });
});
