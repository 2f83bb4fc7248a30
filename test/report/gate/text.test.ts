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
  worse: false,
  feasible: true,
  needed: { users: undefined, margin: undefined },
  shock: "unknown",
  users: 40,
  questions: 80,
  lost: 0,
  changed: { worse: 5, better: 7, same: 68 },
  identical: false,
  spread: { baseline: undefined, candidate: undefined },
};
const unsure = (more: Partial<GateLine>): GateLine => ({ ...line, verdict: "inconclusive", ...more });
const result: GateResult = {
  verdict: "pass",
  fails: false,
  failOn: ["regress", "inconclusive"],
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
const cellsOf = (more: Partial<GateResult>) =>
  textOf(more)
    .split("\n")
    .slice(1, 4)
    .map((row) => row.trim().split(/ {2,}/));

describe("a line in words", () => {
  const said = (more: Partial<GateLine>) => sentence({ ...line, ...more }, 0.05);

  test("says what it claims, what it was and is, and what was found", () => {
    expect(said({})).toBe(
      "lamp3 rag mae: pass for users like these: .400, was .500, gain +.100; no loss above the margin .400, at the risk .050 (p .030)",
    );
    expect(
      said({ verdict: "regress", worse: true, bounds: { set: { low: -0.4, high: -0.153 }, users: undefined } }),
    ).toContain("on these questions the loss is above the margin .400, at least .153 (p Holm 1.000)");
    expect(said({ worse: true, p: { ...line.p, worseHolm: 0.01 } })).toContain(
      "a loss is shown on this set, at least .000 (p Holm .010); the margin .400 accepts it",
    );
    expect(said({ claim: "answers", verdict: "regress", worse: true, margin: 0 })).toContain(
      "regress for these answers: .400, was .500, gain +.100; these answers score lower, by more than the margin .000",
    );
  });

  test.each<[Partial<GateLine>, string]>([
    [{ questions: 0 }, "no question has a scored answer in both"],
    [{ users: 4 }, "4 users are too few for any claim about another run, at least 5 are needed"],
    [{ sparseLabels: 2 }, "2 labels have fewer than 5 gold answers"],
    [{ p: { ...line.p, users: undefined } }, "is not known: nothing beyond these answers can be claimed"],
    [
      { feasible: false, margin: 0.05, needed: { users: 59, margin: 0.095 } },
      "on this set no loss above .050 (p .002); 40 users cannot rule out a loss of .050 for others, even where nothing is lost here: 59 users, --margin mae=.095, --claim set",
    ],
    [{ feasible: false, claim: "set", margin: 0.01 }, "80 questions cannot rule out a loss of .010 for another run"],
    [
      { needed: { users: 72, margin: 0.5 } },
      "a loss of up to .360 is possible at the risk .050, the margin is .400; about 72 users let an unchanged run pass in 80 of 100 cases, or these at --margin mae=.500",
    ],
    [
      { claim: "set", needed: { users: 40, margin: 0.3 } },
      "a loss of up to .010 is possible at the risk .050, the margin is .400; an unchanged run of as many users mostly passes: this one may well be worse",
    ],
    [{ margin: 0 }, "a margin of 0 asks for a shown gain"],
    [{ worse: true, p: { ...line.p, worseHolm: 0.02 } }, "a loss is shown on this set (p Holm .020); a loss of up to"],
  ])("that is inconclusive says why: %o", (more, reason) => expect(sentence(unsure(more), 0.05)).toContain(reason));
});

describe("the text of a gate", () => {
  test("has a row a line, with a column for repeats only where there are some", () => {
    const [titles, , row] = cellsOf({});
    expect(titles).toHaveLength(16);
    expect(row).toEqual([
      "lamp3",
      "rag",
      "mae (down)",
      "pass",
      ".500",
      ".400",
      "+.100",
      ".400",
      ".010",
      ".360",
      ".002",
      ".030",
      "1.000",
      "5/7",
      "80",
      "40",
    ]);
    const [more, , repeated] = cellsOf({
      lines: [{ ...line, better: "higher", worse: true, spread: { baseline: undefined, candidate: 0.01 } }],
    });
    expect([more?.at(-1), repeated?.at(-1), repeated?.[2], repeated?.[3]]).toEqual([
      "sd repeats",
      "- .010",
      "mae (up)",
      "pass, worse",
    ]);
  });

  test("says first what was found and of what, and what does not fail it", () => {
    const same = { ...line, identical: true };
    expect(textOf({})).toMatch(
      /^gate PASS for users like these: no loss above the margin, at the risk \.050 · r against b\n/,
    );
    expect(textOf({ lines: [same, same] })).toMatch(
      /^gate PASS for users like these: identical: same requests, same answers · /,
    );
    expect(textOf({ lines: [same, line] })).toMatch(/: no loss above/);
    expect(textOf({ verdict: "failed-rows", fails: true, lines: [same] })).toMatch(
      /^gate FAILED-ROWS .*too many failed/,
    );
    expect(textOf({ lines: [same, line] }).match(/lamp3 rag mae: identical: /g)).toHaveLength(1);
    expect(textOf({ verdict: "inconclusive", claim: "set", failOn: ["worse"] })).toMatch(
      /^gate INCONCLUSIVE for this set run again: a loss beyond the margin is neither ruled out nor shown · r against b · not in --fail-on worse: exit 0\n/,
    );
  });

  test("names what it stands on: lost answers, one repeat, rare labels, conditions and remarks", () => {
    expect(textOf({ lines: [{ ...line, lost: 2 }] })).toContain(
      "2 questions of the baseline failed or absent in the run",
    );
    expect(textOf({})).toContain("one repeat each: noise that a whole run shares");
    expect(textOf({ lines: [{ ...line, claim: "answers" }] })).not.toContain("one repeat each");
    expect(textOf({ lines: [{ ...line, shock: { sd: 0.1, degrees: 2 } }] })).not.toContain("one repeat each");
    expect(textOf({ lines: [{ ...line, sparseLabels: 2 }] })).toContain("2 labels");
    const checks = [checkBudget(1, 2), checkBudget(3, 2)];
    expect(
      textOf({ checks, remarks: ["seed 0 became 1"] })
        .split("\n")
        .slice(-4, -1),
    ).toEqual([
      expect.stringMatching(/^ok: the run cost \$1\.0000/),
      expect.stringMatching(/^NOT OK: the run cost \$3\.0000 at list prices, at most \$2\.0000 accepted/),
      "seed 0 became 1",
    ]);
    expect(textOf({ lines: [unsure({})] })).toContain(`\n${sentence(unsure({}), 0.05)}\n`);
  });

  test("is the same in a step summary", () => {
    const markdown = renderGateMarkdown({ ...result, simulated: true, checks: [checkBudget(1, 2)] });
    expect(markdown.split("\n")).toEqual([
      expect.stringMatching(/^## gate PASS/),
      "",
      "**SIMULATED (embedded model): this gates the code, not a model**",
      "",
      expect.stringMatching(/^\| task \| method/),
      expect.stringMatching(/^\| --- \| --- \| --- \| --- \| ---: /),
      expect.stringMatching(/^\| lamp3 \| rag \| mae \(down\) \| pass/),
      "",
      expect.stringMatching(/^- one repeat each/),
      expect.stringMatching(/^- ok: the run cost/),
      "",
      expect.stringMatching(/^<sub>gain: .*<\/sub>$/),
      "",
    ]);
    expect(renderGateMarkdown(result)).not.toContain("SIMULATED");
    expect(textOf({ simulated: true }).split("\n")[1]).toMatch(/^SIMULATED/);
  });

  test("annotates a shown loss and a broken condition as errors, a doubt as a warning, a pass not at all", () => {
    const lines = [line, unsure({}), { ...line, verdict: "regress" as const }];
    const found = renderAnnotations({
      ...result,
      verdict: "regress",
      lines,
      checks: [checkBudget(1, 2), checkBudget(3, 2)],
    });
    expect(found.map((text) => text.slice(0, text.indexOf(" ")))).toEqual(["::error", "::warning", "::error"]);
    expect(found[0]).toContain("$3.0000");
    const quiet = renderAnnotations({ ...result, failOn: ["worse"], lines: [{ ...line, worse: true }, ...lines] });
    expect(quiet.map((text) => text.slice(0, text.indexOf(" ")))).toEqual(["::error", "::warning", "::warning"]);
  });
});

describe("JUnit", () => {
  const xml = renderJunit({
    ...result,
    verdict: "regress",
    lines: [line, { ...line, task: "lamp2m", verdict: "regress" }, unsure({ metric: "rmse" })],
    checks: [checkBudget(1, 2)],
  });

  test("has a suite a task and one for the run, each with its own counts", () => {
    expect(xml.match(/<testsuites? name="[^"]*" tests="\d" failures="\d"/g)).toEqual([
      '<testsuites name="lamp-eval gate r" tests="4" failures="2"',
      '<testsuite name="lamp3 (d)" tests="2" failures="1"',
      '<testsuite name="lamp2m (d)" tests="1" failures="1"',
      '<testsuite name="run" tests="1" failures="0"',
    ]);
    expect(xml).toContain(
      '<testcase name="rmse" classname="lamp3.rag"><failure type="inconclusive" message="lamp3 rag rmse:',
    );
    expect(xml).toContain('<testcase name="mae" classname="lamp3.rag"><system-out>lamp3 rag mae: pass');
    expect(xml).not.toContain("SIMULATED");
  });

  test("fails by what the gate fails by", () => {
    const of = (more: Partial<GateResult>) =>
      renderJunit({ ...result, lines: [unsure({}), { ...line, worse: true }], ...more });
    expect(of({ failOn: ["regress"] })).toContain('failures="0"');
    expect(of({ failOn: ["worse"] })).toContain('<failure type="worse"');
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
