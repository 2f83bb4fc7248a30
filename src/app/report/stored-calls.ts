import { join } from "node:path";
import { readLog } from "../../log/log.js";
import type { StoredCall } from "../../report/passages.js";
import { CALL_ID_LENGTH } from "../../run/kit.js";
import { runFiles } from "../../run/run-files.js";
import type { StoredRun } from "../../run/stored-run.js";
import type { ModelReply, Trace } from "../../types/index.js";

/** A stored call and its number in the order of answers. */
export type PlacedCall = StoredCall & { readonly order: number };

/** The calls of these traces, by the id that traces name them with. */
export function storedCalls(folder: StoredRun, traces: readonly Trace[]): Map<string, PlacedCall> {
  const ids = new Set(traces.flatMap(({ requests }) => requests));
  const calls = new Map<string, PlacedCall>();
  const log = readLog(join(folder.path, runFiles.log));
  let order = 0;
  for (const key of log.state.got.keys()) {
    const id = key.slice(0, CALL_ID_LENGTH);
    const { request, value } = ids.has(id) ? (log.get(key) ?? {}) : {};
    if (request !== undefined) calls.set(id, { request, reply: value as unknown as ModelReply, order: order++ }); // a reply, since it has a request
  }
  log.close();
  return calls;
}
