import { UsageError } from "../../errors.js";
import { furtherModels } from "../../further-models.js";
import { pricesAt } from "../../models/prices.js";
import { requestKey } from "../../models/wrap/cached.js";
import type { BaselineArm } from "../../report/gate/baseline.js";
import type { Cell } from "../../types.js";
import type { RunFolder } from "../common/run-folder.js";
import { storedCalls } from "../report/stored-calls.js";

/**
 * What the run paid for these arms at list prices, in US dollars: each stored call once, however many arms it serves.
 * Throws UsageError with the reason where that is not known: an unknown cost is not 0.
 */
export function costOf(run: string, folder: RunFolder, arms: readonly BaselineArm[]): number {
  const { manifest, rows, traces } = folder;
  if (manifest.plan.imported !== undefined) throw unknownCost(`${run} holds imported predictions`);
  if (manifest.simulated) throw unknownCost(`${run} is SIMULATED (embedded model), which has no price`);
  const cells = new Map(
    manifest.plan.cells.filter((cell) => arms.some((arm) => isOf(cell, arm))).map((c) => [c.id, c]),
  );
  const outside = rows.find(({ cell, spendUnknown }) => spendUnknown === true && cells.has(cell));
  if (outside !== undefined)
    throw unknownCost(`${cells.get(outside.cell)?.method} is a program that calls out by itself`);
  const ofCells = traces.filter(({ cell }) => cells.has(cell));
  const asked = new Map(ofCells.flatMap(({ cell, requests }) => requests.map((id) => [id, cells.get(cell)!]))); // of these cells
  const calls = storedCalls(folder, ofCells);
  if (calls.size === 0 && rows.some(({ cell, spend }) => cells.has(cell) && Object.keys(spend).length > 0))
    throw unknownCost(`${run} has lost its stored replies`);
  const prices = pricesAt(Date.parse(manifest.startedAt), manifest.prices, manifest.plan.endpoints);
  let usd = 0;
  for (const [id, { request, reply }] of calls) {
    const cell = asked.get(id)!; // calls are those of these traces
    const further = Object.values(furtherModels(cell)).find((model) => requestKey(model, request).startsWith(id));
    const model = further ?? cell.model;
    const price = prices.ofCall(model, reply.usage);
    if (price === undefined) throw unknownCost(`no list price is known for ${model}`);
    usd += price;
  }
  return usd;
}

/** All repeats of the arm. */
const isOf = (cell: Cell, { task, dataset, method, model, options, seed }: BaselineArm): boolean =>
  cell.task === task &&
  cell.dataset === dataset &&
  cell.method === method &&
  cell.model === model &&
  cell.seed === seed &&
  JSON.stringify(cell.options) === JSON.stringify(options);

const unknownCost = (reason: string): UsageError =>
  new UsageError(`--max-usd: the cost is unknown: ${reason}; leave the flag out`);
