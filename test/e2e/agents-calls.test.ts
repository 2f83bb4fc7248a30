import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtIn } from "../../src/run/catalogue.js";
import { loadTask } from "../../src/run/data.js";
import { readManifest } from "../../src/run/manifest.js";
import { rowsOf, tracesOf, unitsOf } from "../../src/run/rows.js";
import { lamp2m } from "../../src/tasks/lamp2m.js";
import type { Phase, Spend } from "../../src/types/index.js";
import { planned } from "../helpers/plan.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

/** Calls of one arm by phase, and the turns of its agent runs as its traces tell them. */
interface Counted {
  readonly calls: Record<Phase, number>;
  /** Turns of each agent run on a question, and of each simulated one. */
  readonly answerTurns: readonly number[];
  readonly simulationTurns: readonly number[];
}

const [users, questionsPerUser] = [4, 2];
const U = users;
const Q = users * questionsPerUser;
/** PersonaAgent: batch and iterations; more of both in the second run. */
const [n, E] = [3, 1];
const wide = { n: 4, E: 2 };
const size = `--users ${users} --queries-per-user ${questionsPerUser}`;
const agents = "persona-agent,persona-agent-wo-alignment,persona-agent-wo-persona,persona-agent-wo-memory";
const methods = `prompt,icl,rag,pag,react,membank,sage,assistant,${agents},persona-agent-wo-action`;

const cwd = suiteDir();
/** Buckets that membank and sage make of each user's history: one a date, 24 at most. */
let buckets: readonly number[];
let events: number;

beforeAll(async () => {
  await run(`--method ${methods} --out table`);
  await run(
    "--method membank,sage,assistant --set membank.mode=direct --set sage.mode=direct --set assistant.extract=llm --out direct",
  );
  const more = `--set align.batchSize=${wide.n} --set align.iterations=${wide.E}`;
  await run(`--method ${agents},persona-agent-wo-action ${more} --out wide`);
  const plan = planned({ task: "lamp2m", method: "membank", users, queriesPerUser: questionsPerUser });
  const { units } = await loadTask(lamp2m, plan, builtIn, cwd);
  events = sum(Array.from(units, ({ user }) => user.history.length));
  buckets = Array.from(units, ({ user }) => Math.min(24, new Set(user.history.map(({ date }) => date)).size));
});

describe("calls of a run on the demo data (METHODS 0.4)", () => {
  test.each(["prompt", "icl", "rag"])("%s: Q", (method) => {
    expect(counted("table", method).calls).toEqual({ answer: Q });
  });

  test("pag: U + Q", () => expect(counted("table", "pag").calls).toEqual({ summary: U, answer: Q }));

  test("react: A·Q", () => {
    const { calls, answerTurns } = counted("table", "react");
    expect(answerTurns).toHaveLength(Q);
    expect(Math.min(...answerTurns)).toBeGreaterThanOrEqual(2); // thinks, looks up, answers
    expect(calls).toEqual({ answer: sum(answerTurns) });
  });

  test("membank, agent: Σ(2·D_u + 2) + A·Q; direct: Σ(2·D_u + 2) + Q", () => {
    const summary = sum(buckets.map((count) => 2 * count + 2));
    expect(buckets).toHaveLength(U);
    expect(Math.min(...buckets)).toBeGreaterThan(5);
    const { calls, answerTurns } = counted("table", "membank");
    expect(answerTurns).toHaveLength(Q);
    expect(calls).toEqual({ summary, answer: sum(answerTurns) });
    expect(counted("direct", "membank")).toEqual({
      calls: { summary, answer: Q },
      answerTurns: [],
      simulationTurns: [],
    });
  });

  test("sage, agent: Σ(D_u + R(D_u)) + A·Q + tool calls; direct: + 2·Q", () => {
    // R(D): one call a group of 20 days but for a group of one, then the profile
    const merges = (days: number) => (days <= 20 ? 1 : days === 21 ? 2 : 3);
    const summary = sum(buckets.map((days) => days + merges(days)));
    const { calls, answerTurns } = counted("table", "sage");
    expect(answerTurns).toHaveLength(Q);
    expect(calls).toEqual({ summary, tool: Q, answer: sum(answerTurns) }); // this model asks the tool once
    expect(sum(answerTurns)).toBe(2 * Q);
    expect(counted("direct", "sage").calls).toEqual({ summary, tool: Q, answer: Q });
  });

  test("assistant: Q; assistant.extract=llm: + one per past event", () => {
    expect(counted("table", "assistant").calls).toEqual({ answer: Q });
    expect(counted("direct", "assistant").calls).toEqual({ update: events, answer: Q });
  });

  test.each([
    ["table", n, E],
    ["wide", wide.n, wide.E],
  ])("persona-agent (%s, n=%i, E=%i): Σ_u [1 + E·(n·A + n + 1)] + A·Q", (folder, n, E) => {
    const { calls, answerTurns, simulationTurns } = counted(folder, "persona-agent");
    expect(simulationTurns).toHaveLength(U * E * n);
    expect(answerTurns).toHaveLength(Q);
    const [AQ, simulated] = [sum(answerTurns), sum(simulationTurns)]; // A·Q, and A·n·E·U
    expect(calls).toEqual({
      summary: U,
      simulate: simulated,
      gradient: U * E * n,
      update: U * E,
      answer: AQ,
    });
  });

  test("persona-agent with two tools and then an answer is A = 3: 14 calls per user before the first question", () => {
    const { answerTurns, simulationTurns } = counted("table", "persona-agent");
    expect(new Set([...answerTurns, ...simulationTurns])).toEqual(new Set([3]));
    for (const { spend } of prepared("table", "persona-agent")) expect(total(callsIn(spend))).toBe(14);
  });

  test("w/o alignment: U + A·Q", () => {
    const { calls, answerTurns, simulationTurns } = counted("table", "persona-agent-wo-alignment");
    expect(simulationTurns).toEqual([]);
    expect(calls).toEqual({ summary: U, answer: sum(answerTurns) });
  });

  test("w/o persona: A·Q", () => {
    const { calls, answerTurns } = counted("table", "persona-agent-wo-persona");
    expect(calls).toEqual({ answer: sum(answerTurns) });
  });

  test.each([
    ["table", n, E],
    ["wide", wide.n, wide.E],
  ])("w/o memory (%s, n=%i, E=%i): U·E·(n·A + n + 1) + A·Q", (folder, n, E) => {
    const { calls, answerTurns, simulationTurns } = counted(folder, "persona-agent-wo-memory");
    const [AQ, simulated] = [sum(answerTurns), sum(simulationTurns)]; // A·Q, and A·n·E·U
    expect(calls).toEqual({ simulate: simulated, gradient: U * E * n, update: U * E, answer: AQ });
  });

  test.each([
    ["table", n, E],
    ["wide", wide.n, wide.E],
  ])("w/o action (%s, n=%i, E=%i): U·[1 + E·(2n + 1)] + Q", (folder, n, E) => {
    const { calls, answerTurns, simulationTurns } = counted(folder, "persona-agent-wo-action");
    expect([...answerTurns, ...simulationTurns]).toEqual([]);
    expect(calls).toEqual({ summary: U, simulate: U * E * n, gradient: U * E * n, update: U * E, answer: Q });
  });
});

async function run(line: string): Promise<void> {
  const { code, stderr } = await runCommandLine(`run --task lamp2m ${size} ${line}`, { cwd });
  if (code !== 0) throw new Error(stderr);
}

function cellOf(folder: string, method: string): string {
  const cell = readManifest(join(cwd, folder))?.plan.cells.find((cell) => cell.method === method);
  if (cell === undefined) throw new Error(`${folder} has no arm of ${method}`);
  return cell.id;
}

const prepared = (folder: string, method: string) =>
  unitsOf(join(cwd, folder)).filter(({ cell }) => cell === cellOf(folder, method));

interface AgentNote {
  readonly phase: Phase;
  readonly steps: readonly object[];
}

function counted(folder: string, method: string): Counted {
  const cell = cellOf(folder, method);
  const rows = rowsOf(join(cwd, folder)).filter((row) => row.cell === cell);
  expect(rows).toHaveLength(Q);
  const calls: Record<Phase, number> = {};
  for (const { spend } of [...rows, ...prepared(folder, method)])
    for (const [phase, count] of Object.entries(callsIn(spend))) calls[phase] = (calls[phase] ?? 0) + count;
  const runs = [...tracesOf(join(cwd, folder))]
    .filter((trace) => trace.cell === cell)
    .flatMap(({ notes }) =>
      notes.flatMap(({ kind, data }) => (kind === "agent" ? [data as unknown as AgentNote] : [])),
    );
  const turnsOf = (phase: Phase): number[] =>
    runs.filter((run) => run.phase === phase).map(({ steps }) => steps.length);
  return { calls, answerTurns: turnsOf("answer"), simulationTurns: turnsOf("simulate") };
}

const callsIn = (spend: Spend): Record<Phase, number> =>
  Object.fromEntries(Object.entries(spend).map(([phase, { calls }]) => [phase, calls]));
const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const total = (calls: Record<Phase, number>): number => sum(Object.values(calls));
