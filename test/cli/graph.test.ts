import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { latestRows } from "../../src/run/rows.js";
import { reseal } from "../helpers/reseal.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { editRecords } from "../helpers/with-checks.js";
import { writeNews } from "./graph-data.js";

const cwd = suiteDir();
const cli = (line: string) => runCommandLine(line, { cwd });

beforeAll(() => writeNews(cwd));

describe("lamp-eval show graph on data", () => {
  test("prints sizes and the largest communities with labels and samples", async () => {
    const { code, stdout } = await cli("show graph --task lamp2n --data news");
    expect(code).toBe(0);
    expect(stdout).toContain("nodes  15 interactions");
    expect(stdout).toContain("2 concept-concept");
    expect(stdout).toContain("Florida, Parkland: 3 articles by 2 users; politics 67 %, crime 33 %");
    expect(stdout).toContain("The march for Parkland filled Florida streets (a1)");
  });

  test("reads costly parts back from where runs keep them", async () => {
    const kept = join(cwd, "results", ".artifacts");
    const before = new Set(existsSync(kept) ? readdirSync(kept) : []);
    const first = await cli("show graph --task lamp2n --data news --seed 7");
    const [name = "", ...more] = readdirSync(kept).filter((file) => !before.has(file));
    expect([name === "", more]).toEqual([false, []]);
    const { ino } = statSync(join(kept, name)); // a rewrite is a new file
    expect((await cli("show graph --task lamp2n --data news --seed 7")).stdout).toBe(first.stdout);
    expect(statSync(join(kept, name)).ino).toBe(ino);
  });

  test("exports and draws, and says where", async () => {
    const { code, stdout } = await cli("show graph --task lamp2n --data news --export gexf --out g.gexf");
    expect([code, stdout.includes("written: g.gexf")]).toEqual([0, true]);
    expect(readFileSync(join(cwd, "g.gexf"), "utf8")).toContain('label="Parkland"');
    await cli("show graph --task lamp2n --data news --user ann --picture ann.svg --export json");
    expect(readFileSync(join(cwd, "ann.svg"), "utf8")).toContain("<svg ");
    const { nodes } = JSON.parse(readFileSync(join(cwd, "graph.json"), "utf8")) as { nodes: { key: string }[] };
    expect(nodes.map(({ key }) => key)).toContain("user:ann");
    expect(nodes.map(({ key }) => key)).not.toContain("user:ben");
  });
});

describe("lamp-eval show graph on a run", () => {
  test("prints the graph once, and for one question the subgraph that entered its prompt", async () => {
    expect((await cli("run --task lamp2n --method graph-rag --data news --out run")).code).toBe(0);
    expect(latestRows(join(cwd, "run"))).toHaveLength(3);
    const whole = await cli("show graph run");
    expect(whole.stdout.match(/nodes {2}15 interactions/g)).toHaveLength(1);
    const { code, stdout } = await cli("show graph run --question q-ann");
    expect(code).toBe(0);
    expect(stdout).toContain("lamp2n · graph-rag · user ann · question q-ann");
    expect(stdout).toMatch(/own:\n {2}0\.\d{3} {2}ann\/a1 {2}politics/);
    expect(stdout).toMatch(/others:\n {2}0\.\d{3} {2}ben\/b1 {2}crime/);
    expect(stdout.slice(stdout.indexOf("others:"))).not.toContain("ann/");
    expect(stdout).toContain("1  Florida, Parkland: 1 article by 1 user; crime 100 %");
  });
});

describe("the graph of a run, built again", () => {
  const exported = async (line: string, file: string): Promise<string> => {
    const { code, stderr } = await cli(`${line} --export json --out ${file}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return readFileSync(join(cwd, file), "utf8");
  };
  const kept = (folder: string): string[] => readdirSync(join(cwd, folder, ".artifacts")).sort();

  test("is the run's own: its seed, options and data, from what the run has kept", async () => {
    const given = "--set graph.concepts=linguistic --set graph.resolution=2";
    await cli(`run --task lamp2n --method prompt,graph-rag --data news --seed 5 ${given} --out made/seeded`);
    const before = kept("made");
    const ofRun = await exported("show graph made/seeded", "of-run.json");
    expect(kept("made")).toEqual(before);
    expect(ofRun).toBe(await exported(`show graph --task lamp2n --data news --seed 5 ${given}`, "of-data.json"));
    expect(ofRun).not.toBe(await exported("show graph --task lamp2n --data news", "default.json"));
    expect(await exported("show graph made/seeded --data news", "named.json")).toBe(ofRun);
  });

  test("is drawn around a user", async () => {
    const { code, stdout } = await cli("show graph run --user ann --picture run-ann.svg");
    expect({ code, said: stdout.includes("written: run-ann.svg") }).toEqual({ code: 0, said: true });
    expect(readFileSync(join(cwd, "run-ann.svg"), "utf8")).toContain("User ann of news");
  });

  test("is the one that graph-rag would build where no method used it, and says so", async () => {
    await cli("run --task lamp2n --method prompt --data news --out plain");
    const { code, stdout, stderr } = await cli("show graph plain");
    expect(code).toBe(0);
    expect(stdout).toContain("nodes  15 interactions");
    expect(stderr).toContain("no method of plain used the graph; this is the one that graph-rag would build");
  });

  test("is refused where the run noted another one", async () => {
    await cli("run --task lamp2n --method graph-rag --data news --out other");
    const traces = join(cwd, "other", "traces.jsonl");
    editRecords(traces, (text) => text.replaceAll('"interactions":15', '"interactions":14'));
    reseal(join(cwd, "other"));
    const { code, stderr } = await cli("show graph other --export json");
    expect(code).toBe(2);
    expect(stderr).toContain("other: the graph of graph-rag cannot be built again");
  });

  test("of several tasks is chosen by --task", async () => {
    await cli("run --task lamp2n,lamp2m --method graph-rag --users 2 --out two");
    const { code, stderr } = await cli("show graph two --export json");
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--task lamp2n or lamp2m") });
    expect((await cli("show graph two --task lamp2m --export json --out m.json")).stdout).toMatch(
      /^lamp2m · graph-rag · demo/,
    );
  });
});

describe("repeats and arms", () => {
  test("share one block where the prompt got the same, and are told apart where not", async () => {
    const config = "kind: grid\ntask: lamp2n\nmethod: [graph-rag]\nsweep:\n  graph-rag.kUser: [1, 3]\n";
    writeFileSync(join(cwd, "arms.yaml"), config);
    const { code, stderr } = await cli("sweep grid --config arms.yaml --data news --repeats 3 --out arms");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const heads = ({ stdout }: { stdout: string }) => stdout.split("\n").filter((line) => line.startsWith("lamp2n"));
    expect(heads(await cli("show graph arms --question q-ann"))).toEqual([
      "lamp2n · graph-rag (graph-rag.kUser=1) · user ann · question q-ann",
      "lamp2n · graph-rag (graph-rag.kUser=3) · user ann · question q-ann",
    ]);
    expect(heads(await cli("show graph arms"))).toEqual([
      "lamp2n · graph-rag (graph-rag.kUser=1), graph-rag (graph-rag.kUser=3)",
    ]);
    expect(heads(await cli("show graph arms --question q-ann --task lamp2n --method graph-rag"))).toHaveLength(2);
  });
});

describe("papers without labels", () => {
  const papers = (user: string) => ({
    user_id: user,
    profile: ["Neural Parsing of Trees", "Neural Parsing of Graphs"].map((title, i) => ({
      id: `${user}-${i}`,
      title: `${title} by ${user}`,
      abstract: "Parsing with Neural models.",
    })),
    query: [
      {
        id: `q-${user}`,
        input: `For an author who has written the paper with the title "Deep Parsing", which reference is related? Just answer with [1] or [2] without explanation. [1]: "Trees" [2]: "Neural Parsing"`,
        gold: "[2]",
      },
    ],
  });
  const lamp1 = "--data papers --set lamp1.labels=none --set others=leave-one-out";

  beforeAll(() => {
    mkdirSync(join(cwd, "papers"));
    writeFileSync(join(cwd, "papers", "users.json"), JSON.stringify(["p", "q", "r"].map(papers)));
  });

  test("make a graph without categories, which graph-rag reads; icl is told which labels it lacks", async () => {
    const { code, stderr } = await cli(`run --task lamp1 --method graph-rag ${lamp1} --out stock`);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect((await cli("show graph stock")).stdout).toMatch(/nodes {2}6 interactions, \d+ concepts, 0 categories/);
    const refused = await cli(`run --task lamp1 --method icl ${lamp1} --out none`);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /icl on papers: no past item of other users has a label \(4 without one\).*lamp1\.labels/,
    );
  });

  test("of one user alone make an empty graph, and that is said", async () => {
    const { code, stderr } = await cli("show graph --task lamp1 --data papers --set others=training-users");
    expect(code).toBe(0);
    expect(stderr).toContain("the graph is empty: there is no past item of other users (others: training users)");
  });
});

describe("what lamp-eval show graph refuses, in one line", () => {
  beforeAll(() => {
    mkdirSync(join(cwd, "moved"));
    const users = JSON.parse(readFileSync(join(cwd, "news", "users.json"), "utf8"));
    writeFileSync(join(cwd, "moved", "users.json"), JSON.stringify(users.slice(1)));
  });

  test.each([
    ["show graph", "name a run folder, or a task"],
    ["show graph nowhere", "nowhere: no run here"],
    ["show graph --task lamp2n --data news --question q", "--question q: prompts belong to a run"],
    ["show graph --task lamp2n --data news --picture x.svg", "--picture x.svg: name the user to draw: --user ID"],
    ["show graph --task lamp2n --data news --user ann --picture news/users.json/x.svg", "news/users.json/x.svg"],
    ["show graph --task lamp2n --data news --user zoe --picture x.svg", "--user zoe: no such user in news"],
    ["show graph --task lamp2n --data news --export gexf --out news/users.json/g.gexf", "news/users.json/g.gexf"],
    ["show graph --task lamp2n --data news --set graph.concept=x", 'did you mean "graph.concepts"?'],
    ["show graph run --question zzz", "--question zzz: no graph entered this question's prompt in run"],
    ["show graph run --user ann", "--user ann: goes with --picture FILE.svg or --export gexf"],
    ["show graph run --picture x.svg", "--picture x.svg: name the user to draw: --user ID"],
    ["show graph run --seed 1", "--seed is for the graph of data, a run has its own"],
    ["show graph run --task lamp3", "--task lamp3: not in run; its tasks: lamp2n"],
    ["show graph run --method graph-rga", '--method graph-rga: not in run; did you mean "graph-rag"?'],
    ["show graph run --export json --data moved", "moved: not the data that run ran on"],
    ["show graph run --question q-ann --export json", "--export: is for the whole graph; leave out --question q-ann"],
    ["show graph --task lamp2n --data news --method graph-rag", "--method graph-rag: methods belong to a run"],
  ])("%s", async (line, message) => {
    const { code, stderr } = await cli(line);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});
