import { join } from "node:path";
import { furtherModels } from "../../further-models.js";
import { requestKey } from "../../models/wrap/cached.js";
import { contentId } from "../../text/content-id.js";
import type { Cell, PhaseTotals, Row, Timing, Trace, UnitRecord } from "../../types.js";
import { readFrames, readJournal } from "../journal/journal.js";
import { recordOf } from "../journal/record-line.js";
import type { Span } from "../journal/scan.js";
import { ByState, stateOf } from "../journal/sound-files.js";
import { runFiles } from "../run-files.js";
import { CallMeter } from "../spend.js";
import type { StoredCall } from "../stores/response-store.js";

/** Is told of every row and unit, as the file has it, when it is read and when it is appended. */
export interface RecordTaker {
  /** The file is read from its beginning. */
  begin(file: string): void;
  row(row: Row, span: Span): void;
  unit(record: UnitRecord): void;
  /** The file stands in order, with the records of these numbers alone: by when they came, from 0. Default: as they came. */
  end(file: string, order?: readonly number[]): void;
}

/** What of a trace is needed at the end of a run. */
export type Asked = Pick<Trace, "cell" | "requests">;

/** The file of traces stands in this order of what was appended to it. */
export function rememberAsked(path: string, all: readonly Asked[], order: readonly number[]): void {
  asked.remember(
    path,
    stateOf(path),
    order.map((t) => all[t]!), // a number for each line
  );
}

/** The file of times, in this state, holds these. */
export function rememberTimings(path: string, state: string, all: readonly Timing[]): void {
  timed.remember(path, state, all);
}

/** How long questions and preparations took, in file order. */
export function timingsOf(folder: string): Iterable<Timing> {
  const path = join(folder, runFiles.timings);
  return timed.of(path) ?? readJournal<Timing>(path);
}

/** Content id over all requests of each cell that asked any: two runs with equal ids asked the same things. */
export const requestsByCell = (folder: string): Record<string, string> =>
  Object.fromEntries([...askedByCell(folder)].map(([cell, requests]) => [cell, contentId(requests)]));

/**
 * By cell and model, the calls that rows count once too often: equal requests of a cell, which were answered from the store but for
 * the first. Cells without any are left out, and calls whose reply is stored no more.
 */
export function repeatedCalls(
  folder: string,
  cells: readonly Cell[],
): { repeated?: Record<string, Record<string, PhaseTotals>> } {
  const askers = new Map<string, Cell[]>();
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  for (const [id, requests] of askedByCell(folder)) {
    const cell = byId.get(id);
    if (cell === undefined) continue;
    for (let i = 1; i < requests.length; i++)
      if (requests[i] === requests[i - 1]) askers.set(requests[i]!, [...(askers.get(requests[i]!) ?? []), cell]);
  }
  if (askers.size === 0) return {};
  const meters = new Map<string, Map<string, CallMeter>>();
  const met = new Set<string>();
  for (const { body } of readFrames(join(folder, runFiles.responses))) {
    const id = KEY.exec(body.toString("latin1", 0, 80))?.[1] ?? "";
    const cellsOfIt = askers.get(id);
    if (cellsOfIt === undefined || met.has(id)) continue;
    met.add(id);
    const { request, reply } = recordOf<StoredCall>(body);
    for (const cell of cellsOfIt) {
      const further = Object.values(furtherModels(cell)).find((model) => requestKey(model, request).startsWith(id));
      const model = further ?? cell.model;
      const ofCell = meters.get(cell.id) ?? new Map<string, CallMeter>();
      const meter = ofCell.get(model) ?? new CallMeter();
      meter.add(reply.usage);
      meters.set(cell.id, ofCell.set(model, meter));
    }
  }
  const totals = (ofCell: ReadonlyMap<string, CallMeter>): Record<string, PhaseTotals> =>
    Object.fromEntries([...ofCell].sort().map(([model, meter]) => [model, meter.total()]));
  if (meters.size === 0) return {};
  return { repeated: Object.fromEntries([...meters].sort().map(([cell, ofCell]) => [cell, totals(ofCell)])) };
}

/** The requests that the traces of each cell name, sorted, each as often as it was made. */
function askedByCell(folder: string): Map<string, string[]> {
  const byCell = new Map<string, string[]>();
  const path = join(folder, runFiles.traces);
  for (const { cell, requests } of asked.of(path) ?? readJournal<Trace>(path)) {
    if (requests.length === 0) continue;
    const all = byCell.get(cell) ?? [];
    all.push(...requests);
    byCell.set(cell, all);
  }
  for (const requests of byCell.values()) requests.sort();
  return byCell;
}

/** How a stored call begins: traces name it by the first digits of its key. */
const KEY = /^\{"key":"([0-9a-f]{16})/;

/** Of files that this process has written from their beginning, as long as they are not changed. */
const asked = new ByState<readonly Asked[]>();
const timed = new ByState<readonly Timing[]>();
