import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { type CommandResult, runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const figures = () => readdirSync(join(cwd, "done", "figures")).sort();
const read = (name: string) => readFileSync(join(cwd, "done", name), "utf8");
const done = "run --task lamp2m --method prompt,persona-agent --users 5 --queries-per-user 1 --out done";
/** Whether the run drew a figure, its table, and the first drawing with what was said of it: by name, text. */
let drewUnasked: boolean;
let table: string;
let first: CommandResult;
let drawn: Readonly<Record<string, string>>;

beforeAll(async () => {
  const { code, stderr } = await run(done);
  if (code !== 0) throw new Error(stderr);
  drewUnasked = existsSync(join(cwd, "done", "figures", "pareto-lamp2m.svg"));
  table = read("results.md");
  first = await run("report done --figures");
  drawn = Object.fromEntries(figures().map((name) => [name, read(`figures/${name}`)]));
  await run("run --task lamp2m --method prompt --users 2 --queries-per-user 1 --out bare");
});

describe("the figures of a run", () => {
  test("are drawn when they are asked for, a specification and a picture each, the same at every time", async () => {
    expect(drewUnasked).toBe(false);
    expect(first).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+ figures in done/),
    });
    const drawings = Object.keys(drawn).filter((name) => name.endsWith(".svg"));
    expect(drawings).toContain("pareto-lamp2m.svg");
    expect(drawings).toContain("persona-map-lamp2m-persona-agent.svg");
    expect(Object.keys(drawn).filter((name) => name.endsWith(".vl.json"))).toHaveLength(drawings.length);
    await run("report done --figures");
    expect(drawings.map((name) => read(`figures/${name}`))).toEqual(drawings.map((name) => drawn[name]));
  });

  test("that are charts leave no trace in the tables of the same command, given again", async () => {
    await run(done);
    expect(figures()).toContain("pareto-lamp2m.svg");
    expect(read("results.md")).toBe(table);
  });

  test("results.tex is written by the run and printed by the report", async () => {
    const { stdout } = await run("report done --format latex");
    expect(read("results.tex").trimEnd()).toBe(stdout.trimEnd());
    expect(stdout).toContain("(SIMULATED)");
  });

  test.each(["json", "csv", "markdown", "latex"])("beside a report as %s stdout has the report alone", async (form) => {
    const alone = await run(`report bare --format ${form}`);
    const { code, stdout, stderr } = await run(`report bare --figures --format ${form}`);
    expect(code).toBe(0);
    expect(stdout).toBe(alone.stdout);
    expect(stderr).toMatch(/^\d+ figures in bare/);
  });

  test("beside the groups of users too", async () => {
    const { code, stdout, stderr } = await run("report done --figures --per-user --format json");
    expect({ code, tables: JSON.parse(stdout).tables.length }).toEqual({ code: 0, tables: 1 });
    expect(stderr).toMatch(/^\d+ figures/);
  });

  test("gains of users are those over the method that is asked for", async () => {
    const over = async (method: string) => {
      await run(`report done --figures --reference ${method}`);
      return read("figures/gains-lamp2m.vl.json");
    };
    const overFirst = drawn["gains-lamp2m.vl.json"];
    expect(await over("persona-agent")).not.toBe(overFirst);
    expect(await over("prompt")).toBe(overFirst);
  });

  test("--reference names a method of the run, else one clear line", async () => {
    const { code, stderr } = await run("report done --format latex --reference rag");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^lamp-eval: --reference rag: not in .*done.*; it has prompt, persona-agent$/),
    });
  });
});
