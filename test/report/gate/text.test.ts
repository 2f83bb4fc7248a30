import { expect, test } from "vitest";
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

const lost = { gain: -0.1, candidate: 0.6, p: { ...line.p, worseHolm: 0.0004 } };
const same = { ...line, identical: true };
const bad: GateLine = { ...line, verdict: "fail", shown: "loss", gain: -0.2 };
const counted: GateLine = { ...line, claim: "answers" };

/** A line each. */
const lines: readonly GateLine[] = [
  line,
  {
    ...{ ...line, ...lost, verdict: "fail", shown: "beyond margin", margin: 0.05 },
    bounds: { set: { low: -0.4, high: -0.053 }, users: { low: -0.6, high: 0.1 } },
  },
  { ...line, ...lost, verdict: "fail", shown: "loss" },
  { ...line, ...lost, shown: "loss" },
  { ...line, gain: 0, candidate: 0.5 },
  { ...counted, ...lost, verdict: "fail", shown: "beyond margin", margin: 0 },
  { ...counted, ...lost, shown: "loss", margin: 0.2 },
  unsure({ questions: 0, gain: undefined }),
  unsure({ users: 4 }),
  unsure({ sparseLabels: 2 }),
  unsure({ p: { ...line.p, users: undefined } }),
  unsure({ feasible: false, margin: 0.05, reach: "set", needed: { users: 59, margin: 0.095 } }),
  unsure({ feasible: false, claim: "set", margin: 0.01 }),
  unsure({ needed: { users: 72, margin: 0.5 } }),
  unsure({ claim: "set", gain: -0.4, needed: { users: 40, margin: 0.3 } }),
  unsure({ gain: -0.1, margin: 0.35, needed: { users: 40, margin: 0.3 } }), // 44 users: 40 (.26 / .25)^2
  unsure({ margin: 0 }),
];

const results: Readonly<Record<string, Partial<GateResult>>> = {
  "one line": {},
  "same requests": { lines: [same, same] },
  "two lines that pass": { lines: [same, line] },
  "two of three fail": { verdict: "fail", fails: true, lines: [line, bad, bad] },
  "a broken budget": {
    ...{ verdict: "budget", fails: true, remarks: ["seed 0 became 1"] },
    checks: [checkBudget(1, 2), checkBudget(3, 2)],
  },
  "a doubt alone": { verdict: "unsure", lines: [unsure({})] },
  "a doubt beside a pass, simulated": { verdict: "unsure", lines: [unsure({}), line], simulated: true },
  "answers that are counted": { claim: "answers", lines: [counted] },
  "lost answers and rare labels": { lines: [{ ...line, lost: 2, sparseLabels: 2 }] },
  "several repeats": { lines: [{ ...line, shock: { sd: 0.1, degrees: 2 } }] },
};

test("a line in words begins with the verdict and what changed, then says why, and what would decide", async () => {
  await expect(lines.map((one) => `${sentence(one)}\n`).join("\n")).toMatchFileSnapshot("./text-lines.txt");
});

test("the text of a gate, and the same as a step summary", async () => {
  const texts = Object.entries(results).map(([what, more]) => `======== ${what}\n\n${textOf(more)}\n`);
  const markdown = renderGateMarkdown({ ...result, simulated: true, checks: [checkBudget(1, 2)] });
  await expect([...texts, markdown].join("\n")).toMatchFileSnapshot("./text.txt");
});

test("annotates what fails the gate as an error, a doubt as a warning, a pass not at all", () => {
  const levels = (more: Partial<GateResult>) =>
    renderAnnotations({ ...result, ...more }).map((text) => text.slice(0, text.indexOf(" ")));
  const three = [line, unsure({}), { ...line, verdict: "fail" as const, shown: "loss" as const }];
  const checks = [checkBudget(1, 2), checkBudget(3, 2)];
  expect(levels({ verdict: "fail", lines: three, checks })).toEqual(["::error", "::warning", "::error"]);
  expect(levels({ failOn: ["fail", "unsure"], lines: three })).toEqual(["::error", "::error"]);
  expect(levels({ lines: [{ ...line, shown: "loss" }] })).toEqual(["::warning"]);
});

test("JUnit has a suite a task and one for the run, and fails by what the gate fails by", async () => {
  const failed: GateLine = { ...line, task: "lamp2m", verdict: "fail", shown: "loss" };
  const told = { ...result, lines: [line, failed, unsure({ metric: "rmse" })], checks: [checkBudget(1, 2)] };
  const both = [
    renderJunit({ ...told, verdict: "fail" }),
    renderJunit({ ...told, failOn: ["fail", "unsure"], simulated: true }),
  ];
  await expect(both.join("\n")).toMatchFileSnapshot("./junit.txt");
});

test("keeps every character that XML can hold, and none that it cannot", () => {
  const nasty = "\t\n\r\u0000\u0008\u000b\u001f\ud7ff\ue000\ufffd\ufffe\uffff\u{1f600} \ud800 \udfff";
  const [, name] = /<testsuites name="lamp-eval gate ([^"]*)"/.exec(renderJunit({ ...result, run: nasty })) ?? [];
  expect(name).toBe("&#9;&#10;&#13;\ufffd\ufffd\ufffd\ufffd\ud7ff\ue000\ufffd\ufffd\ufffd\u{1f600} \ufffd \ufffd");
});
