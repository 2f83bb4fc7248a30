import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { latestRows } from "../../src/run/run-rows.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { writeNews } from "./graph-data.js";

const cwd = suiteDir();
const cli = (line: string) => runCommandLine(line, { cwd });

beforeAll(() => writeNews(cwd));

describe("lamp-eval graph on data", () => {
  test("prints sizes and the largest communities with labels and samples", async () => {
    const { code, stdout } = await cli("graph --task lamp2n --data news");
    expect(code).toBe(0);
    expect(stdout).toContain("nodes  15 interactions");
    expect(stdout).toContain("2 concept-concept");
    expect(stdout).toContain("Florida, Parkland: 3 articles by 2 users; politics 67 %, crime 33 %");
    expect(stdout).toContain("The march for Parkland filled Florida streets (a1)");
  });

  test("reads costly parts back from where runs keep them", async () => {
    const kept = join(cwd, "results", ".artifacts");
    const before = new Set(existsSync(kept) ? readdirSync(kept) : []);
    const first = await cli("graph --task lamp2n --data news --seed 7");
    const [name = "", ...more] = readdirSync(kept).filter((file) => !before.has(file));
    expect([name === "", more]).toEqual([false, []]);
    const { ino } = statSync(join(kept, name)); // a rewrite is a new file
    expect((await cli("graph --task lamp2n --data news --seed 7")).stdout).toBe(first.stdout);
    expect(statSync(join(kept, name)).ino).toBe(ino);
  });

  test("exports and draws, and says where", async () => {
    const { code, stdout } = await cli("graph --task lamp2n --data news --export gexf --out g.gexf");
    expect([code, stdout.includes("written: g.gexf")]).toEqual([0, true]);
    expect(readFileSync(join(cwd, "g.gexf"), "utf8")).toContain('label="Parkland"');
    await cli("graph --task lamp2n --data news --user ann --picture ann.svg --export json");
    expect(readFileSync(join(cwd, "ann.svg"), "utf8")).toContain("<svg ");
    const { nodes } = JSON.parse(readFileSync(join(cwd, "graph.json"), "utf8")) as { nodes: { key: string }[] };
    expect(nodes.map(({ key }) => key)).toContain("user:ann");
    expect(nodes.map(({ key }) => key)).not.toContain("user:ben");
  });
});

describe("lamp-eval graph on a run", () => {
  test("prints the graph once, and for one question the subgraph that entered its prompt", async () => {
    expect((await cli("run --task lamp2n --method graph-rag --data news --out run")).code).toBe(0);
    expect(latestRows(join(cwd, "run"))).toHaveLength(3);
    const whole = await cli("graph run");
    expect(whole.stdout.match(/nodes {2}15 interactions/g)).toHaveLength(1);
    const { code, stdout } = await cli("graph run --question q-ann");
    expect(code).toBe(0);
    expect(stdout).toContain("lamp2n · graph-rag · user ann · question q-ann");
    expect(stdout).toMatch(/own:\n {2}0\.\d{3} {2}ann\/a1 {2}politics/);
    expect(stdout).toMatch(/others:\n {2}0\.\d{3} {2}ben\/b1 {2}crime/);
    expect(stdout.slice(stdout.indexOf("others:"))).not.toContain("ann/");
    expect(stdout).toContain("1  Florida, Parkland: 1 article by 1 user; crime 100 %");
  });
});

describe("what lamp-eval graph refuses, in one line", () => {
  test.each([
    ["graph", "name a run folder, or a task"],
    ["graph nowhere", "nowhere: no run here"],
    ["graph --task lamp2n --data news --question q", "--question q: prompts belong to a run"],
    ["graph --task lamp2n --data news --picture x.svg", "--picture x.svg: name the user to draw: --user ID"],
    ["graph --task lamp2n --data news --user ann --picture x.gif", "x.gif: the ending must be .svg or .png"],
    ["graph --task lamp2n --data news --user ann --picture no/x.svg", "--picture no/x.svg: cannot be written (ENOENT)"],
    ["graph --task lamp2n --data news --user zoe --picture x.svg", "--user zoe: no such user in news"],
    ["graph --task lamp2n --data news --export gexf --out no/g.gexf", "cannot be written (ENOENT)"],
    ["graph --task lamp2n --data news --set graph.concept=x", 'did you mean "graph.concepts"?'],
    ["graph run --question zzz", "--question zzz: no graph entered this question's prompt in run"],
    ["graph run --user ann", "--user is for the graph of data"],
  ])("%s", async (line, message) => {
    const { code, stderr } = await cli(line);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
