import { gzipSync } from "node:zlib";
import { defined, isObject } from "../text/json.js";
import type { Json, RowLine } from "../types/index.js";
import type { Entry } from "./entry.js";
import { lineOf } from "./entry.js";
import type { ReadLog } from "./log.js";

/** Name of the fact that holds the scores of all arms. */
export const SCORES = "scores";

interface PackSettings {
  /** The manifest without facts and without paths of this machine. */
  readonly plan: Json;
  /** Names and values of the facts, without paths of this machine. */
  readonly facts: Iterable<readonly [string, Json]>;
  /** False: leaves out requests, rows and texts of errors, if the data's licence forbids to publish them. */
  readonly requests: boolean;
  readonly rows: Iterable<RowLine>;
  readonly scores: Json;
  /** Takes paths of this machine out of a text. */
  portable(text: string): string;
}

/**
 * Packs the log of a finished run into one gzipped file: manifest, facts, answers and failures, sorted by key. Without requests it holds
 * no question, gold or history, but replies may quote them.
 */
export function pack(log: ReadLog, { plan, facts, requests, rows, scores, portable }: PackSettings): Buffer {
  const { state } = log;
  const lines: Buffer[] = [];
  const add = (entry: Entry): void => void lines.push(lineOf(entry));
  add({ t: "plan", plan });
  for (const [name, value] of [...facts].sort(byName)) add({ t: "fact", name, value });
  add({ t: "fact", name: SCORES, value: scores });
  for (const key of [...state.answers.keys()].sort()) {
    const found = log.get(key);
    if (found === undefined) continue; // corrupt: `verify` of the pack reports it
    const { request, ms: _, from: __, ...answer } = found;
    add({ ...withModel(answer, portable), ...defined({ request: requests ? request : undefined }) });
  }
  for (const [, failure] of [...state.failures].sort(byName))
    add({ ...failure, billed: "none", error: requests ? failure.error : NO_ERROR_TEXT });
  if (requests) for (const row of rows) add({ t: "row", row });
  if (state.end !== undefined) add({ t: "end", rows: state.end.rows, by: state.end.by }); // no corrupt line is in it
  return gzipSync(Buffer.concat(lines), { level: 9 });
}

/** Names the model that answered as a pack may: llama.cpp says the path of its file. */
function withModel<T extends { readonly value: unknown }>(answer: T, portable: PackSettings["portable"]): T {
  const { value } = answer;
  if (!isObject(value) || typeof value.model !== "string") return answer;
  return { ...answer, value: { ...value, model: portable(value.model) } };
}

/** Errors of servers often repeat the request. */
const NO_ERROR_TEXT = "failed; the error is left out of this pack";

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);
