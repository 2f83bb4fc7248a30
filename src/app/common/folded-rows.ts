import { join } from "node:path";
import { UsageError } from "../../errors.js";
import { type FoldedRow, rowsOf } from "../../report/fold/row.js";
import { FoldedRows, type RowSpan } from "../../report/fold/rows.js";
import { FoldedUnits, unitsOf } from "../../report/fold/units.js";
import { framedRecords, recordAt } from "../../run/journal/journal.js";
import { runFiles } from "../../run/run-rows.js";
import type { Cell, Metric, Row, Task, UnitRecord } from "../../types.js";

/** What of a run is known. */
interface FoldedPart {
  readonly manifest: { readonly plan: { readonly cells: readonly Pick<Cell, "id" | "task">[] } };
  readonly tasks: { get(name: string): Pick<Task, "metrics"> };
  readonly has: (cell: string) => boolean;
}

/**
 * The last row of every question of a run, as far as it is known, without holding them: each is folded into numbers as it is
 * read, and a text that is not among those is read again when somebody asks for it. Throws UsageError then where the file
 * was changed in between. `as`: what a row is taken as (default: as it stands).
 */
export function foldRows(
  folder: string,
  { manifest, tasks, has }: FoldedPart,
  as: (row: Row) => Row = (row) => row,
): FoldedRow[] {
  const path = join(folder, runFiles.rows);
  const metrics = new Map<string, readonly Metric[]>();
  for (const { id, task } of manifest.plan.cells) metrics.set(id, tasks.get(task).metrics);
  const rows = new FoldedRows({
    metricsOf: (cell) => metrics.get(cell) ?? UNSCORED,
    read: (span) => as(readAgain(path, span)),
  });
  for (const { record, offset, length } of framedRecords<Row>(path))
    if (has(record.cell)) rows.add(as(record), { offset, length });
  return rowsOf(rows);
}

/** The last record of every unit of a run, folded in the same way. */
export function foldUnits(folder: string): UnitRecord[] {
  const units = new FoldedUnits();
  for (const { record } of framedRecords<UnitRecord>(join(folder, runFiles.units))) units.add(record);
  return unitsOf(units);
}

const UNSCORED: readonly Metric[] = [];

function readAgain(path: string, span: RowSpan): Row {
  const row = recordAt<Row>(path, span);
  if (row === undefined) throw new UsageError(`${path}: it was changed while it was read; try again`);
  return row;
}
