import type { Cell, Timing } from "../types.js";

/** What the record of times says of some cells. */
export interface Times {
  /** Whether the run kept any time at all: predictions that were imported have none. */
  readonly any: boolean;
  /** Questions with a time. */
  readonly records: number;
  /** How long questions took none of whose calls came from the store. */
  readonly seconds: readonly number[];
}

export function timesByCell(timings: Iterable<Timing>): Map<string, { records: number; seconds: number[] }> {
  const times = new Map<string, { records: number; seconds: number[] }>();
  for (const { cell, question, ms, fromStore } of timings) {
    if (question === undefined) continue;
    const ofCell = times.get(cell) ?? { records: 0, seconds: [] };
    times.set(cell, ofCell);
    ofCell.records += 1;
    if (!fromStore) ofCell.seconds.push(ms / 1000);
  }
  return times;
}

export function timesOf(cells: readonly Cell[], times: ReturnType<typeof timesByCell>, timed = false): Times {
  const ofCells = cells.flatMap(({ id }) => times.get(id) ?? []);
  return {
    any: timed || times.size > 0,
    records: ofCells.reduce((sum, { records }) => sum + records, 0),
    seconds: ofCells.flatMap(({ seconds }) => seconds),
  };
}
