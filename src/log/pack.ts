import { gzipSync } from "node:zlib";
import type { Json, RowLine } from "../types/index.js";
import type { Entry } from "./entry.js";
import { lineOf } from "./entry.js";
import type { ReadLog } from "./log.js";

/** The fact that holds the scores of the arms. */
export const SCORES = "scores";

interface PackSettings {
  /** As it stands in the pack: without paths of this machine. */
  readonly plan: Json;
  /** The same of what was learned besides answers. */
  readonly facts: Iterable<readonly [string, Json]>;
  /** False: without requests and rows, whose texts the data's licence may not let out. */
  readonly requests: boolean;
  readonly rows: Iterable<RowLine>;
  readonly scores: Json;
}

/**
 * The log of a finished run in one gzipped file: plan, facts, answers and failures, sorted by key. Without requests no question, gold
 * or history stands in it, but replies may quote them.
 */
export function pack(log: ReadLog, { plan, facts, requests, rows, scores }: PackSettings): Buffer {
  const { state } = log;
  const lines: Buffer[] = [];
  const add = (entry: Entry): void => void lines.push(lineOf(entry));
  add({ t: "plan", plan });
  for (const [name, value] of [...facts].sort(byName)) add({ t: "fact", name, value });
  add({ t: "fact", name: SCORES, value: scores });
  for (const key of [...state.answers.keys()].sort()) {
    const found = log.get(key);
    if (found === undefined) continue; // corrupt: whoever verifies the pack is told
    const { request, ms: _, from: __, ...answer } = found;
    add({ ...answer, ...(request === undefined || !requests ? {} : { request }) });
  }
  for (const [, failure] of [...state.failed].sort(byName))
    add({ ...failure, billed: "none", ...(requests ? {} : { error: UNSAID }) });
  if (requests) for (const row of rows) add({ t: "row", row });
  if (state.end !== undefined) add(state.end);
  return gzipSync(Buffer.concat(lines), { level: 9 });
}

/** Servers repeat in their errors what they were asked. */
const UNSAID = "failed; the error is left out of this pack";

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
