import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const folder = join(cwd, "done", "figures");
const read = (name: string) => readFileSync(join(cwd, "done", name), "utf8");

beforeAll(async () => {
  const { code, stderr } = await run(
    "run --task lamp2m --method prompt,persona-agent --users 5 --queries-per-user 1 --out done",
  );
  if (code !== 0) throw new Error(stderr);
});

describe("the figures of a run", () => {
  test("are those that are asked for, the same at every time, and leave no trace in the tables", async () => {
    expect(existsSync(folder)).toBe(false);
    const table = read("results.md");
    const { code, stdout } = await run("report done --figures cost,persona-map");
    expect({ code, files: stdout.split("\n") }).toEqual({
      code: 0,
      files: ["cost-lamp2m.svg", "persona-map-lamp2m-persona-agent.svg"].map((name) => join("done/figures", name)),
    });
    const drawn = readdirSync(folder).map((name) => read(`figures/${name}`));
    expect(drawn).toHaveLength(2);
    await run("report done --figures cost,persona-map");
    expect(readdirSync(folder).map((name) => read(`figures/${name}`))).toEqual(drawn);
    expect(read("results.md")).toBe(table);
  });

  test.each(["json", "csv", "markdown", "latex"])("beside a report as %s stdout has the report alone", async (form) => {
    const alone = await run(`report done --format ${form}`);
    const { code, stdout, stderr } = await run(`report done --figures cost --format ${form}`);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: alone.stdout, stderr: "done/figures/cost-lamp2m.svg" });
  });

  test("of gains are those over the method that is asked for", async () => {
    await run("report done --figures gains --reference persona-agent");
    expect(read("figures/gains-lamp2m.svg")).toContain("over persona-agent");
    await run("report done --figures gains");
    expect(read("figures/gains-lamp2m.svg")).toContain("over prompt");
  });

  test("of an unknown kind are refused with the kinds that there are; one that the run cannot fill is said", async () => {
    expect(await run("report done --figures pie")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--figures pie: no such chart; there are gains, scaling, /),
    });
    expect((await run("report done --figures ablation")).stdout).toMatch(/^nothing to draw/);
  });

  test("--reference names a method of the run, else one clear line", async () => {
    const { code, stderr } = await run("report done --format latex --reference rag");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^lamp-eval: --reference rag: not in .*done.*; it has prompt, persona-agent$/),
    });
  });
});
