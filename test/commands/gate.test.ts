import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { exitCodes } from "../../src/commands/exit-code.js";
import { type GatedFolder, plantGated } from "../helpers/gate-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string, env: Readonly<Record<string, string>> = {}) => runCommandLine(line, { cwd, env });
const plant = (name: string, planted: GatedFolder) => plantGated(cwd, name, planted);
const file = (name: string) => readFileSync(join(cwd, name), "utf8");

const GOOD = "333433334333".repeat(10);

beforeAll(async () => {
  plant("good", { replies: [GOOD] });
  plant("same", { replies: [GOOD] });
  plant("worse", { replies: [GOOD.replaceAll("3", "5")] });
  plant("near", { replies: [GOOD.replace("333433334333", "333333334334")] });
  plant("failing", { replies: [`!!${GOOD.slice(2)}`] });
  plant("one-failed", { replies: [`!${GOOD.slice(1)}`] });
  plant("stale", { replies: [GOOD], replay: { pack: "pack.gz", stale: 4 } });
  plant("short", { replies: [GOOD.slice(0, 20)] });
  plant("few", { replies: ["344"] });
  plant("few-again", { replies: ["343"] });
  plant("small", { replies: [GOOD.slice(0, 24)] });
  plant("small-again", { replies: [GOOD.slice(0, 23).concat("4")] });
  plant("elsewhere", { replies: [GOOD], sha256: "bbbbbbbb" });
  plant("embedded", { replies: [GOOD], simulated: true });
  plant("priced", { replies: [GOOD], model: "anthropic/claude-sonnet-5-5" });
  plant("unfinished", { replies: [GOOD], finished: false });
  plant("repeated", { replies: [GOOD, GOOD] });
  for (const name of ["good", "few", "small", "repeated"]) await run(`gate ${name} --write-baseline ${name}.json`);
});

const gated = async (line: string) => {
  const { code, stdout, stderr } = await run(`gate ${line} --json`);
  return { code, stderr, result: JSON.parse(stdout || "{}") };
};

describe("the rules, in their order", () => {
  test.each([
    { verdict: "failed-rows", rule: "unanswered", line: "failing --baseline good.json" },
    { verdict: "failed-rows", rule: "unanswered", line: "short --baseline good.json" },
    { verdict: "pass", rule: "same answers", line: "same --baseline good.json" },
    { verdict: "pass", rule: "same answers", line: "same --baseline good" },
    { verdict: "pass", rule: "same answers", line: "few --baseline few.json" },
    { verdict: "unsure", rule: "few users", line: "few-again --baseline few.json --strict" },
    { verdict: "pass", rule: "within margin", line: "near --baseline good.json" },
    { verdict: "pass", rule: "within margin", line: "one-failed --baseline good.json" },
    { verdict: "fail", rule: "worse", line: "worse --baseline good.json" },
    { verdict: "pass", rule: "within margin", line: "worse --baseline good.json --margin 3" },
    { verdict: "unsure", rule: "undecided", line: "small-again --baseline small.json --strict" },
    { verdict: "stale-pack", rule: "same answers", line: "stale --baseline good.json" },
    { verdict: "budget", rule: "same answers", line: "priced --baseline priced --max-usd .01" },
    { verdict: "pass", rule: "same answers", line: "repeated --baseline repeated.json" },
  ] as const)("$line: $verdict, $rule", async ({ verdict, rule, line }) => {
    const { code, result } = await gated(line);
    expect(result.arms[0].rule).toBe(rule);
    expect(result.verdict).toBe(verdict);
    expect(code).toBe(exitCodes.gate[verdict]);
  });

  test("UNSURE is a warning and exits 0 without --strict, and names users", async () => {
    const { code, stderr } = await gated("small-again --baseline small.json");
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^UNSURE: lamp3 rag: mae \.167 -> \.208, loss \.042; a loss up to \.\d+ is possible, the margin is \.100; unchanged runs of about \d+ users pass, 24 here; a warning/,
    );
  });

  test("the bound, and nothing above it, is the margin that passes", async () => {
    const { bound } = (await gated("near --baseline good.json")).result.arms[0];
    const ruleAt = async (margin: number) =>
      (await gated(`near --baseline good.json --margin ${margin}`)).result.arms[0].rule;
    expect([await ruleAt(bound), await ruleAt(0.99 * bound)]).toEqual([
      "within margin",
      expect.not.stringMatching("margin"),
    ]);
  });
});

describe("equal replies with other scores fail: a scorer broken on purpose", () => {
  interface Arm {
    metrics: { score: number }[];
    questions: { terms: number[][] }[];
    unparsed: number;
  }
  const broken = (change: (arm: Arm) => void) => {
    const baseline = JSON.parse(file("good.json"));
    change(baseline.arms[0]);
    writeFileSync(join(cwd, "broken.json"), JSON.stringify(baseline));
    return gated("same --baseline broken.json --margin 3");
  };

  test.each([
    {
      ...{ what: "terms", replies: 6, said: "mae .217 is now .167 (6 equal replies have other terms: " },
      change({ metrics, questions }: Arm) {
        for (const { terms } of questions.slice(0, 6)) terms[0]![0]! += 1;
        metrics[0]!.score += 0.05;
      },
    },
    {
      ...{ what: "the mean of equal terms", replies: 0, said: "mae .500 is now .167 (" },
      change({ metrics }: Arm) {
        metrics[0]!.score *= 3;
      },
    },
    {
      ...{ what: "another metric, in no printed digit", replies: 0 },
      said: "rmse 0.408248290563863 is now 0.408248290463863 (",
      change({ metrics }: Arm) {
        metrics[1]!.score += 1e-10;
      },
    },
    {
      ...{ what: "the number of unparsed replies", replies: 0, said: "unparsed 2.000 is now .000 (" },
      change(arm: Arm) {
        arm.unparsed = 2;
      },
    },
  ])("$what", async ({ change, replies, said }) => {
    const { code, stderr, result } = await broken(change);
    expect(code).toBe(exitCodes.gate.fail);
    expect(result.arms[0]).toMatchObject({ rule: "other scores", otherScores: { replies } });
    expect(stderr).toContain(`FAIL: lamp3 rag: same answers, other scores: ${said}`);
  });

  test("but not by the last digits of another machine", async () => {
    const { result } = await broken(({ metrics }) => {
      metrics[1]!.score += 1e-15;
    });
    expect(result.verdict).toBe("pass");
  });
});

test("failed and absent answers are named with their reasons", async () => {
  expect((await gated("failing --baseline good.json")).stderr).toMatch(
    /^FAIL: .* 1\.7 % of the baseline's questions are unanswered \(failed, 2 times: no answer; more: lamp-eval show failing --question q0\);/,
  );
  expect((await gated("short --baseline good.json")).stderr).toMatch(/^FAIL: .* unanswered \(100 not asked\);/);
  const { stderr } = await gated("one-failed --baseline good.json");
  expect(stderr).toContain("lamp3 rag: failed, once: no answer");
});

test("rows that were edited by hand are refused, whoever reads them", async () => {
  plant("edited", { replies: [GOOD.replaceAll("4", "5")] });
  const rows = join(cwd, "edited", "rows.jsonl");
  writeFileSync(rows, readFileSync(rows, "utf8").replaceAll('"reply":"5"', '"reply":"3"'));
  for (const line of ["gate edited --baseline good.json", "gate good --baseline edited", "report edited"]) {
    const { code, stderr } = await run(line);
    expect([code, stderr]).toEqual([
      exitCodes.usage,
      expect.stringMatching(/edited: rows\.jsonl or traces\.jsonl was changed/),
    ]);
  }
});

test("a baseline holds users, hashes of replies, terms, counts and scores, and no gold answer", () => {
  const { arms } = JSON.parse(file("good.json"));
  expect(arms[0]).toMatchObject({
    failed: 0,
    unparsed: 0,
    metrics: [{ name: "mae", score: 20 / 120 }, { name: "rmse" }],
  });
  expect(arms[0].questions.find(({ id }: { id: string }) => id === "q3")).toEqual({
    ...{ id: "q3", user: "u3", replies: [expect.stringMatching(/^[0-9a-f]{64}$|^[0-9a-f]{16}$/)], terms: [[1, 1]] },
  });
});

describe("what cannot be compared is wrong use", () => {
  test.each([
    ["elsewhere --baseline good.json", /different data/],
    ["embedded --baseline good.json", /SIMULATED/],
    ["good --baseline nowhere.json", /no such file/],
    ["good", /give either --baseline FILE/],
    ["good --baseline good.json --method pag", /pag/],
    ["unfinished --write-baseline x.json", /not finished/],
    ["failing --write-baseline x.json", /2 of 120 answers/],
    ["stale --write-baseline x.json", /its pack lacks 4 requests/],
    ["good --write-baseline x.json --baseline good.json", /give either/],
    ["embedded --baseline embedded --max-usd 1", /cost/],
  ])("%s", async (line, why) => {
    const { code, stderr } = await run(`gate ${line}`, { GITHUB_ACTIONS: "true" });
    expect(code).toBe(exitCodes.usage);
    expect(stderr).toMatch(why);
    expect(stderr).toMatch(/^::error title=lamp-eval gate::/);
  });
});

describe("reports", () => {
  test("JUnit has a case an arm, failures, time and timestamp", async () => {
    await run("gate worse --baseline good.json --junit junit.xml");
    const xml = file("junit.xml");
    expect(xml).toContain('tests="1" failures="1" errors="0" skipped="0" time="1"');
    expect(xml).toContain('timestamp="2026-01-01T00:00:00.000Z"');
    expect(xml).toContain('<failure type="worse" message="FAIL: lamp3 rag: mae');
  });

  test("the step summary is appended, annotations go to stderr on GitHub only", async () => {
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(cwd, "summary.md") };
    expect((await run("gate small-again --baseline small.json", env)).stderr).toMatch(/^::warning .*UNSURE/);
    expect((await run("gate worse --baseline good.json", env)).stderr).toMatch(/^::error .*FAIL/);
    expect((await run("gate same --baseline good.json", env)).stderr).toMatch(/^::notice .*PASS/);
    expect(file("summary.md").match(/^## /gm)).toHaveLength(3);
    expect((await run("gate same --baseline good.json")).stderr).toBe("");
  });
});

test("every arm of a sweep is judged, by what tells it apart, and untouched ones are in no correction", async () => {
  const arms = [1, 2, 4].map((k) => ({ "rag.k": k }));
  plant("swept", { replies: [GOOD, GOOD, GOOD], arms });
  plant("swept-worse", { replies: [GOOD, GOOD.replaceAll("3", "5"), GOOD], arms });
  await run("gate swept --write-baseline swept.json");
  const { result } = await gated("swept-worse --baseline swept.json");
  expect(result.arms.map(({ name, verdict }: { name: string; verdict: string }) => `${name} ${verdict}`)).toEqual([
    ...["lamp3 rag (rag.k=1) pass", "lamp3 rag (rag.k=2) fail", "lamp3 rag (rag.k=4) pass"],
  ]);
  expect(result.arms[1].p_holm).toBe(result.arms[1].p);
});
