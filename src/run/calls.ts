import { join } from "node:path";
import { requestKey } from "../log/entry.js";
import { type ReadLog, readLog } from "../log/log.js";
import { CallMeter } from "../models/tokens.js";
import { furtherModels } from "../registry/further-models.js";
import type { Cell, ModelReply, ModelRequest, PhaseTotals, Timing } from "../types/index.js";
import { CALL_ID_LENGTH } from "./kit.js";
import { runFiles, tracesOf } from "./rows.js";

/** A request and its reply. */
export interface StoredCall {
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/** The calls of a run, by the id that traces name them with; read from its log when they are asked for. */
export interface RunCalls {
  /** Undefined where there is no such reply, or its request was left out of a pack. */
  get(id: string): StoredCall | undefined;
  /** Milliseconds that this run waited for it; undefined where it was copied, or came by a batch. */
  ms(id: string): number | undefined;
  /** In the order of answers. */
  ids(): Iterable<string>;
  close(): void;
}

/** Opens the calls of a run folder. Throws FileError. */
export const callsOf = (folder: string): RunCalls => callsIn(readLog(join(folder, runFiles.log)));

function callsIn(log: ReadLog): RunCalls {
  const keys = new Map([...log.state.got.keys()].map((key) => [key.slice(0, CALL_ID_LENGTH), key]));
  const entry = (id: string) => log.get(keys.get(id) ?? "");
  return {
    get(id) {
      const { request, value } = entry(id) ?? {};
      return request === undefined ? undefined : { request, reply: value as unknown as ModelReply }; // a reply, since it has a request
    },
    ms: (id) => log.state.got.get(keys.get(id) ?? "")?.ms,
    ids: () => keys.keys(),
    close: () => log.close(),
  };
}

/** How long the calls of each question and preparation took; those that this run did not make itself are left out. */
export function* timingsOf(folder: string): Generator<Timing> {
  const calls = callsOf(folder);
  try {
    for (const { cell, unit, question, requests } of tracesOf(folder)) {
      const took = [...new Set(requests)].map((id) => calls.ms(id));
      if (took.length === 0 || took.includes(undefined)) continue;
      yield { cell, unit, question, ms: took.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) };
    }
  } finally {
    calls.close();
  }
}

/**
 * Returns by cell and model the calls that rows count once too often: equal requests of a cell, which were sent once. Cells without any
 * are left out.
 */
export function repeatedCalls(
  { path, log }: { readonly path: string; readonly log: ReadLog },
  cells: readonly Cell[],
): { repeated?: Record<string, Record<string, PhaseTotals>> } {
  const repeats = new Map(cells.map(({ id }) => [id, { seen: new Set<string>(), again: [] as string[] }]));
  for (const { cell, requests } of tracesOf(path))
    for (const id of requests) {
      const { seen, again } = repeats.get(cell)!; // the run's own
      if (seen.has(id)) again.push(id);
      seen.add(id);
    }
  const repeating = cells.filter(({ id }) => repeats.get(id)!.again.length > 0);
  if (repeating.length === 0) return {};
  const calls = callsIn(log);
  const totals = repeating.map((cell) => [cell.id, totalsOf(cell, repeats.get(cell.id)!.again.sort(), calls)] as const);
  return { repeated: Object.fromEntries(totals.sort(([a], [b]) => (a < b ? -1 : 1))) };
}

function totalsOf(cell: Cell, again: readonly string[], calls: RunCalls): Record<string, PhaseTotals> {
  const meters = new Map<string, CallMeter>();
  for (const id of again) {
    const call = calls.get(id);
    if (call === undefined) continue;
    const further = Object.values(furtherModels(cell)).find((model) => requestKey(model, call.request).startsWith(id));
    const model = further ?? cell.model;
    const meter = meters.get(model) ?? new CallMeter();
    meters.set(model, meter);
    meter.add(call.reply.usage);
  }
  return Object.fromEntries(
    [...meters].sort(([a], [b]) => (a < b ? -1 : 1)).map(([model, one]) => [model, one.total()]),
  );
}
