import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const plan = "run --task lamp2m,lamp4 --method prompt,rag --users 6 --queries-per-user 1 --out begun";
const fileOf = (name: string): string => readFileSync(join(cwd, "begun", name), "utf8");

beforeAll(async () => {
  await run(`${plan} --concurrency 1 --max-calls 9`);
});

test("a cap leaves users in each arm, whatever the arms cost", async () => {
  await run("run --task lamp2m --method prompt,rag,pag,membank,persona-agent --max-calls 900 --out capped");
  const byArm = new Map<string, string[]>();
  for (const { arm, question } of rowsOf(join(cwd, "capped"))) byArm.set(arm, [...(byArm.get(arm) ?? []), question]);
  const counts = [...byArm.values()].map(({ length }) => length);
  expect(counts).toHaveLength(5);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(15); // a user costs some 130 calls and has 3 or 4 questions
});

test("the page of a run that was stopped has its numbers and says that it is PARTIAL", async () => {
  const page = (await run("report begun --format html")).stdout;
  expect(page).toContain("<strong>PARTIAL</strong>");
  expect(page).toMatch(/<strong>\d+ of 12 answers so far<\/strong>/);
  expect(page).toMatch(/id="results/);
});

describe("the tables of a run that was stopped", () => {
  test("mark an arm that has not had all its questions in every form", async () => {
    const note = "3 of 6 questions so far: not comparable with the other lines";
    expect((await run("report begun")).stdout).toContain(note);
    expect(fileOf("results.md")).toContain(note);
    expect(fileOf("results.tex")).toContain(note);
    expect((await run("report begun --format html")).stdout).toContain(note);
    expect(fileOf("results.md")).toMatch(/\| rag .*\| 2\/6 \|/);
  });

  test("say SIMULATED of a task that has not begun too", async () => {
    await run(`${plan}-hardly --max-calls 1`);
    const { stdout } = await run("report begun-hardly");
    expect(stdout).toMatch(/^LaMP-4 · .*SIMULATED/m);
    expect(stdout).toContain("prompt: 0 of 6 questions so far");
  });

  test("carry no such mark once the run has ended", async () => {
    await run(plan);
    expect((await run("report begun")).stdout).not.toContain("so far");
  });
});
