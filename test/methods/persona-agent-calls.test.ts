import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { personaAgent } from "../../src/methods/persona-agent.js";
import {
  personaAgentWoAction,
  personaAgentWoAlignment,
  personaAgentWoMemory,
  personaAgentWoPersona,
} from "../../src/methods/persona-agent-ablations.js";
import { complete, readOptions } from "../../src/registry/options.js";
import type { CallPlan, CallRange, Method, Phase } from "../../src/types/index.js";
import { history, noted, obliging, play, SUMMARY, sent } from "./persona-agent-fixtures.js";

const n = 3;
const Q = 2;
const both = 3; // A with two tools: memory, Wikipedia, answer
const wikiOnly = 2; // A without the memory tool
const cumulative = { "ablation.mode": "cumulative" };

interface Row {
  readonly title: string;
  readonly method: Method;
  readonly given: Record<string, string | number>;
  readonly calls: Partial<Record<Phase, number>>;
}

const rows: readonly Row[] = [
  ...[1, 2].map((E) => ({
    title: `persona-agent, E=${E}: 1 + E(nA + n + 1) + AQ`,
    method: personaAgent,
    given: { "align.iterations": E },
    calls: { summary: 1, simulate: E * n * both, gradient: E * n, update: E, answer: both * Q },
  })),
  {
    title: "w/o alignment: 1 + AQ",
    method: personaAgentWoAlignment,
    given: {},
    calls: { summary: 1, answer: both * Q },
  },
  {
    title: "w/o alignment, cumulative: the same",
    method: personaAgentWoAlignment,
    given: cumulative,
    calls: { summary: 1, answer: both * Q },
  },
  { title: "w/o persona: AQ", method: personaAgentWoPersona, given: {}, calls: { answer: both * Q } },
  {
    title: "w/o persona, cumulative: the same",
    method: personaAgentWoPersona,
    given: cumulative,
    calls: { answer: both * Q },
  },
  {
    title: "w/o memory: E(nA + n + 1) + AQ with Wikipedia alone",
    method: personaAgentWoMemory,
    given: {},
    calls: { simulate: n * wikiOnly, gradient: n, update: 1, answer: wikiOnly * Q },
  },
  {
    title: "w/o memory, cumulative: react",
    method: personaAgentWoMemory,
    given: cumulative,
    calls: { answer: wikiOnly * Q },
  },
  {
    title: "w/o action: 1 + E(2n + 1) + Q",
    method: personaAgentWoAction,
    given: {},
    calls: { summary: 1, simulate: n, gradient: n, update: 1, answer: Q },
  },
  { title: "w/o action, cumulative: Q", method: personaAgentWoAction, given: cumulative, calls: { answer: Q } },
  {
    title: "textgrad: 3n gradients",
    method: personaAgent,
    given: { "align.optimizer": "textgrad" },
    calls: { summary: 1, simulate: n * both, gradient: 3 * n, update: 1, answer: both * Q },
  },
  {
    title: "per query: alignment for each question",
    method: personaAgent,
    given: { "align.schedule": "per-query" },
    calls: { summary: 1, simulate: Q * n * both, gradient: Q * n, update: Q, answer: both * Q },
  },
  {
    title: "no iterations: as without alignment",
    method: personaAgent,
    given: { "align.iterations": 0 },
    calls: { summary: 1, answer: both * Q },
  },
];

/** Unwrapped, TextGrad's rewrite would be refused. */
const tagged: typeof obliging = (logged) =>
  logged.phase === "update" && logged.text.includes("<IMPROVED_VARIABLE>")
    ? "<IMPROVED_VARIABLE>You are the assistant of a person who laughs at heists.</IMPROVED_VARIABLE>"
    : obliging(logged);

function expectWithin(calls: Partial<Record<Phase, number>>, plan: CallPlan): void {
  const ranges = [plan.perUnit(history), ...Array.from({ length: Q }, () => plan.perQuestion())];
  const bound = (phase: string, end: "low" | "high"): number =>
    ranges.reduce((sum, range: CallRange) => sum + (range[phase as Phase]?.[end] ?? 0), 0);
  const phases = new Set([...Object.keys(calls), ...ranges.flatMap((range) => Object.keys(range))]);
  for (const phase of phases) {
    const made = calls[phase as Phase] ?? 0;
    expect(made, `${phase} calls at least`).toBeGreaterThanOrEqual(bound(phase, "low"));
    expect(made, `${phase} calls at most`).toBeLessThanOrEqual(bound(phase, "high"));
  }
}

describe("calls of persona-agent and its ablations (METHODS 0.4)", () => {
  test.each(rows)("$title", async ({ method, given, calls }) => {
    const { cell, plan } = await play(method, { given, script: tagged });
    expect(cell.phases()).toEqual(calls);
    expectWithin(cell.phases(), plan);
    expect(cell.incidents.get("persona_update_failed")).toBeUndefined();
  });

  test("every call is tagged with the user, and only those of a question with a question", async () => {
    const { cell } = await play(personaAgent);
    for (const { phase, user, question } of cell.calls) {
      expect(user).toBe("u1");
      expect(question === undefined).toBe(phase !== "answer");
    }
  });

  test("the plan is as exact as it can be", () => {
    const plan = methods.get("persona-agent").plan(knobsOf({ "agent.maxSteps": 5 }));
    const turns = { low: 1, high: 6 };
    expect(plan.perUnit(history)).toEqual({
      summary: { low: 1, high: 2 },
      simulate: { low: 3, high: 18 },
      gradient: { low: 3, high: 3 },
      update: { low: 1, high: 2 },
    });
    expect(plan.perUnit(history.slice(0, 1)).gradient).toEqual({ low: 1, high: 1 });
    expect(plan.perUnit([])).toEqual({});
    expect(plan.perQuestion()).toEqual({ answer: turns });
  });
});

describe("what each ablation leaves out (METHODS 7.6)", () => {
  const toolsOf = (cell: Awaited<ReturnType<typeof play>>["cell"], phase: string) => [
    ...new Set(sent(cell, phase).map(({ request }) => (request.tools ?? []).map(({ name }) => name).join("+"))),
  ];

  test("without alignment the persona stays the initial one, with the summary in it", async () => {
    const { cell } = await play(personaAgentWoAlignment);
    expect(sent(cell, "answer")[0]?.request.system).toContain(`User summary: ${SUMMARY}`);
    expect(toolsOf(cell, "answer")).toEqual(["wikipedia+episodic_memory"]);
  });

  test("without persona the generic prompt of an agent is used, with both tools and nothing of the summary", async () => {
    const { cell } = await play(personaAgentWoPersona);
    expect(sent(cell, "answer")[0]?.request.system).not.toMatch(/User summary|STRICT RULES/);
    expect(toolsOf(cell, "answer")).toEqual(["wikipedia+episodic_memory"]);
    expect(noted(cell, "persona")).toEqual([]);
  });

  test("without memory neither summary nor memory tool is there, in simulation and answers alike", async () => {
    const { cell } = await play(personaAgentWoMemory);
    expect(sent(cell, "simulate")[0]?.request.system).toContain("User summary: not available");
    expect(toolsOf(cell, "simulate")).toEqual(["wikipedia"]);
    expect(toolsOf(cell, "answer")).toEqual(["wikipedia"]);
  });

  test("without action one call under the aligned persona may reason, and its last line is the answer", async () => {
    const { cell, answers } = await play(personaAgentWoAction, {
      script: (logged) => (logged.phase === "answer" ? "Trains and robots.\nFinal Answer: action" : obliging(logged)),
    });
    expect(answers).toEqual(["action", "action"]);
    for (const { request } of [...sent(cell, "simulate"), ...sent(cell, "answer")])
      expect(request.tools).toBeUndefined();
    expect(sent(cell, "simulate")[0]?.request.system).toContain(`User summary: ${SUMMARY}`);
    expect(sent(cell, "answer")[0]?.request.system).toMatch(/^You are the assistant of a person who laughs at heists/);
  });

  test("wiki.mode=off leaves the memory tool alone; a run that forgot to set Wikipedia up is a bug, not a run without it", async () => {
    const { cell } = await play(personaAgentWoPersona, { given: { "wiki.mode": "off" } });
    expect(toolsOf(cell, "answer")).toEqual(["episodic_memory"]);
    await expect(play(personaAgentWoPersona, { tools: [] })).rejects.toThrow("no wikipedia tool");
  });

  test("what must be set up before the first call: Wikipedia and tool calls, but not where no agent runs", () => {
    const needs = (method: Method, given = {}) =>
      method.needs?.(readOptions(method.options, complete(method.options, given)));
    const agent = { tools: ["wikipedia"], agent: true };
    expect(needs(personaAgent)).toEqual(agent);
    expect(needs(personaAgentWoMemory, cumulative)).toEqual(agent);
    expect(needs(personaAgentWoAction)).toEqual({ tools: [], agent: false });
  });

  test("all variants are methods of their own", () => {
    const names = methods.names.filter((name) => name.startsWith("persona-agent"));
    expect(names).toEqual(
      expect.arrayContaining([
        "persona-agent",
        "persona-agent-wo-alignment",
        "persona-agent-wo-persona",
        "persona-agent-wo-memory",
        "persona-agent-wo-action",
      ]),
    );
  });
});

function knobsOf(given: Record<string, string | number>) {
  return readOptions(personaAgent.options, complete(personaAgent.options, given));
}
