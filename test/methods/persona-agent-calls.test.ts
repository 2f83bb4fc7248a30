import { describe, expect, test } from "vitest";
import {
  personaAgent,
  personaAgentWoAction,
  personaAgentWoAlignment,
  personaAgentWoMemory,
  personaAgentWoPersona,
} from "../../src/methods/persona-agent.js";
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
    const { armKit, plan } = await play(method, { given, script: tagged });
    expect(armKit.phases()).toEqual(calls);
    expectWithin(armKit.phases(), plan);
    expect(armKit.incidents.get("persona_update_failed")).toBeUndefined();
  });
});

describe("what each ablation leaves out (METHODS 7.6)", () => {
  const toolsOf = (armKit: Awaited<ReturnType<typeof play>>["armKit"], phase: string) => [
    ...new Set(sent(armKit, phase).map(({ request }) => (request.tools ?? []).map(({ name }) => name).join("+"))),
  ];

  test("without persona the generic prompt of an agent is used, with both tools and nothing of the summary", async () => {
    const { armKit } = await play(personaAgentWoPersona);
    expect(sent(armKit, "answer")[0]?.request.system).not.toMatch(/User summary|STRICT RULES/);
    expect(toolsOf(armKit, "answer")).toEqual(["wikipedia+episodic_memory"]);
    expect(noted(armKit, "persona")).toEqual([]);
  });

  test("without memory neither summary nor memory tool is there, in simulation and answers alike", async () => {
    const { armKit } = await play(personaAgentWoMemory);
    expect(sent(armKit, "simulate")[0]?.request.system).toContain("User summary: not available");
    expect(toolsOf(armKit, "simulate")).toEqual(["wikipedia"]);
    expect(toolsOf(armKit, "answer")).toEqual(["wikipedia"]);
  });

  test("without action one call under the aligned persona may reason, and its last line is the answer", async () => {
    const { armKit, answers } = await play(personaAgentWoAction, {
      script: (logged) => (logged.phase === "answer" ? "Trains and robots.\nFinal Answer: action" : obliging(logged)),
    });
    expect(answers).toEqual(["action", "action"]);
    for (const { request } of [...sent(armKit, "simulate"), ...sent(armKit, "answer")])
      expect(request.tools).toBeUndefined();
    expect(sent(armKit, "simulate")[0]?.request.system).toContain(`User summary: ${SUMMARY}`);
    expect(sent(armKit, "answer")[0]?.request.system).toMatch(
      /^You are the assistant of a person who laughs at heists/,
    );
  });

  test("wiki.mode=off leaves the memory tool alone; a run that forgot to set Wikipedia up is a bug, not a run without it", async () => {
    const { armKit } = await play(personaAgentWoPersona, { given: { "wiki.mode": "off" } });
    expect(toolsOf(armKit, "answer")).toEqual(["episodic_memory"]);
    await expect(play(personaAgentWoPersona, { tools: [] })).rejects.toThrow("no wikipedia tool");
  });
});
