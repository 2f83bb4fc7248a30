import type { Entry } from "../../src/log/entry.js";
import type { Manifest } from "../../src/record/manifest.js";
import { sha256 } from "../../src/text/content-id.js";
import type { OptionValue, Outcome, Row, Trace } from "../../src/types/index.js";
import { madeUpPlan } from "./plan.js";
import { plantRun } from "./planted-log.js";

export interface WrittenArm {
  readonly task: string;
  readonly method: string;
  /** Default: a made-up real model. */
  readonly model?: string;
  readonly options?: Readonly<Record<string, OptionValue>>;
  /** Gold answers, one a question. */
  readonly golds: readonly string[];
  /** What came of each question; a text is an answer. */
  readonly replies: readonly (string | Outcome)[];
  /** Default: 1, so that there are as many users as questions. */
  readonly questionsPerUser?: number;
  readonly incidents?: Readonly<Record<string, number>>;
  /** Default: 0, the first. */
  readonly repeat?: number;
  /** Default: 0. */
  readonly seed?: number;
  /** Milliseconds of every question. */
  readonly ms?: number;
  /** Initial and last persona of users, in order. */
  readonly personas?: readonly (readonly [string, string])[];
}

export interface WrittenRun {
  readonly arms: readonly WrittenArm[];
  readonly simulated?: boolean;
  /** Default: true. */
  readonly finished?: boolean;
  /** Decides the hash of the data files. */
  readonly data?: string;
  /** Decides the hash of questions and histories; default: `data`. */
  readonly units?: string;
  /** What ids of arms begin with; default: `arm`. */
  readonly ids?: string;
  /** Default: each task, of which nothing is to be said. */
  readonly tasks?: Manifest["tasks"];
}

/** Writes a run folder as a real model could have left it, without running anything. Returns the folder. */
export function writeRun(
  folder: string,
  { arms, simulated = false, finished = true, data = "d", units = data, ids = "arm", tasks }: WrittenRun,
): string {
  const names = [...new Set(arms.map(({ task }) => task))];
  const specs = arms.map(({ task, method, model = "openai/gpt-test", options = {}, repeat = 0, seed = 0 }, a) => ({
    id: `${ids}-${a}`,
    task,
    dataset: "mine",
    method,
    model,
    options: { ...options },
    seed,
    repeat,
  }));
  const hash = sha256(data);
  const manifest: Manifest = {
    format: 4,
    plan: madeUpPlan,
    identity: {
      arms: specs,
      data: names.map((task) => ({
        task,
        name: "mine",
        files: [{ name: "users.json", bytes: 1, sha256: hash }],
        facts: {},
        units: sha256(units),
        wording: "w",
      })),
      notApplied: [],
    },
    simulated,
    tasks: tasks ?? names.map((task) => ({ task, title: task, dataset: "mine", remarks: [] })),
    argv: ["run"],
    startedAt: "2026-11-01T00:00:00.000Z",
    node: "v20.19.0",
    ...(finished ? { finishedAt: "2026-11-01T00:01:00.000Z" } : {}),
  };
  const made = arms.map((arm, a) => recordsOf(`${ids}-${a}`, arm, simulated));
  plantRun(folder, {
    manifest,
    rows: made.flatMap(({ rows }) => rows),
    traces: made.flatMap(({ traces }) => traces),
    entries: made.flatMap(({ entries }) => entries),
  });
  return folder;
}

function recordsOf(armId: string, arm: WrittenArm, simulated: boolean) {
  const [rows, traces, entries]: [Row[], Trace[], Entry[]] = [[], [], []];
  for (const [q, gold] of arm.golds.entries()) {
    const user = `u${Math.floor(q / (arm.questionsPerUser ?? 1))}`;
    const reply = arm.replies[q]!; // as many as golds
    const outcome: Outcome = typeof reply === "string" ? { kind: "answered", reply, lenient: reply } : reply;
    const question = `q${q}`;
    rows.push({
      arm: armId,
      user,
      unit: user,
      question,
      gold,
      outcome,
      spend: {},
      incidents: arm.incidents ?? {},
      ...(simulated ? { simulated } : {}),
    });
    if (arm.ms === undefined) continue;
    const key = sha256(`${armId} ${question}`);
    const request = { messages: [], maxTokens: 1, sample: 0 };
    const value = { text: "", toolCalls: [], stop: "end", usage: { in: 1, out: 1 }, model: "" };
    entries.push({ t: "answer", key, kind: "reply", value, request, ms: arm.ms });
    traces.push({ arm: armId, unit: user, question, requests: [key.slice(0, 16)], notes: [] });
  }
  for (const [u, personas] of (arm.personas ?? []).entries())
    traces.push({
      arm: armId,
      unit: `u${u}`,
      requests: [],
      notes: personas.map((persona, version) => ({
        kind: "persona",
        data: { version, outcome: version === 0 ? "initial" : "updated", gradients: [], persona },
      })),
    });
  return { rows, traces, entries };
}
