import { join } from "node:path";
import type { StoredCall } from "../../report/transcripts/passages.js";
import { readJournal } from "../../run/journal.js";
import { runFiles } from "../../run/rows.js";
import type { Trace } from "../../types/index.js";
import type { StoredRun } from "../common/run-folder.js";

/** A stored call and its number in the order of answers. */
export type PlacedCall = StoredCall & { readonly order: number };

/** The calls of these traces, by the id that traces name them with: the first digits of the store's key. */
export function storedCalls(folder: StoredRun, traces: readonly Trace[]): Map<string, PlacedCall> {
  const ids = new Set(traces.flatMap(({ requests }) => requests));
  const idLength = Math.max(0, ...new Set([...ids].map((id) => id.length)));
  const calls = new Map<string, PlacedCall>();
  let order = 0;
  const records = readJournal<StoredCall & { readonly key: string }>(join(folder.path, runFiles.responses));
  for (const { key, request, reply } of records) {
    const id = key.slice(0, idLength);
    if (ids.has(id) && !calls.has(id)) calls.set(id, { request, reply, order: order++ });
  }
  return calls;
}
