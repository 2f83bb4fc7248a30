import { join } from "node:path";
import type { Entry } from "../../src/log/entry.js";
import type { Manifest } from "../../src/record/manifest.js";
import { contentId } from "../../src/text/content-id.js";
import type { Outcome, Row, Trace } from "../../src/types/index.js";
import { madeUpPlan } from "./plan.js";
import { plantRun } from "./planted-log.js";

export interface GatedFolder {
  readonly method?: string;
  readonly task?: string;
  /** Replies to the questions, in order, one text a repeat. `!` is a failed question. The gold is 3. */
  readonly replies: readonly string[];
  /** What a sign of `replies` and the gold stand for. Absent: for themselves. */
  readonly said?: Readonly<Record<string, string>>;
  /** Settings of arms, one for each of the replies, which are then no repeats. */
  readonly arms?: readonly Readonly<Record<string, number>>[];
  /** Questions per user. Default 1. */
  readonly perUser?: number;
  readonly sha256?: string;
  readonly simulated?: boolean;
  readonly model?: string;
  readonly replay?: { readonly pack: string; readonly stale: number };
  readonly finished?: boolean;
}

/** A run folder as a finished run of ratings leaves it. */
export function plantGated(cwd: string, name: string, planted: GatedFolder): void {
  const { method = "rag", task = "lamp3", replies, perUser = 1, sha256 = "aaaaaaaa", simulated = false } = planted;
  const wordOf = (sign: string): string => planted.said?.[sign] ?? sign;
  const model = planted.model ?? "openai/planted";
  const arms = replies.map((_, repeat) => ({
    id: `${task}-${method}-${repeat}`,
    task,
    dataset: "planted",
    method,
    model,
    options: planted.arms?.[repeat] ?? {},
    seed: 0,
    repeat: planted.arms === undefined ? repeat : 0,
  }));
  const files = [{ name: "/data/users.json", bytes: 1, sha256 }];
  const manifest: Manifest = {
    format: 4,
    plan: madeUpPlan,
    identity: {
      arms,
      data: [{ task, name: "planted", files, facts: {}, units: "u", wording: "w" }],
      notApplied: [],
    },
    simulated,
    tasks: [],
    argv: [],
    startedAt: "2026-01-01T00:00:00.000Z",
    node: "v20",
    ...(planted.finished === false ? {} : { finishedAt: "2026-01-01T00:00:01.000Z" }),
    ...(planted.replay === undefined ? {} : { replayed: planted.replay.pack, missed: planted.replay.stale }),
  };
  const [rows, traces, entries]: [Row[], Trace[], Entry[]] = [[], [], []];
  for (const [repeat, texts] of replies.entries())
    for (const [q, sign] of [...texts].entries()) {
      const reply = wordOf(sign);
      const user = `u${Math.floor(q / perUser)}`;
      const outcome: Outcome = reply === "!" ? { kind: "failed", error: "no answer" } : { kind: "answered", reply };
      const spend = { answer: { calls: 1, in: 1000, out: 10 } };
      const origin = { arm: arms[repeat]!.id, unit: user, question: `q${q}` };
      if (outcome.kind !== "failed") {
        const key = contentId([model, task, q, repeat]);
        const request = { messages: [], maxTokens: 64, sample: 0 };
        const value = { text: reply, toolCalls: [], stop: "end", usage: { in: 1000, out: 10 }, model };
        entries.push({ t: "answer", key, kind: "reply", value, request });
        traces.push({ ...origin, requests: [key.slice(0, 16)], notes: [] });
      }
      rows.push({ ...origin, user, gold: wordOf("3"), outcome, spend, incidents: {} });
    }
  plantRun(join(cwd, name), { manifest, rows, traces, entries });
}
