import { expect, test } from "vitest";
import { type OldGateResult, renderOldGate, renderOldGateMarkdown } from "../../../src/report/gate/rule-0.1.0/text.js";

const result: OldGateResult = {
  verdict: "regress",
  rule: "0.1.0",
  withdrawn: "WITHDRAWN",
  run: "runs/new",
  baseline: "base.json",
  simulated: false,
  alpha: 0.05,
  lines: [
    {
      task: "lamp3",
      dataset: "d",
      method: "rag",
      metric: "mae",
      verdict: "regress",
      baseline: 0.4,
      candidate: 0.6,
      gain: -0.2,
      margin: 0.02,
      low: -0.5,
      high: 0,
      p: 0.01,
      holm: 0.01,
      exactP: undefined,
      users: 12,
      questions: 24,
      identical: false,
    },
  ],
  checks: [
    { name: "failed-rows", passed: true, finding: "few answers failed" },
    { name: "budget", passed: false, finding: "it cost too much" },
  ],
  remarks: ["lamp3 rag: seed 0 became 1"],
};

test("the withdrawn rule's verdict stands under its warning, its lines with their scores, and what was checked", () => {
  expect(
    renderOldGate(result)
      .split("\n")
      .map((line) => line.trim().replaceAll(/ {2,}/g, " | ")),
  ).toEqual([
    "gate REGRESS by the withdrawn rule of 0.1.0 · runs/new against base.json",
    "WITHDRAWN",
    "task | method | metric | verdict | baseline | run | gain | margin",
    expect.stringMatching(/^[-| ]+$/),
    "lamp3 | rag | mae | regress | .400 | .600 | -.200 | .020",
    "ok: few answers failed",
    "NOT OK: it cost too much",
    "lamp3 rag: seed 0 became 1",
  ]);
  expect(renderOldGate({ ...result, simulated: true })).toMatch(/^gate REGRESS .* 0\.1\.0, SIMULATED · /);
});

test("in Markdown it has a title, the warning in bold, a table with numbers to the right, and a list", () => {
  expect(renderOldGateMarkdown(result).split("\n")).toEqual([
    "## gate REGRESS by the withdrawn rule of 0.1.0 · runs/new against base.json",
    "",
    "**WITHDRAWN**",
    "",
    "| task | method | metric | verdict | baseline | run | gain | margin |",
    "| --- | --- | --- | --- | ---: | ---: | ---: | ---: |",
    "| lamp3 | rag | mae | regress | .400 | .600 | -.200 | .020 |",
    "",
    "- ok: few answers failed",
    "- NOT OK: it cost too much",
    "- lamp3 rag: seed 0 became 1",
    "",
  ]);
});
