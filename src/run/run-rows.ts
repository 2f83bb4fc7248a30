import { join } from "node:path";
import { FileError } from "../disk/file-error.js";
import { makePrivateFolder, writeWhole } from "../disk/whole-file.js";
import { HashSet } from "../text/hash-index.js";
import type { Figure, Row, Timing, Trace, UnitRecord } from "../types.js";
import { learningFailed } from "./engine.js";
import type { Rows } from "./engine-settings.js";
import {
  closeDamage,
  framedRecords,
  Journal,
  openDamage,
  readJournal,
  recordAt,
  type SetAside,
} from "./journal/journal.js";
import { SpanIndex } from "./journal/keyed-journal.js";
import { SAFE, type Span } from "./journal/read-journal.js";
import { lineOf } from "./journal/record-line.js";
import { isShared, originKey } from "./origin-key.js";
import { runFiles } from "./run-files.js";

export { repeatedCalls, requestsByCell } from "./requests-by-cell.js";
export { recordFiles, runFiles } from "./run-files.js";

/**
 * Rows of a run on disk: appended while it runs, and put in order (one record a question, sorted) by `finish`, so that
 * an interrupted and resumed run leaves the same bytes as an uninterrupted one. Timings stay in order of arrival.
 */
export class RunRows implements Rows {
  readonly #folder: string;
  #done = new HashSet();
  #doneByCell = new Map<string, number>();
  #prepared = new HashSet();
  readonly #rows: Journal<Row>;
  readonly #units: Journal<UnitRecord>;
  readonly #timings: Journal<Timing>;
  readonly #traces: Journal<Trace>;
  readonly #journals: Journal[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    const journalOf = <T>(name: string, visitor?: () => (record: T) => void): Journal<T> => {
      const visiting = (): ((frame: { readonly record: T }) => void) => {
        const visit = visitor?.();
        return ({ record }) => visit?.(record);
      };
      const journal = new Journal<T>(join(folder, name), { recordsPerSync: RECORDS_PER_SYNC, visitor: visiting });
      this.#journals.push(journal as Journal);
      return journal;
    };
    makePrivateFolder(folder);
    try {
      this.#rows = journalOf<Row>(runFiles.rows, () => {
        this.#done = new HashSet();
        this.#doneByCell = new Map();
        return (row) => this.#settle(row, isFinal(row));
      });
      this.#units = journalOf<UnitRecord>(runFiles.units, () => {
        this.#prepared = new HashSet();
        return (record) => this.#prepared.set(unitKey(record.cell, record.unit), true);
      });
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
  }

  timing(timing: Timing): void {
    this.#timings.append(timing);
  }

  trace(trace: Trace): void {
    if (trace.requests.length > 0 || trace.notes.length > 0) this.#traces.append(trace);
  }

  /** Same figure, same file: a run taken up again writes it again. */
  figure({ name, svg }: Figure): void {
    const folder = join(this.#folder, runFiles.figures);
    makePrivateFolder(folder);
    writeWhole(join(folder, `${name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_")}.svg`), svg);
  }

  /** Closes every file, whatever becomes of the others; the first failure is thrown. */
  close(): void {
    const failures: unknown[] = [];
    for (const journal of this.#journals.splice(0)) {
      try {
        journal.close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  /**
   * Closes, then puts rows, units and traces in order: the last record of each key, sorted by cell, unit and question.
   * `areInOrder`: seals say that they are, and nothing was written since.
   */
  finish(areInOrder = false): void {
    this.close();
    this.#prepared = new HashSet(); // whoever still holds this would hold them too
    if (!areInOrder)
      for (const name of [runFiles.rows, runFiles.units, runFiles.traces]) sortFile(join(this.#folder, name));
    closeDamage(this.#folder);
  }

  /** What lost a record is not done: it is done again. */
  #forgetLost(): void {
    const damaged = openDamage(this.#folder).filter(({ file }) => file === runFiles.units || file === runFiles.traces);
    if (damaged.length === 0 && !this.#units.wasCut && !this.#traces.wasCut) return;
    const lost = lostOf(this.#folder, latestUnits(this.#folder), damaged.length);
    const isLost = (record: Row | UnitRecord): boolean =>
      lost.all || lost.cells.has(record.cell) || lost.origins.has(originKey(record));
    for (const row of readRows(this.#folder)) {
      const done = isFinal(row) && (row.spendUnknown === true || !isLost(row));
      this.#settle(row, done);
    }
    for (const record of readUnits(this.#folder))
      if (isLost(record)) this.#prepared.set(unitKey(record.cell, record.unit), false);
  }

  #settle(row: Row, done: boolean): void {
    if (!this.#done.set(rowKey(row), done)) return;
    this.#doneByCell.set(row.cell, this.doneCount(row.cell) + (done ? 1 : -1));
  }
}

const readUnits = (folder: string): Generator<UnitRecord> => readJournal(join(folder, runFiles.units));

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
  const last = new SpanIndex();
  let count = 0;
  for (const { record, offset, length } of framedRecords<Row>(path)) {
    last.set(rowKey(record), { offset, length });
    count += 1;
  }
  if (last.size === count) yield* readRows(folder);
  else for (const span of last.spans()) yield recordAt<Row>(path, span)!; // it was read just now
}

/** The last record of every unit and shared value. */
export function latestUnits(folder: string): UnitRecord[] {
  const latest = new Map<string, UnitRecord>();
  for (const record of readUnits(folder)) latest.set(unitKey(record.cell, record.unit), record);
  return [...latest.values()];
}

/** How long questions and preparations took, in file order. */
export const timingsOf = (folder: string): Iterable<Timing> => readJournal<Timing>(join(folder, runFiles.timings));

/** What a power cut costs is made again from the stored replies, which are forced to the disk far more often. */
const RECORDS_PER_SYNC = 1024;

/** A row that a later run leaves alone. */
const isFinal = ({ outcome, incidents }: Row): boolean =>
  outcome.kind !== "failed" && (incidents[learningFailed] ?? 0) === 0;

const rowKey = ({ cell, question }: { cell: string; question: string }): string => `${cell}\t${question}`;

const unitKey = (cell: string, unit: string): string => `${cell}\t${unit}`;

const lostOf = (folder: string, units: readonly UnitRecord[], damaged: number): Lost =>
  lostRecords(latestRows(folder), units, readJournal<Trace>(join(folder, runFiles.traces)), damaged);

/** Puts a file in order: the last record of each key. Holds where records stand, not what they say. */
function sortFile(path: string): void {
  let spans = new Map<string, Span>();
  let isSorted = true;
  const source = new Journal<Row | UnitRecord | Trace>(path, {
    visitor: () => {
      spans = new Map();
      isSorted = true;
      let last = "";
      return ({ record, offset, length }) => {
        const key = originKey(record);
        if (key <= last) isSorted = false;
        last = key;
        spans.set(key, { offset, length });
      };
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

/** What has to be done again because a record of it is gone, by the keys of `placeKey`. */
interface Lost {
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
function lostRecords(
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
