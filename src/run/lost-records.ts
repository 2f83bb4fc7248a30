import type { Row, Trace, UnitRecord } from "../types.js";
import { isShared, originKey } from "./origin-key.js";

/** What has to be done again because a record of it is gone, by the keys of `placeKey`. */
export interface Lost {
  /** Everything: it cannot be told which record is gone. */
  readonly all: boolean;
  readonly origins: ReadonlySet<string>;
  /** Cells that lost the record of a value that all their units share. */
  readonly cells: ReadonlySet<string>;
}

/**
 * Finds which records of units and traces are gone, from those that are left: whoever called a model has a trace, and
 * whoever has rows has a unit. `damaged`: how many stretches of units and traces were set aside. Rows whose calls are
 * not ours are left alone: doing them again would cost.
 */
export function lostRecords(
  rows: readonly Row[],
  units: readonly UnitRecord[],
  traces: Iterable<Trace>,
  damaged: number,
): Lost {
  const traced = new Set<string>();
  const cells = new Set<string>();
  const origins = new Set<string>();
  const known = new Set(units.map(originKey));
  let gaps = 0;
  for (const { cell, unit, question } of traces) {
    traced.add(originKey({ cell, unit, question }));
    if (question !== undefined || known.has(originKey({ cell, unit }))) continue;
    gaps += 1;
    if (isShared({ unit })) cells.add(cell);
  }
  for (const record of [...rows, ...units]) {
    const key = originKey(record);
    if (traced.has(key) || ("spendUnknown" in record && record.spendUnknown === true)) continue;
    origins.add(key);
    if (Object.keys(record.spend).length === 0) continue; // one without calls may have had no trace
    gaps += 1;
    if (isShared(record)) cells.add(record.cell);
  }
  for (const unit of new Set(rows.map(({ cell, unit }) => originKey({ cell, unit })))) if (!known.has(unit)) gaps += 1;
  return { all: gaps < damaged, origins, cells };
}
