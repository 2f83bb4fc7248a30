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
  baseline: 0.5,
  candidate: 0.4,
  gain: 0.1,
  margin: 0.02,
  low: -0.01,
  high: 0.2,
  p: 0.9,
  holm: 1,
  over: "users",
  users: 40,
  questions: 80,
  changed: 12,
  signP: 0.3,
  exactP: undefined,
  identical: false,
  needed: 300,
  spread: { baseline: undefined, candidate: undefined },
};
const unsure = (more: Partial<GateLine>): GateLine => ({ ...line, verdict: "inconclusive", ...more });
const result: GateResult = {
  verdict: "pass",
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
  test("has what it was, what it is, the gain with its bounds, and the margin", () => {
    expect(sentence(line)).toBe("lamp3 rag mae: pass: .400, was .500; gain +.100 [-.010, +.200], margin .020");
    expect(sentence({ ...line, gain: -0.0001, low: undefined, high: 0 })).toContain("gain .000 [-, .000]");
    expect(sentence({ ...line, verdict: "regress", needed: undefined })).toMatch(/margin \.020$/);
  });

  test.each<[Partial<GateLine>, string]>([
    [{ questions: 0 }, "no question has a scored answer in both"],
    [{ low: undefined, questions: 7, needed: 149 }, "7 questions are too few for any bound, at least 149 are needed"],
    [{ margin: 0, low: -0.1 }, "a margin of 0 asks for a shown gain"],
    [{ low: -0.1, needed: undefined }, "a margin of 0 asks for a shown gain"],
    [
      { low: -0.1, needed: 80 },
      "an unchanged run would have passed with as many questions: this one may well be worse",
    ],
    [{ low: -0.1, needed: 81 }, "80 questions are too few: about 81 let an unchanged run pass in 80 of 100 cases"],
    [{ low: -0.021, needed: 1234 }, "about 1,234 let an unchanged run"],
    [
      { low: -0.02, exactP: 0.2, needed: 149 },
      "leaves a loss of the margin possible (p .200): at least 149 questions are needed",
    ],
    [{ low: -0.02, exactP: 0.2, needed: 81 }, "(p .200): at least 81 questions are needed"],
  ])("that is inconclusive says why: %o", (more, reason) => {
    expect(sentence(unsure(more))).toContain(`margin ${more.margin === 0 ? ".000" : ".020"}; `);
    expect(sentence(unsure(more))).toContain(reason);
  });

  test("that the exact test stops with questions enough does not ask for more", () => {
    expect(sentence(unsure({ low: -0.02, exactP: 0.2, needed: 80 }))).toMatch(/\(p \.200\)$/);
  });
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
      "+.100 [-.010, +.200]",
      ".020",
      ".900",
      "1.000",
      ".300",
      "-",
      "12",
      "80",
      "40 users",
      "300",
    ]);
    const [more, , repeated] = cellsOf({
      lines: [{ ...line, better: "higher", over: "questions", spread: { baseline: undefined, candidate: 0.01 } }],
    });
    expect([more?.at(-1), repeated?.at(-1), repeated?.[2], repeated?.[14]]).toEqual([
      "sd repeats",
      "- .010",
      "mae (up)",
      "questions",
    ]);
    expect(cellsOf({ lines: [{ ...line, spread: { baseline: 0.01, candidate: undefined } }] })[2]?.at(-1)).toBe(
      ".010 -",
    );
  });

  test("says first what was found, and that nothing was sampled where all lines are identical", () => {
    const same = { ...line, identical: true };
    expect(textOf({})).toMatch(
      /^gate PASS: a loss beyond the margin is ruled out, at the risk alpha · r against b · alpha \.050\n/,
    );
    expect(textOf({ lines: [same, same] })).toMatch(/^gate PASS: identical: same requests, same answers · /);
    expect(textOf({ lines: [same, line] })).toMatch(/^gate PASS: a loss beyond/);
    expect(textOf({ verdict: "failed-rows", lines: [same] })).toMatch(/^gate FAILED-ROWS: too many failed/);
    expect(textOf({ lines: [same, line] }).match(/lamp3 rag mae: identical: /g)).toHaveLength(1);
  });

  test("names what it stands on: few users, losses that could be missed, rare labels, conditions and remarks", () => {
    const few = textOf({ lines: [{ ...line, over: "questions" }, { ...line, over: "questions" }, line] });
    expect(few).toContain("fewer than 10 users (lamp3): questions are resampled");
    expect(textOf({})).not.toContain("fewer than 10 users");
    expect(textOf({ lines: [{ ...line, over: "questions", questions: 0 }] })).not.toContain("fewer than 10 users");
    // 80 questions without a change: a loss on 1 - .05 ^ (1 / 80) of all questions goes unseen in one of twenty samples.
    const unseen = "no question changed; losses on up to 3.68 % of questions";
    expect(textOf({ lines: [{ ...line, changed: 0 }] })).toContain(unseen);
    for (const other of [
      { changed: 1 },
      { changed: 0, identical: true },
      { changed: 0, verdict: "inconclusive" as const },
    ])
      expect(textOf({ lines: [{ ...line, ...other }] })).not.toContain("no question changed");
    expect(textOf({ lines: [{ ...line, sparseLabels: 2 }] })).toContain(
      "intervals of mae may be too narrow and too low: 2 labels",
    );
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
    expect(textOf({ lines: [unsure({ low: -0.1 })] })).toContain(`\n${sentence(unsure({ low: -0.1 }))}\n`);
    expect(textOf({})).not.toContain("margin .020\n");
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
