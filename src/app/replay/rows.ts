import { join } from "node:path";
import type { ChangedRow } from "../../report/replay/replay.js";
import type { Cassette } from "../../run/cassette/cassette.js";
import { readJournal } from "../../run/journal/journal.js";
import { originKey } from "../../run/origin-key.js";
import { latestRows, runFiles } from "../../run/run-rows.js";
import type { Cell, Trace } from "../../types.js";
import { armOf } from "./recorded.js";

/** How many rows a replayed run has, and those whose requests are not the recorded ones. */
export function changedRows(
  folder: string,
  cells: ReadonlyMap<string, Pick<Cell, "task" | "method" | "repeat">>,
  recordedCells: ReadonlyMap<string, string>,
  cassette: Cassette,
): { readonly rows: number; readonly changed: readonly ChangedRow[] } {
  const rows = latestRows(folder);
  const made = new Map<string, string>();
  for (const trace of readJournal<Trace>(join(folder, runFiles.traces)))
    made.set(originKey(trace), trace.requests.join());
  const changed = rows.flatMap((row): ChangedRow[] => {
    const { unit, question } = row;
    const origin = { ...armOf(cells.get(row.cell)), unit, question };
    const cell = recordedCells.get(row.cell);
    const recorded = (origin: { unit: string; question?: string }) =>
      cell === undefined ? undefined : cassette.askedFor({ cell, ...origin })?.requests.join();
    const same = [{ unit }, { unit, question }].every(
      (origin) => (made.get(originKey({ cell: row.cell, ...origin })) ?? "") === (recorded(origin) ?? ""),
    );
    if (row.outcome.kind === "failed" && !same) return [{ ...origin, why: "failed" }];
    if (same) return [];
    return [{ ...origin, why: recorded({ unit, question }) === undefined ? "not recorded" : "other requests" }];
  });
  return { rows: rows.length, changed };
}
