import { statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateFolder, writeWhole } from "../disk/whole-file.js";
import { HashSet } from "../text/hash-index.js";
import type { Figure, Row, Timing, Trace, UnitRecord } from "../types.js";
import { learningFailed } from "./engine.js";
import type { Rows } from "./engine-settings.js";
import { framedRecords, Journal, readJournal, type SetAside } from "./journal/journal.js";
import { recordAt } from "./journal/record-at.js";
import { recordOf } from "./journal/record-line.js";
import type { Frame, Span } from "./journal/scan.js";
import { closeDamage, openDamage } from "./journal/set-aside.js";
import { stateOf } from "./journal/sound-files.js";
import { SpanIndex } from "./journal/span-index.js";
import { type Lost, lostRecords } from "./lost-records.js";
import { originKey } from "./origin-key.js";
import { runFiles } from "./run-files.js";
import { type Asked, type RecordTaker, rememberAsked, rememberTimings } from "./sealing/record-facts.js";
import { OwnRecords, sortFile } from "./sealing/sort-records.js";

export { recordFiles, runFiles } from "./run-files.js";
export { type RecordTaker, repeatedCalls, requestsByCell, timingsOf } from "./sealing/record-facts.js";

/**
 * Rows of a run on disk: appended while it runs, and put in order (one record a question, sorted) by `finish`, so that
 * an interrupted and resumed run leaves the same bytes as an uninterrupted one. Timings stay in order of arrival.
 */
export class RunRows implements Rows {
  readonly #folder: string;
  #done = new HashSet();
  #doneByCell = new Map<string, number>();
  #prepared = new HashSet();
  readonly #rows: Journal;
  readonly #units: Journal;
  readonly #timings: Journal;
  readonly #traces: Journal;
  readonly #journals: Journal[] = [];
  readonly #own = new Map<string, OwnRecords>();
  /** What of each trace and timing is needed at the end, as long as their lines are remembered. */
  #asked: Asked[] = [];
  #timed: Timing[] = [];
  /** By file, where the lines end that stand as this version writes them, without a gap; NaN where others are among them. */
  readonly #ends = new Map<string, number>();

  readonly #taker: RecordTaker | undefined;

  constructor(folder: string, taker?: RecordTaker) {
    this.#folder = folder;
    this.#taker = taker;
    const journalOf = <T>(name: string, reading?: () => (record: T, span: Span) => void): Journal => {
      const visitor = () => {
        const visit = reading?.();
        taker?.begin(name);
        let end = 0;
        return (frame: Frame, record: object | undefined) => {
          end = frame.offset === end ? frame.offset + frame.length + 1 : Number.NaN;
          this.#ends.set(name, end);
          visit?.((record ?? recordOf(frame.body)) as T, frame); // its shape was checked, now or before it was sealed
        };
      };
      const sealed = (end: number) => this.#ends.set(name, end);
      const unread = reading === undefined ? { sealed } : {};
      const journal = new Journal(join(folder, name), {
        recordsPerSync: RECORDS_PER_SYNC,
        seals: true,
        visitor,
        ...unread,
      });
      this.#journals.push(journal);
      this.#own.set(name, new OwnRecords(journal));
      return journal;
    };
    makePrivateFolder(folder);
    try {
      this.#rows = journalOf<Row>(runFiles.rows, () => {
        this.#done = new HashSet();
        this.#doneByCell = new Map();
        return (row, span) => {
          this.#settle(row, isFinal(row));
          taker?.row(row, span);
        };
      });
      this.#units = journalOf<UnitRecord>(runFiles.units, () => {
        this.#prepared = new HashSet();
        return (record) => {
          this.#prepared.set(unitKey(record.cell, record.unit), true);
          taker?.unit(record);
        };
      });
      this.#timings = journalOf(runFiles.timings);
      this.#traces = journalOf(runFiles.traces);
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
    const span = this.#append(runFiles.rows, this.#rows, row);
    this.#taker?.row(asRead(row), span);
    if (isFinal(row)) this.#settle(row, true);
  }

  unit(record: UnitRecord): void {
    this.#append(runFiles.units, this.#units, record);
    this.#taker?.unit(asRead(record));
  }

  timing(timing: Timing): void {
    this.#timings.append(timing);
    this.#timed = remembered(this.#timings, this.#timed, timing);
  }

  trace(trace: Trace): void {
    if (trace.requests.length === 0 && trace.notes.length === 0) return;
    this.#append(runFiles.traces, this.#traces, trace);
    this.#asked = remembered(this.#traces, this.#asked, { cell: trace.cell, requests: trace.requests });
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
   * `areInOrder`: seals, which know nothing of line ends, say that they are, and nothing was written since.
   */
  finish(areInOrder = false): void {
    this.close();
    this.#prepared = new HashSet(); // whoever still holds this would hold them too
    this.#putInOrder(areInOrder);
    this.#rememberTimings();
    closeDamage(this.#folder);
  }

  #putInOrder(areInOrder: boolean): void {
    for (const name of [runFiles.rows, runFiles.units, runFiles.traces]) {
      const path = join(this.#folder, name);
      const isInOrder = areInOrder && statSync(path).size === (this.#ends.get(name) ?? 0);
      const order = isInOrder ? undefined : this.#own.get(name)?.sort(path);
      if (order !== undefined && name === runFiles.traces) rememberAsked(path, this.#asked, order);
      if (isInOrder || order !== undefined) this.#taker?.end(name, order);
      else sortFile(path);
    }
  }

  /** Where the file is what was appended. */
  #rememberTimings(): void {
    const path = join(this.#folder, runFiles.timings);
    const state = stateOf(path);
    if (this.#timings.own?.read(path) !== undefined) rememberTimings(path, state, this.#timed);
    this.#timed = [];
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

  #append(name: string, journal: Journal, record: Row | UnitRecord | Trace): Span {
    const span = journal.append(record);
    this.#own.get(name)?.add(record, span);
    return span;
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

/** The last row of every question. */
export function latestRows(folder: string): Row[] {
  const latest = new Map<string, Row>();
  for (const row of readRows(folder)) latest.set(rowKey(row), row);
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

/** The record as its line says it. */
const asRead = <T>(record: T): T => JSON.parse(JSON.stringify(record)) as T;

/** The list with one more; nothing where the lines of the journal are not remembered. */
function remembered<T>({ own }: Journal, list: T[], one: T): T[] {
  if (own === undefined || own.isForgotten) return [];
  list.push(one);
  return list;
}

/** What a power cut costs is made again from the stored replies, which are forced to the disk far more often. */
const RECORDS_PER_SYNC = 1024;

/** A row that a later run leaves alone. */
const isFinal = ({ outcome, incidents }: Row): boolean =>
  outcome.kind !== "failed" && (incidents[learningFailed] ?? 0) === 0;

const rowKey = ({ cell, question }: { cell: string; question: string }): string => `${cell}\t${question}`;

const unitKey = (cell: string, unit: string): string => `${cell}\t${unit}`;

const lostOf = (folder: string, units: readonly UnitRecord[], damaged: number): Lost =>
  lostRecords(latestRows(folder), units, readJournal<Trace>(join(folder, runFiles.traces)), damaged);
