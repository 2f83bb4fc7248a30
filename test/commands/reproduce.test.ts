import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { demoFolder } from "../../src/data/formats/index.js";
import { tasks } from "../../src/tasks/index.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { writeRun } from "../helpers/written-run.js";

const run = (line: string, cwd = tempDir()) => runCommandLine(line, { cwd });

describe("published values alone", () => {
  test("as Markdown the tables are Markdown", async () => {
    const { stdout } = await run("reproduce personaagent/T2 --published-only --task lamp1 --format markdown");
    expect(stdout).toContain("| MemBank | .862 | .861 | 106 | [.788, .917] |");
  });

  test("in JSON everything is marked as derived", async () => {
    const { stdout } = await run("reproduce personaagent/T3 --published-only --format json");
    const json = JSON.parse(stdout);
    expect(json).toMatchObject({ table: "personaagent/T3", derived: true });
    expect(json.tasks[0].pairs[0]).toMatchObject({
      better: "PersonaAgent",
      worse: "w/o alignment",
      gap: 3,
    });
  });
});

describe("own runs", () => {
  let server: ProviderServer;
  const cwd = suiteDir();
  beforeAll(async () => {
    server = await startRatedServer();
    writeReviews(
      join(cwd, "reviews"),
      Array.from({ length: 12 }, (_, i) => reviewUser(`u${i}`)),
    );
    const { code, stderr } = await runCommandLine(
      `run --task lamp3 --method prompt,rag --data reviews --model openai/rated --base-url ${server.url}/v1 --out real`,
      { cwd, env: { OPENAI_API_KEY: fakeKey } },
    );
    expect({ code, stderr }).toMatchObject({ code: 0 });
  });
  afterAll(() => server.close());

  test("a run on a real model stands beside the paper, and missing cells are dashes", async () => {
    const { code, stdout } = await run("reproduce personaagent/T2 --run real", cwd);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Prompt +prompt +mae \(down\) +\.295 +\d?\.\d{3} +\+\d?\.\d{3} +\[\d?\.\d{3}, \d?\.\d{3}\] +yes +24 \/ 112/,
    );
    expect(stdout).toMatch(/ICL +- +mae \(down\) +\.277 +- +- +- +- +- \/ 112/);
    expect(stdout).toContain("LaMP-1: personalized citation identification: not in these runs");
    expect(stdout).toContain("- lamp3: other test set: n=24, the paper's n=112 (derived)");
    expect(stdout).toContain("the paper's model: Claude-3.5 Sonnet; ours: openai/rated");
  });

  test("as JSON every line has ours, theirs and the interval", async () => {
    const { stdout } = await run("reproduce personaagent/T2 --task lamp3 --run real --format json", cwd);
    const { lines, runs, remarks } = JSON.parse(stdout);
    expect(runs).toEqual(["real"]);
    expect(lines).toHaveLength(14);
    expect(lines[1]).toMatchObject({ method: "ICL", arm: null, ours: null, differs: false });
    const [prompt] = lines;
    expect(prompt).toMatchObject({
      task: "lamp3",
      metric: "mae",
      method: "Prompt",
      published: 0.295,
      count: 24,
      differs: true,
    });
    expect(prompt.difference).toBeCloseTo(prompt.ours - 0.295, 12);
    expect(prompt.interval.low).toBeLessThan(prompt.ours);
    expect(remarks).toContainEqual(expect.stringContaining("other test set"));
  });

  test("imported predictions have a row of their own", async () => {
    const golds = Array.from({ length: 12 }, (_, i) => [`u${i}-q0`, `u${i}-q1`]).flat();
    writeFileSync(join(cwd, "p.json"), JSON.stringify(golds.map((id) => ({ id, output: "5" }))));
    const imported = await run(
      "import --predictions p.json --task lamp3 --data reviews --name mine --out imported",
      cwd,
    );
    expect(imported).toMatchObject({ code: 0 });
    const { code, stdout } = await run("reproduce personaagent/T2 --run imported --run real", cwd);
    expect(code).toBe(0);
    expect(stdout).toMatch(/mine +mine +mae \(down\) +- +2\.000/);
  });

  test("as LaTeX there is a booktabs table of each task that was run, and the rest is comment", async () => {
    const { stdout } = await run("reproduce personaagent/T2 --run real --format latex", cwd);
    expect(stdout.match(/\\begin\{table\*?\}/g)).toHaveLength(2); // the paper's grid, and the lines with intervals
    expect(stdout).toMatch(/LaMP-3 & mae & \d?\.\d{3} \(\.295\) & - \(\.277\) & /);
    expect(stdout).toMatch(/^RAG & rag & mae \(down\) & \.313 & .* & 24 \/ 112 \\\\$/m);
    const outside = stdout
      .split(/\\begin\{table\*?\}[\s\S]*?\\end\{table\*?\}/)
      .join("")
      .split("\n");
    expect(stdout).not.toContain("no published numbers");
    expect(outside.filter((line) => line !== "" && !/^%|^\\provide|^ {2}\\resize/.test(line))).toEqual([]);
    expect(stdout.match(/\{/g)).toHaveLength(stdout.match(/\}/g)!.length);
  });

  test("a run of the embedded model fills the table by itself, SIMULATED, and stands in none with a real one", async () => {
    await run("run --task lamp3 --method prompt --data reviews --out embedded", cwd);
    const alone = await run("reproduce personaagent/T2 --run embedded --task lamp3", cwd);
    expect(alone.code).toBe(0);
    expect(alone.stdout).toMatch(
      /^personaagent\/T2 · .* · SIMULATED, no published values\nDataset +Metric +Prompt +ICL/,
    );
    expect(alone.stdout).toMatch(/LaMP-3 +mae +\d?\.\d{3} +- /);
    const { code, stdout, stderr } = await run("reproduce personaagent/T2 --run real --run embedded", cwd);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^lamp-eval: embedded: SIMULATED.*, real is real: no table holds both; name them apart$/);
  });

  test("a run on the demo data is beside no published value, whatever the model and the folder's name", async () => {
    const { code } = await runCommandLine(
      `run --task lamp3 --method prompt --data ${demoFolder(tasks.get("lamp3"))} --limit 2 --model openai/rated --base-url ${server.url}/v1 --out demo-run`,
      { cwd, env: { OPENAI_API_KEY: fakeKey } },
    );
    expect(code).toBe(0);
    const { stdout } = await run("reproduce personaagent/T2 --run demo-run", cwd);
    expect(stdout).toContain("built-in demo data (synthetic), no published values");
    expect(stdout).not.toContain(".295");
  });
});

describe("runs that cannot stand together", () => {
  const arm = { task: "lamp3", method: "prompt", golds: ["1", "2"], replies: ["1", "2"] };

  test("of different data are refused by name; a folder of runs is all its runs", async () => {
    const cwd = tempDir();
    writeRun(join(cwd, "runs", "a"), { arms: [arm] });
    writeRun(join(cwd, "runs", "b"), { arms: [{ ...arm, method: "rag" }], data: "other" });
    const { code, stderr } = await run("reproduce personaagent/T2 --run runs", cwd);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "lamp-eval: runs/a and runs/b: other data of lamp3; name runs of the same files",
    });
    const one = await run("reproduce personaagent/T2 --run runs/a", cwd);
    expect(one.stdout).toMatch(/Prompt +prompt +mae \(down\) +\.295 +\.000/);
  });
});

describe("a paper of one's own", () => {
  const cwd = suiteDir();
  const docs = readFileSync(join(import.meta.dirname, "../../docs/EXTENDING.md"), "utf8");
  const paper = /```yaml\n(title: My paper[\s\S]*?)```/.exec(docs)?.[1] ?? "";
  const read = (text: string, args = "paper.yaml") => {
    writeFileSync(join(cwd, "paper.yaml"), text);
    return run(`reproduce ${args}`, cwd);
  };

  test("is a YAML file: listed, taken apart, and filled by a run", async () => {
    expect((await read(paper)).stdout).toBe(
      [
        "paper.yaml: My paper",
        "made    paper.yaml/T1  methods on movie tagging",
        "        run --task lamp2m --method prompt,rag --out RUN, then reproduce paper.yaml/T1 --run RUN",
      ].join("\n"),
    );
    expect((await read(paper, "paper.yaml/T1 --published-only")).stdout).toMatch(
      /N=300 \(stated; up to 500 also [\d, ]+\)\n[\s\S]*RAG +\.427 +\.386 +128 +\[\.370, \.485\]/,
    );
    const golds = Array.from({ length: 12 }, () => "comedy");
    const arm = (method: string, right: number) => ({
      ...{ task: "lamp2m", method, golds, options: { "rag.k": 4 } },
      replies: golds.map((gold, at) => (at < right ? gold : "action")),
    });
    writeRun(join(cwd, "own"), { arms: [arm("prompt", 3), arm("rag", 9)] });
    const { stdout } = await read(paper, "paper.yaml/T1 --run own");
    expect(stdout).toMatch(/^RAG +\.750 \(\.427\)/m);
  });

  test.each([
    ["task: lamp2m", "task: lamp2x", /^lamp-eval: paper.yaml\/T1: task: unknown task "lamp2x"; did you mean/],
    ['"0.427 0.386"', '"0.427"', /^lamp-eval: paper.yaml\/T1: row RAG: 1 values, 2 columns$/],
    ['"0.427 0.386"', "0.427", /^lamp-eval: paper.yaml\/T1: rows.1.values: expected text, not a number$/],
    ["model: GPT-4o", "modle: GPT-4o", /^lamp-eval: paper.yaml\/T1: the file: Unrecognized key: "modle"$/],
    ["method: rag,", 'method: rag, "x": 1,', /^lamp-eval: paper.yaml\/T1: rows.1.arm: Unrecognized key: "x"$/],
    ["rag.k: 4 } }", 'rag.k: "/(/" } }', /rows.1.arm.options.rag.k: .*no regular expression/],
  ])("is refused by table and place: %s as %s", async (right, wrong, message) => {
    const at = paper.lastIndexOf(right);
    const { code, stderr } = await read(paper.slice(0, at) + wrong + paper.slice(at + right.length));
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
  });
});
