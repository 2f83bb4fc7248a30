import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { type CommandResult, runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
const plan = "run --task lamp2m,lamp4 --method prompt,rag,persona-agent --users 12 --queries-per-user 2";

const pageOf = (folder: string): string => readFileSync(join(cwd, folder, "report.html"), "utf8");
/** What the command said when it made the page of the first run, and that page. */
let made: CommandResult;
let page: string;

beforeAll(async () => {
  for (const out of ["one", "two"]) {
    const { code, stderr } = await run(`${plan} --out ${out}`);
    if (code !== 0) throw new Error(stderr);
  }
  made = await run("report one --html");
  page = pageOf("one");
});

describe("lamp-eval report --html", () => {
  test("writes the page into the run folder and says where; two equal runs have equal pages", async () => {
    expect(made).toEqual({ code: 0, stdout: join("one", "report.html"), stderr: "" });
    await run("report two --html");
    expect(pageOf("two")).toBe(page);
  });

  test("has the charts, personas and the way to make it again", () => {
    for (const id of ["results-1", "cost-2", "users-1", "personas-1", "run", "browse"])
      expect(page, id).toContain(`<section id="${id}"`);
    expect(page.match(/<svg class="chart" role="img"/g)?.length).toBeGreaterThan(4);
    expect(page).toContain("SIMULATED");
    expect(page).toMatch(/<pre tabindex="0">lamp-eval run --task lamp2m,lamp4 .*--queries-per-user 2\n/);
    expect(page).not.toContain(cwd);
  });

  test("--out writes it elsewhere and leaves the run folder alone; --format html prints it", async () => {
    rmSync(join(cwd, "one", "report.html"), { force: true });
    expect((await run("report one --html --out page.html")).stdout).toBe("page.html");
    expect(existsSync(join(cwd, "one", "report.html"))).toBe(false);
    expect(readFileSync(join(cwd, "page.html"), "utf8")).toBe(page);
    expect((await run("report one --format html")).stdout).toBe(page.trimEnd());
  });
});
