import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { exitCodes } from "../../src/cli/exit-code.js";
import { pricesAt } from "../../src/models/prices.js";
import { type GatedFolder, plantGated } from "../helpers/gate-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string, env: Readonly<Record<string, string>> = {}) => runCommandLine(line, { cwd, env });
const plant = (name: string, planted: GatedFolder) => plantGated(cwd, name, planted);
const file = (name: string) => readFileSync(join(cwd, name), "utf8");

const GOOD = "333334333333433333334333333333";

beforeAll(async () => {
  plant("good", { replies: [GOOD], requests: "r1" });
  plant("same", { replies: [GOOD], requests: "r1" });
  plant("worse", { replies: [GOOD.replaceAll("3", "5")], requests: "r2" });
  plant("noisy", { replies: [GOOD.replace("333334333333", "433343343433")] });
  plant("failing", { replies: [`!!${GOOD.slice(2)}`] });
  plant("stale", { replies: [GOOD], replay: { cassette: "tape", stale: 4 } });
  plant("silent", { replies: ["!".repeat(30)] });
  plant("silent-stale", { replies: ["!".repeat(30)], replay: { cassette: "tape", stale: 30 } });
  plant("short", { replies: [GOOD.slice(0, 20)] });
  plant("repeated", { replies: [GOOD, GOOD.replace("4", "3"), GOOD] });
  plant("tiny", { replies: ["33333"] });
  plant("elsewhere", { replies: [GOOD], sha256: "bbbbbbbb" });
  plant("embedded", { replies: [GOOD], simulated: true });
  plant("priced", { replies: [GOOD], model: "anthropic/claude-sonnet-5-5" });
  plant("unfinished", { replies: [GOOD], finished: false });
  await run("gate good --write-baseline base.json");
});

const gated = async (line: string, env: Readonly<Record<string, string>> = {}) => {
  const { code, stdout, stderr } = await run(`gate ${line} --json`, env);
  expect(stdout.split("\n")).toHaveLength(1);
  return { code, stderr, result: JSON.parse(stdout) };
};

test("without --json the text is printed and no JSON", async () => {
  const { code, stdout, stderr } = await run("gate same --baseline base.json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^PASS: same requests, same answers/);
  expect(stdout).not.toContain('"verdict"');
});

describe("every verdict has its exit code", () => {
  test.each([
    { verdict: "pass", line: "same --baseline base.json" },
    { verdict: "fail", line: "worse --baseline base.json --margin mae=.1" },
    { verdict: "unsure", line: "noisy --baseline base.json --margin mae=.02 --fail-on fail,unsure" },
    { verdict: "pass", line: "worse --baseline base.json --claim answers --margin mae=3" },
    { verdict: "fail", line: "worse --baseline base.json --margin mae=2" },
    { verdict: "failed-rows", line: "failing --baseline base.json" },
    { verdict: "failed-rows", line: "short --baseline base.json" },
    { verdict: "stale-cassette", line: "stale --baseline base.json" },
    { verdict: "failed-rows", line: "silent --baseline base.json" },
    { verdict: "fail", line: "silent --baseline base.json --max-failed 1" },
    { verdict: "stale-cassette", line: "silent-stale --baseline base.json" },
    { verdict: "budget", line: "priced --baseline base.json --max-usd .00001" },
    { verdict: "pass", line: "priced --baseline base.json --max-usd 100 --claim set --margin mae=1" },
    { verdict: "unsure", line: "tiny --baseline tiny --margin mae=.1 --fail-on fail,unsure" },
  ] as const)("$verdict: $line", async ({ verdict, line }) => {
    const { code, result } = await gated(line);
    expect(result.verdict).toBe(verdict);
    expect(code).toBe(exitCodes.gate[verdict]);
    expect(result.exitCode).toBe(code);
  });

  test("they are distinct, and none is that of another ending", () => {
    const { gate, ...others } = exitCodes;
    const codes = [...Object.values(gate), ...Object.values(others).filter((code) => code !== 0)];
    expect(new Set(codes).size).toBe(codes.length);
  });

  test("a shown loss comes before a broken budget, a stale recording before both", async () => {
    plant("dear", { replies: ["5".repeat(30)], model: "anthropic/claude-sonnet-5-5" });
    expect((await gated("dear --baseline base.json --max-usd .00001")).result.verdict).toBe("fail");
    plant("dear-stale", {
      replies: ["5".repeat(30)],
      model: "anthropic/claude-sonnet-5-5",
      replay: { cassette: "tape", stale: 1 },
    });
    expect((await gated("dear-stale --baseline base.json --max-usd .00001")).result.verdict).toBe("stale-cassette");
  });

  test("--help says them all", async () => {
    const { stdout } = await run("gate --help");
    for (const [verdict, code] of Object.entries(exitCodes.gate).slice(1))
      expect(stdout).toContain(`${code} ${verdict}`);
  });
});

describe("what is compared", () => {
  test("a file and the run it was made of are the same baseline", async () => {
    const [fromFile, fromRun] = [await gated("worse --baseline base.json"), await gated("worse --baseline good")];
    const [[ofFile], [ofRun]] = [fromFile.result.lines, fromRun.result.lines];
    expect(ofFile).toEqual({ ...ofRun, marginFrom: "baseline" });
    expect(ofRun.marginFrom).toBe("planner");
    expect(fromRun.stderr).toContain("good holds no margins: planned from its answers");
    expect(fromFile.stderr).not.toContain("holds no margins");
  });

  test("where the baseline holds margins, only the metrics that it lacks are said to be planned", async () => {
    const { arms, ...head } = JSON.parse(file("base.json"));
    const [{ margins, ...arm }] = arms;
    const { rmse: _, ...rest } = margins;
    writeFileSync(join(cwd, "part.json"), JSON.stringify({ ...head, arms: [{ ...arm, margins: rest }] }));
    const { stderr } = await gated("worse --baseline part.json --metric mae,rmse");
    expect(stderr).toContain("part.json holds no margin of rmse: planned from its answers");
  });

  test("UNSURE is a warning and exits 0 unless asked otherwise", async () => {
    const { code, result, stderr } = await gated("noisy --baseline base.json --margin mae=.02");
    expect({ code, verdict: result.verdict, fails: result.fails }).toEqual({
      code: 0,
      verdict: "unsure",
      fails: false,
    });
    expect(stderr).toMatch(/^UNSURE: .*a warning \(exit 0\): --fail-on is fail\n/);
  });

  test("a replay and a SIMULATED run are judged by their answers unless told otherwise", async () => {
    plant("replayed", { replies: [GOOD.replace("3", "4")], replay: { cassette: "tape", stale: 0 } });
    const { code, result } = await gated("replayed --baseline base.json");
    expect(result.lines[0]).toMatchObject({ claim: "answers", margin: 0, verdict: "fail" });
    expect(code).toBe(exitCodes.gate.fail);
    expect((await gated("embedded --baseline embedded")).result).toMatchObject({ claim: "answers", verdict: "pass" });
    expect((await gated("replayed --baseline base.json --claim users")).result.claim).toBe("users");
  });

  test("--plan prints the margins that a run could be gated at", async () => {
    const { code, stdout } = await run("gate noisy --plan");
    expect(code).toBe(0);
    expect(stdout).toMatch(/lamp3 +rag +mae +\.000 .*\n.*\.050 .*\n.*\.200 /);
    expect((await run("gate repeated --plan")).stdout).toMatch(/lamp3 +rag +rmse +repeats/);
  });

  test("gains count upwards, also where lower is better", async () => {
    const [line] = (await gated("worse --baseline base.json")).result.lines;
    expect(line).toMatchObject({
      metric: "mae",
      better: "lower",
      baseline: 0.1,
      users: 30,
      changed: { worse: 27, better: 0, same: 3 },
    });
    expect(line.gain).toBeLessThan(-1.5);
    expect(line.bounds.set.high).toBeLessThan(0);
  });

  test("several metrics must all hold, each with its own margin", async () => {
    const { result } = await gated("noisy --baseline base.json --claim set --metric mae,rmse --margin mae=2,rmse=.01");
    expect(result.lines.map(({ metric, verdict }: { metric: string; verdict: string }) => [metric, verdict])).toEqual([
      ["mae", "pass"],
      ["rmse", "unsure"],
    ]);
    expect(result.verdict).toBe("unsure");
  });

  test("a run without any answer has dashes, not zeros", async () => {
    const { result, stderr } = await gated("silent --baseline base.json");
    expect(result.lines[0]).not.toHaveProperty("candidate");
    expect(stderr).toMatch(/lamp3 +rag +mae +FAIL +- -> - /);
  });

  test("all repeats are used, as the mean of each question, and their spread is told", async () => {
    const { result } = await gated("repeated --baseline base.json");
    expect(result.lines[0].candidate).toBeCloseTo((3 + 2 + 3) / 90, 12);
    expect(result.lines[0].spread.candidate).toBeGreaterThan(0);
  });

  test("a line that is unsure says what would help", async () => {
    const { result, stderr } = await gated("noisy --baseline base.json --claim set --margin mae=.39");
    expect(result.lines[0]).toMatchObject({ verdict: "unsure", feasible: true });
    expect(stderr).toMatch(/about \d+ users would decide, or these users decide at --margin mae=/);
    expect((await gated("noisy --baseline base.json --claim set --margin mae=0")).stderr).toContain(
      "a margin of 0 asks for a shown gain",
    );
    expect((await gated("tiny --baseline tiny --margin mae=.1")).stderr).toContain("5 users cannot rule out");
  });

  test("changed requests and models are remarked", async () => {
    expect((await gated("worse --baseline base.json")).result.remarks.join()).toContain("requests differ");
    expect((await gated("same --baseline base.json")).result.remarks).toEqual([]);
    expect((await gated("priced --baseline base.json")).result.remarks.join()).toContain("became anthropic/");
  });

  test("a baseline holds no gold answer and is the same for the same run", async () => {
    expect((await run("gate same --write-baseline again.json")).code).toBe(0);
    expect(file("again.json")).toBe(file("base.json"));
    expect(JSON.parse(file("base.json")).arms[0].questions[0]).toEqual({
      id: "q0",
      user: "u0",
      gold: expect.stringMatching(/^[0-9a-f]{64}$/),
      replies: ["3"],
      failed: 0,
    });
  });
});

describe("a baseline is made of answers only", () => {
  test("a replay with misses and a run that mostly failed are refused, a few failures are counted", async () => {
    for (const [line, says] of [
      ["stale", /stale is a replay with 4 requests that its recording does not hold/],
      ["silent", /30 of 30 answers of lamp3 rag failed, more than --max-failed 0\.01/],
      ["failing", /2 of 30 answers of lamp3 rag failed/],
    ] as const) {
      const { code, stderr } = await run(`gate ${line} --write-baseline refused.json`);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(says) });
    }
    expect(existsSync(join(cwd, "refused.json"))).toBe(false);
    const { code, stdout } = await run("gate failing --write-baseline few.json --max-failed .1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^few.json: 1 arm, 30 questions, 2 failed answers\n/);
  });

  test("one that denies its embedded model is refused", async () => {
    plant("offline", { replies: [GOOD], simulated: true, model: "offline/lexical" });
    await run("gate offline --write-baseline offline.json");
    writeFileSync(join(cwd, "denied.json"), file("offline.json").replace('"simulated":true', '"simulated":false'));
    expect(await run("gate same --baseline denied.json")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/simulated: false, and its rag is of offline\/lexical/),
    });
  });
});

describe("--max-usd", () => {
  test("counts each stored call once, and only those of the gated arms", async () => {
    const { result } = await gated("priced --baseline base.json --max-usd 100");
    const { finding } = result.checks.find(({ name }: { name: string }) => name === "budget");
    const usd = Number(/cost \$([\d.]+)/.exec(finding)?.[1]);
    const price = pricesAt(Date.UTC(2026, 0, 1)).ofCall("anthropic/claude-sonnet-5-5", { in: 1000, out: 10 })!;
    expect(usd).toBeCloseTo(30 * price, 4);
    plant("priced-again", { replies: [GOOD], model: "anthropic/claude-sonnet-5-5", method: "rag" });
    appendFileSync(
      join(cwd, "priced-again", "traces.jsonl"),
      file("priced-again/traces.jsonl").replaceAll('"q', '"again-q'),
    );
    expect((await gated("priced-again --baseline base.json --max-usd 100")).result.checks).toContainEqual(
      expect.objectContaining({ finding }),
    );
  });

  test("says why a cost is unknown", async () => {
    expect((await run("gate embedded --baseline embedded --max-usd 1")).stderr).toMatch(
      /--max-usd: the cost is unknown: embedded is SIMULATED/,
    );
  });
});

describe("what is written", () => {
  test("a baseline of the chosen tasks and methods only", async () => {
    await run("run --task lamp3 --method prompt,rag --limit 4 --out two");
    const { stdout } = await run("gate two --write-baseline chosen.json --task lamp3 --method prompt");
    expect(stdout).toMatch(
      /^chosen.json: 1 arm, 4 questions, SIMULATED\n\n.*margin \(set\) +margin \(users\) +detects/,
    );
    expect(stdout).toMatch(/lamp3 +prompt +mae +\.100 +[\d.]+ +[\d.]+ +[-\d.]+ /);
    expect(JSON.parse(file("chosen.json")).arms).toMatchObject([{ task: "lamp3", method: "prompt" }]);
  });

  test("JUnit has a case per line and condition, with failures counted", async () => {
    await gated("worse --baseline base.json --metric mae,rmse --junit out/junit.xml");
    const xml = file("out/junit.xml");
    expect(xml).toContain('tests="3" failures="2"');
    expect(xml).toContain('<testcase name="mae" classname="lamp3.rag"><failure type="fail"');
    expect(xml).toContain('<testcase name="failed-rows" classname="run"><system-out>');
  });

  test("the step summary is appended where GitHub wants it, annotations go to stderr on GitHub only", async () => {
    const github = { GITHUB_STEP_SUMMARY: join(cwd, "summary.md"), GITHUB_ACTIONS: "true" };
    const { stderr } = await gated("worse --baseline base.json", github);
    expect(stderr).toMatch(/^::error title=lamp-eval gate::FAIL: lamp3 rag lost /m);
    await gated("same --baseline base.json", github);
    expect(file("summary.md").match(/^## [A-Z]+: /gm)).toHaveLength(2);
    expect((await gated("worse --baseline base.json")).stderr).not.toContain("::error");
  });

  test("a SIMULATED run says so everywhere", async () => {
    const { stderr, result } = await gated("embedded --baseline embedded --junit s.xml --summary s.md");
    expect(result.simulated).toBe(true);
    for (const text of [stderr, file("s.xml"), file("s.md")]) expect(text).toContain("SIMULATED");
  });
});

test("the plan of a run with several arms of a method names each by its settings", async () => {
  plant("arms", { replies: [GOOD, GOOD], arms: [{ "rag.k": 0 }, { "rag.k": 1 }] });
  const { stdout } = await run("gate arms --plan");
  expect(stdout).toContain("rag (rag.k=0)");
  expect(stdout).toContain("rag (rag.k=1)");
});
