import { join } from "node:path";
import { requestKey } from "../models/wrap/cached.js";
import { furtherModels } from "../registry/further-models.js";
import { contentId } from "../text/content-id.js";
import type { Cell, PhaseTotals, Trace } from "../types/index.js";
import { readJournal } from "./journal.js";
import { recordOf, scanLines } from "./record-lines.js";
import type { StoredCall } from "./replies.js";
import { runFiles } from "./run-files.js";
import { CallMeter } from "./spend.js";

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
  for (const found of scanLines(join(folder, runFiles.responses))) {
    const id = found.kind === "record" ? (KEY.exec(found.body.toString("latin1", 0, 80))?.[1] ?? "") : "";
    const cellsOfIt = askers.get(id);
    if (found.kind !== "record" || cellsOfIt === undefined || met.has(id)) continue;
    met.add(id);
    const { request, reply } = recordOf<StoredCall>(found.body);
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
  for (const { cell, requests } of readJournal<Trace>(join(folder, runFiles.traces))) {
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
