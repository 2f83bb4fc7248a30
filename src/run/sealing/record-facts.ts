import { join } from "node:path";
import { contentId } from "../../text/content-id.js";
import type { Row, Timing, Trace, UnitRecord } from "../../types.js";
import { readJournal } from "../journal/journal.js";
import type { Span } from "../journal/scan.js";
import { ByState, stateOf } from "../journal/sound-files.js";
import { runFiles } from "../run-files.js";

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
export function requestsByCell(folder: string): Record<string, string> {
  const byCell = new Map<string, string[]>();
  const path = join(folder, runFiles.traces);
  for (const { cell, requests } of asked.of(path) ?? readJournal<Trace>(path)) {
    if (requests.length === 0) continue;
    const all = byCell.get(cell) ?? [];
    all.push(...requests);
    byCell.set(cell, all);
  }
  return Object.fromEntries([...byCell].map(([cell, requests]) => [cell, contentId(requests.sort())]));
}

/** Of files that this process has written from their beginning, as long as they are not changed. */
const asked = new ByState<readonly Asked[]>();
const timed = new ByState<readonly Timing[]>();
