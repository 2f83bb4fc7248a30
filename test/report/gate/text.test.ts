import { describe, expect, test } from "vitest";
import type { GateLine } from "../../../src/report/gate/gate.js";
import { renderJunit } from "../../../src/report/gate/junit.js";
import { checkBudget, type GateResult } from "../../../src/report/gate/result.js";
import { renderAnnotations, renderGate, renderGateMarkdown, sentence } from "../../../src/report/gate/text.js";

const line: GateLine = {
  task: "lamp3",
  dataset: "d",
  method: "rag",
  metric: "mae",
  better: "lower",
  verdict: "pass",
  claim: "users",
  reach: "users",
  baseline: 0.5,
  candidate: 0.4,
  gain: 0.1,
  margin: 0.4,
  marginFrom: "baseline",
  bounds: { set: { low: -0.01, high: 0.2 }, users: { low: -0.36, high: 0.5 } },
  p: { users: 0.03, set: 0.002, questions: 0.002, overUsers: 0.001, regress: 1, holm: 1, worse: 0.9, worseHolm: 1 },
  shown: "none",
  feasible: true,
  needed: { users: undefined, margin: undefined },
  shock: "unknown",
  users: 40,
  questions: 80,
  lost: 0,
  changed: { worse: 5, better: 7, same: 68 },
  usersChanged: { worse: 4, better: 6, same: 30 },
  identical: false,
  spread: { baseline: undefined, candidate: undefined },
};
const unsure = (more: Partial<GateLine>): GateLine => ({ ...line, verdict: "unsure", ...more });
const result: GateResult = {
  verdict: "pass",
  fails: false,
  failOn: ["fail"],
  claim: "users",
  run: "r",
  baseline: "b",
  simulated: false,
  alpha: 0.05,
  lines: [line],
  checks: [],
  remarks: [],
};
const textOf = (more: Partial<GateResult>) => renderGate({ ...result, ...more });

describe("a line in words", () => {
  const said = (more: Partial<GateLine>) => sentence({ ...line, ...more });
  const lost = { gain: -0.1, candidate: 0.6, p: { ...line.p, worseHolm: 0.0004 } };

  test("begins with the verdict and what changed for how many users, then says why", () => {
    expect(said({})).toBe(
      "PASS: lamp3 rag gained .100 mae, .500 -> .400 (4 users worse, 6 better; p 1.000); a loss beyond the margin of .400 is ruled out",
    );
    expect(
      said({
        ...lost,
        verdict: "fail",
        shown: "beyond margin",
        margin: 0.05,
        bounds: { set: { low: -0.4, high: -0.053 }, users: { low: -0.6, high: 0.1 } },
      }),
    ).toBe(
      "FAIL: lamp3 rag lost .100 mae, .500 -> .600 (4 users worse, 6 better; p <.001); a loss beyond the margin of .050 is shown: at least .053",
    );
    expect(said({ ...lost, verdict: "fail", shown: "loss" })).toContain(
      "; a loss is shown, and one beyond the margin of .400 is not ruled out (up to .360 is possible)",
    );
    expect(said({ ...lost, shown: "loss" })).toContain("; a loss beyond the margin of .400 is ruled out: within it");
    expect(said({ gain: 0, candidate: 0.5 })).toContain("rag kept its mae, .500 -> .500 (");
  });

  test("counts answers, and no p, where the claim is about these answers", () => {
    expect(said({ ...lost, claim: "answers", verdict: "fail", shown: "beyond margin", margin: 0 })).toBe(
      "FAIL: lamp3 rag lost .100 mae, .500 -> .600 (5 answers worse, 7 better); more than the margin of .000",
    );
    expect(said({ ...lost, claim: "answers", shown: "loss", margin: 0.2 })).toContain(
      "; at most the margin of .200: within it",
    );
  });

  test.each<[Partial<GateLine>, string]>([
    [{ questions: 0, gain: undefined }, "no question has a scored answer in both"],
    [{ users: 4 }, "4 users are too few to say anything of another run (5 needed)"],
    [{ sparseLabels: 2 }, "2 labels have fewer than 5 gold answers"],
    [{ p: { ...line.p, users: undefined } }, "the largest loss of one question is not known"],
    [
      { feasible: false, margin: 0.05, reach: "set", needed: { users: 59, margin: 0.095 } },
      "40 users cannot rule out a loss beyond .050, even where nothing is lost; for this set run again it is ruled out: about 59 users would decide, or these users decide at --margin mae=.095, or --claim set",
    ],
    [{ feasible: false, claim: "set", margin: 0.01 }, "80 questions cannot rule out a loss beyond .010"],
    [
      { needed: { users: 72, margin: 0.5 } },
      "a loss beyond the margin of .400 is neither shown nor ruled out (up to .360 is possible); about 72 users would decide, or these users decide at --margin mae=.500",
    ],
    [
      { claim: "set", gain: -0.4, needed: { users: 40, margin: 0.3 } },
      "(up to .010 is possible); a run without loss would usually pass, so this is probably a real loss",
    ],
    [
      { gain: -0.1, margin: 0.35, needed: { users: 40, margin: 0.3 } },
      "(up to .360 is possible); about 44 users would decide", // 40 (.26 / .25)^2
    ],
    [{ margin: 0 }, "a margin of 0 asks for a shown gain"],
  ])("that is unsure says why, and what would decide: %o", (more, reason) =>
    expect(sentence(unsure(more))).toContain(reason),
  );
});

describe("the text of a gate", () => {
  const cellsOf = (more: Partial<GateResult>) =>
    textOf(more)
      .split("\n")
      .slice(3, 6)
      .map((row) => row.trim().split(/ {2,}/));

  test("has a row a line of eight columns, with counts where the claim is about answers", () => {
    const [titles, , row] = cellsOf({});
    expect(titles).toEqual(["task", "method", "metric", "verdict", "score", "margin", "loss up to", "p loss"]);
    expect(row).toEqual(["lamp3", "rag", "mae", "PASS", ".500 -> .400", ".400", ".360", "1.000"]);
    const [counted, , answers] = cellsOf({ claim: "answers", lines: [{ ...line, claim: "answers" }] });
    expect(counted?.slice(-2)).toEqual(["answers worse", "better"]);
    expect(answers?.slice(-2)).toEqual(["5", "7"]);
  });

  test("says first what was found, and what does not fail it", () => {
    const same = { ...line, identical: true };
    const bad = { ...line, verdict: "fail" as const, shown: "loss" as const, gain: -0.2 };
    expect(textOf({})).toMatch(
      /^PASS: lamp3 rag gained \.100 mae.*is ruled out\nr against b · claim: users like these/,
    );
    expect(textOf({ lines: [same, same] })).toMatch(/^PASS: same requests, same answers\n/);
    expect(textOf({ lines: [same, line] })).toMatch(/^PASS: a loss beyond the margin is ruled out in 2 lines\n/);
    expect(textOf({ verdict: "fail", fails: true, lines: [line, bad, bad] })).toMatch(
      /^FAIL: lamp3 rag lost \.200 mae.*; 2 of 3 lines fail\n/,
    );
    expect(textOf({ verdict: "budget", fails: true, checks: [checkBudget(3, 2)] })).toMatch(
      /^FAIL: the run cost \$3\.0000/,
    );
    expect(textOf({ verdict: "unsure", lines: [unsure({})] })).toMatch(
      /^UNSURE: lamp3 rag .*; a warning \(exit 0\): --fail-on is fail\n/,
    );
    expect(textOf({ claim: "answers", lines: [{ ...line, claim: "answers" }] })).toContain("counted and not tested");
  });

  test("names what it stands on: lost answers, one repeat, rare labels, conditions and remarks", () => {
    expect(textOf({ lines: [{ ...line, lost: 2 }] })).toContain(
      "lamp3 rag mae: 2 questions of the baseline failed or are absent in the run",
    );
    expect(textOf({})).toContain("One repeat cannot show noise that a whole run shares");
    expect(textOf({ claim: "answers" })).not.toContain("One repeat");
    expect(textOf({ lines: [{ ...line, shock: { sd: 0.1, degrees: 2 } }] })).not.toContain("One repeat");
    expect(textOf({ lines: [{ ...line, sparseLabels: 2 }] })).toContain("2 labels");
    const text = textOf({ checks: [checkBudget(1, 2), checkBudget(3, 2)], remarks: ["seed 0 became 1"] });
    expect(text).toContain(
      "ok: the run cost $1.0000 at list prices, at most $2.0000 accepted\nFAIL: the run cost $3.0000",
    );
    expect(text).toContain("seed 0 became 1");
    const doubt = textOf({ verdict: "unsure", lines: [unsure({}), line] });
    expect(doubt).toContain(`\n${sentence(unsure({}))}\n`);
    expect(textOf({ verdict: "unsure", lines: [unsure({})] }).split(sentence(unsure({})))).toHaveLength(2);
  });

  test("is the same in a step summary", () => {
    const markdown = renderGateMarkdown({ ...result, simulated: true, checks: [checkBudget(1, 2)] });
    expect(markdown).toMatch(/^## PASS: /);
    expect(markdown).toContain("| lamp3 | rag | mae | PASS |");
    expect(markdown).toContain("- ok: the run cost");
    for (const text of [markdown, textOf({ simulated: true })]) expect(text).toContain("SIMULATED (embedded model)");
  });

  test("annotates what fails the gate as an error, a doubt as a warning, a pass not at all", () => {
    const levels = (more: Partial<GateResult>) =>
      renderAnnotations({ ...result, ...more }).map((text) => text.slice(0, text.indexOf(" ")));
    const lines = [line, unsure({}), { ...line, verdict: "fail" as const, shown: "loss" as const }];
    const checks = [checkBudget(1, 2), checkBudget(3, 2)];
    expect(levels({ verdict: "fail", lines, checks })).toEqual(["::error", "::warning", "::error"]);
    expect(levels({ failOn: ["fail", "unsure"], lines })).toEqual(["::error", "::error"]);
    expect(levels({ lines: [{ ...line, shown: "loss" }] })).toEqual(["::warning"]);
  });
});

describe("JUnit", () => {
  const xml = renderJunit({
    ...result,
    verdict: "fail",
    lines: [line, { ...line, task: "lamp2m", verdict: "fail", shown: "loss" }, unsure({ metric: "rmse" })],
    checks: [checkBudget(1, 2)],
  });

  test("has a suite a task and one for the run, each with its own counts", () => {
    expect(xml.match(/<testsuites? name="[^"]*" tests="\d" failures="\d"/g)).toEqual([
      '<testsuites name="lamp-eval gate r" tests="4" failures="1"',
      '<testsuite name="lamp3 (d)" tests="2" failures="0"',
      '<testsuite name="lamp2m (d)" tests="1" failures="1"',
      '<testsuite name="run" tests="1" failures="0"',
    ]);
    expect(xml).toContain('<testcase name="rmse" classname="lamp3.rag"><system-out>UNSURE: lamp3 rag gained .100 rmse');
    expect(xml).toContain('<testcase name="mae" classname="lamp3.rag"><system-out>PASS: lamp3 rag gained .100 mae');
    expect(xml).not.toContain("SIMULATED");
  });

  test("fails by what the gate fails by", () => {
    const of = (failOn: GateResult["failOn"]) =>
      renderJunit({ ...result, failOn, lines: [unsure({}), { ...line, shown: "loss" }] });
    expect(of(["fail"])).toContain('failures="0"');
    expect(of(["fail", "unsure"])).toContain('<failure type="unsure"');
  });

  test("says in every suite that the model is simulated", () => {
    expect(renderJunit({ ...result, simulated: true, checks: [checkBudget(1, 2)] }).match(/SIMULATED/g)).toHaveLength(
      2,
    );
  });

  test("keeps every character that XML can hold, and none that it cannot", () => {
    const nasty = "\t\n\r\u0000\u0008\u000b\u001f\ud7ff\ue000\ufffd\ufffe\uffff\u{1f600} \ud800 \udfff";
    const [, name] = /<testsuites name="lamp-eval gate ([^"]*)"/.exec(renderJunit({ ...result, run: nasty })) ?? [];
    expect(name).toBe("&#9;&#10;&#13;\ufffd\ufffd\ufffd\ufffd\ud7ff\ue000\ufffd\ufffd\ufffd\u{1f600} \ufffd \ufffd");
  });
});
