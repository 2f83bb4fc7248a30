import { join } from "node:path";
import { FileError } from "../disk/file-error.js";
import { makePrivateFolder, writeWhole } from "../disk/whole-file.js";
import type { Row, Timing, Trace, UnitRecord } from "../types/index.js";
import { learningFailed, type Rows } from "./engine-settings.js";
import {
  closeAll,
  closeDamage,
  framedRecords,
  Journal,
  openDamage,
  readJournal,
  recordAt,
  type SetAside,
} from "./journal.js";
import { lineOf, SAFE, type Span } from "./record-lines.js";
import { runFiles } from "./run-files.js";

export { repeatedCalls, requestsByCell } from "./requests-by-cell.js";
export { recordFiles, runFiles } from "./run-files.js";

/**
 * Rows of a run on disk: appended while it runs, and put in order (one record a question, sorted) by `finish`, so that
 * an interrupted and resumed run leaves the same bytes as an uninterrupted one. Timings stay in order of arrival.
 */
export class RunRows implements Rows {
  readonly #folder: string;
  readonly #done = new Set<string>();
  readonly #doneByCell = new Map<string, number>();
  #prepared = new Set<string>();
  readonly #rows: Journal<Row>;
  readonly #units: Journal<UnitRecord>;
  readonly #timings: Journal<Timing>;
  readonly #traces: Journal<Trace>;
  readonly #journals: Journal[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    const journalOf = <T>(name: string, visit?: (record: T) => void): Journal<T> => {
      const journal = new Journal<T>(join(folder, name), {
        recordsPerSync: RECORDS_PER_SYNC,
        ...(visit === undefined ? {} : { visit: ({ record }) => visit(record) }),
      });
      this.#journals.push(journal as Journal);
      return journal;
    };
    makePrivateFolder(folder);
    try {
      this.#rows = journalOf<Row>(runFiles.rows, (row) => this.#settle(row, isFinal(row)));
      this.#units = journalOf<UnitRecord>(runFiles.units, ({ cell, unit }) => this.#prepared.add(unitKey(cell, unit)));
      this.#timings = journalOf<Timing>(runFiles.timings);
      this.#traces = journalOf<Trace>(runFiles.traces);
      this.#forgetLost();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** What was damaged and is set aside: it is done again from the stored replies. */
  get damage(): readonly SetAside[] {
    return this.#journals.flatMap(({ damage }) => damage);
  }

  isDone(cell: string, question: string): boolean {
    return this.#done.has(rowKey({ cell, question }));
  }

  isPrepared(cell: string, unit: string): boolean {
    return this.#prepared.has(unitKey(cell, unit));
  }

  /** Questions of a cell that need no further work. */
  doneCount(cell: string): number {
    return this.#doneByCell.get(cell) ?? 0;
  }

  row(row: Row): void {
    this.#rows.append(row);
    if (isFinal(row)) this.#settle(row, true);
  }

  unit(record: UnitRecord): void {
    this.#units.append(record);
    this.#prepared.add(unitKey(record.cell, record.unit));
  }

  timing(timing: Timing): void {
    this.#timings.append(timing);
  }

  trace(trace: Trace): void {
    if (trace.requests.length > 0 || trace.notes.length > 0) this.#traces.append(trace);
  }

  /** Closes every file, whatever becomes of the others; the first failure is thrown. */
  close(): void {
    closeAll(this.#journals.splice(0));
  }

  /**
   * Closes, then puts rows, units and traces in order: the last record of each key, sorted by cell, unit and question.
   * `areInOrder`: seals say that they are, and nothing was written since.
   */
  finish(areInOrder = false): void {
    this.close();
    this.#prepared = new Set<string>(); // whoever still holds this would hold them too
    if (!areInOrder)
      for (const name of [runFiles.rows, runFiles.units, runFiles.traces]) sortFile(join(this.#folder, name));
    closeDamage(this.#folder);
  }

  /**
   * Where records of units or traces are gone, what has no trace is done again from the stored replies, and so are cells that lost a
   * record of what all their units share. Rows whose calls are not ours are left alone: doing them again would cost.
   */
  #forgetLost(): void {
    const isDamaged = openDamage(this.#folder).some(({ file }) => file === runFiles.units || file === runFiles.traces);
    if (!isDamaged && !this.#units.wasCut && !this.#traces.wasCut) return;
    const units = latestUnits(this.#folder);
    const known = new Set(units.map(originKey));
    const traced = new Set<string>();
    for (const trace of readJournal<Trace>(join(this.#folder, runFiles.traces))) traced.add(originKey(trace));
    const shared = [...known, ...traced].filter((key) => isShared({ unit: key.split("\t")[1] ?? "" }));
    const cells = new Set(
      shared.filter((key) => !known.has(key) || !traced.has(key)).map((key) => key.slice(0, key.indexOf("\t"))),
    );
    const isLost = (record: Row | UnitRecord): boolean => cells.has(record.cell) || !traced.has(originKey(record));
    for (const row of readRows(this.#folder)) if (row.spendUnknown !== true && isLost(row)) this.#settle(row, false);
    for (const record of units) if (isLost(record)) this.#prepared.delete(unitKey(record.cell, record.unit));
  }

  #settle(row: Row, done: boolean): void {
    const key = rowKey(row);
    if (this.#done.has(key) === done) return;
    if (done) this.#done.add(key);
    else this.#done.delete(key);
    this.#doneByCell.set(row.cell, this.doneCount(row.cell) + (done ? 1 : -1));
  }
}

/** The rows of a run folder, in file order; a question tried twice stands twice, the last one counts. */
function readRows(folder: string): Generator<Row> {
  return readJournal<Row>(join(folder, runFiles.rows));
}

/** The last row of every question that is wanted (default: of all). */
export function latestRows(folder: string, isWanted: (row: Row) => boolean = () => true): Row[] {
  const latest = new Map<string, Row>();
  for (const row of readRows(folder)) if (isWanted(row)) latest.set(rowKey(row), row);
  return [...latest.values()];
}

/** The last row of every question, one at a time, in the order in which the questions came first. */
export function* eachLatestRow(folder: string): Generator<Row> {
  const path = join(folder, runFiles.rows);
  const last = new Map<string, Span>();
  let count = 0;
  for (const { record, offset, length } of framedRecords<Row>(path)) {
    last.set(rowKey(record), { offset, length });
    count += 1;
  }
  if (last.size === count) yield* readRows(folder);
  else for (const span of last.values()) yield recordAt<Row>(path, span)!; // it was read just now
}

/** The last record of every unit and shared value. */
export function latestUnits(folder: string): UnitRecord[] {
  const latest = new Map<string, UnitRecord>();
  for (const record of readJournal<UnitRecord>(join(folder, runFiles.units)))
    latest.set(unitKey(record.cell, record.unit), record);
  return [...latest.values()];
}

/** How long questions and preparations took, in file order. */
export const timingsOf = (folder: string): Iterable<Timing> => readJournal<Timing>(join(folder, runFiles.timings));

/** What a power cut costs is made again from the stored replies, which are forced to the disk far more often. */
const RECORDS_PER_SYNC = 1024;

/** A row that a later run leaves alone. */
const isFinal = ({ outcome, incidents }: Row): boolean =>
  outcome.kind !== "failed" && (incidents[learningFailed] ?? 0) === 0;

/** How the engine names the units of shared values. */
const SHARED = "shared/";

/** Whether a record belongs to what all units of its cell share. */
export const isShared = ({ unit }: { readonly unit: string }): boolean => unit.startsWith(SHARED);

/** One key for a question of a unit in a cell, or, without a question, for the unit's preparation. */
export const originKey = ({
  cell,
  unit,
  question,
}: {
  readonly cell: string;
  readonly unit: string;
  readonly question?: string | undefined;
}): string => `${cell}\t${unit}\t${question ?? ""}`;

const rowKey = ({ cell, question }: { cell: string; question: string }): string => `${cell}\t${question}`;

const unitKey = (cell: string, unit: string): string => `${cell}\t${unit}`;

/** Puts a file in order: the last record of each key. Holds where records stand, not what they say. */
function sortFile(path: string): void {
  const spans = new Map<string, Span>();
  let isSorted = true;
  let last = "";
  const source = new Journal<Row | UnitRecord | Trace>(path, {
    visit({ record, offset, length }) {
      const key = originKey(record);
      if (key <= last) isSorted = false;
      last = key;
      spans.set(key, { offset, length });
    },
  });
  if (isSorted) source.close();
  else writeWhole(path, linesOf(source, spans));
}

/** Closes the source before the new file takes its name: some systems rename over no open file. */
function* linesOf(source: Journal<Row | UnitRecord | Trace>, spans: ReadonlyMap<string, Span>): Generator<Buffer> {
  try {
    for (const key of [...spans.keys()].sort()) {
      const body = source.body(spans.get(key)!); // keys of the same map
      if (body === undefined) throw new FileError(source.path, "EIO", SAFE);
      yield lineOf(body);
    }
  } finally {
    source.close();
  }
}
