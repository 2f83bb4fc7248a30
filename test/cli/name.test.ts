import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readManifest } from "../../src/run/manifest.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const HOSTILE = "</title><script>alert(1)</script> _a_ | 50 % & $x";
const run = (line: string) => runCommandLine(line, { cwd });
const textOf = (...path: string[]): string => readFileSync(join(cwd, ...path), "utf8");

/** Runs with a name that may have blanks. */
const runNamed = (out: string, name: string, ...more: string[]) =>
  runCommandLine(
    ["run", "--task", "lamp3", "--method", "prompt,rag", "--data", "data", "--out", out, ...more, "--name", name],
    { cwd },
  );

beforeAll(async () => {
  writeReviews(
    join(cwd, "data"),
    Array.from({ length: 2 }, (_, i) => reviewUser(`u${i}`)),
  );
  await run("run --task lamp3 --method prompt,rag --data data --out results/plain");
  await runNamed("results/named", "First table");
  await runNamed("results/hostile", HOSTILE);
});

describe("the name that a person gives a run", () => {
  test("is the title of its tables and its transcripts, and changes no plan, no row and no other byte of LaTeX", async () => {
    expect((await run("report results/named")).stdout).toMatch(/^First table\n\n/);
    expect((await run("show results/named --method rag")).stdout).toContain("First table · lamp3 · rag");
    expect(textOf("results", "named", "results.md")).toMatch(/^# First table\n\n/);
    expect(readManifest(join(cwd, "results", "named"))?.plan).toEqual(
      readManifest(join(cwd, "results", "plain"))?.plan,
    );
    expect(textOf("results", "named", "rows.jsonl")).toBe(textOf("results", "plain", "rows.jsonl"));
    expect(textOf("results", "named", "results.tex").replace("% First table\n", "")).toBe(
      textOf("results", "plain", "results.tex"),
    );
    expect(textOf("results", "named", "results.tex")).toContain("% First table\n");
  });

  test("stands in the list of runs, beside runs without one", async () => {
    const { stdout } = await run("report results");
    expect(stdout).toMatch(/^run +name +state /m);
    expect(stdout).toMatch(/^results\/named +First table +done/m);
    expect(stdout).toMatch(/^results\/plain +- +done/m);
  });

  test("stays when the run is taken up again without it; another takes its place, and that is said", async () => {
    const line = "run --task lamp3 --method prompt,rag --data data --out results/again";
    await runNamed("results/again", "Old");
    await run(line);
    expect(readManifest(join(cwd, "results", "again"))?.name).toBe("Old");
    const { code, stderr } = await runNamed("results/again", "New");
    expect(code).toBe(0);
    expect(stderr).toContain('this run was called "Old" and is called "New" from now on');
    expect(stderr).toContain("0 calls sent");
    expect(readManifest(join(cwd, "results", "again"))?.name).toBe("New");
    expect(textOf("results", "again", "results.md")).toMatch(/^# New\n/);
    expect(await run("verify results/again --data data")).toMatchObject({ code: 0 });
  });

  test("can be given by a config, over which the flag wins", async () => {
    writeFileSync(join(cwd, "named.yaml"), "name: From a file\ntask: lamp3\nmethod: prompt\ndata: data\n");
    await run("run --config named.yaml --out results/file");
    expect(readManifest(join(cwd, "results", "file"))?.name).toBe("From a file");
    await run("run --config named.yaml --name Flag --out results/flag");
    expect(readManifest(join(cwd, "results", "flag"))?.name).toBe("Flag");
  });

  test("is the title of its page, and text wherever it is shown, never markup", async () => {
    await run("report results/hostile --html");
    const page = textOf("results", "hostile", "report.html");
    expect(page).toContain("<dd>prompt and rag on LaMP-3</dd>");
    expect(page).not.toContain("<script>alert");
    expect(page).toContain("<h1>&lt;/title&gt;&lt;script&gt;alert(1)");
    await run("report results --html");
    expect(textOf("results", "leaderboard.html")).not.toContain("<script>alert");
    expect(textOf("results", "hostile", "results.md")).toMatch(/^# \\<\/title\\>\\<script\\>.* \\_a\\_ \\\| 50/);
    expect(textOf("results", "hostile", "results.tex")).toContain(`\n% ${HOSTILE}\n`);
    expect((await run("verify results/hostile --data data")).code).toBe(0);
  });

  test.each([["a\nb"], ["\u001b[31mred"], ["\u202eturned"], [" "], [""], ["x".repeat(121)]])(
    "%j is refused before anything is written",
    async (name) => {
      const { code, stderr } = await runNamed("results/none", name);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^lamp-eval: --name ".*: expected a name of 1 to 120 characters in one line, without control signs$/m,
      );
      expect(stderr).not.toMatch(/[\u001b\u202e]/);
    },
  );

  test("of a page over several runs is its title; one run has its own", async () => {
    await run("report results/plain results/named --html --name Both --out both.html");
    expect(textOf("both.html")).toContain("<h1>Both</h1>");
    expect((await run("report results/plain --html --name Other")).stderr).toContain("--name is for several runs");
    expect((await run("report results --name Other")).stderr).toContain("--name: works with --html");
  });
});
