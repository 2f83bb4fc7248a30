import { join } from "node:path";
import { makePrivateFolder, writeWhole } from "../disk/whole-file.js";
import { contentId } from "../text/content-id.js";
import type { Figure, Row, Timing, Trace, UnitRecord } from "../types.js";
import { learningFailed, type Rows } from "./engine.js";
import { Journal, readJournal, type SetAside } from "./journal.js";
import { type Lost, lostRecords } from "./lost-records.js";
import { originKey } from "./origin-key.js";
import { recordOf } from "./record-line.js";
import { runFiles } from "./run-files.js";
import type { Span } from "./scan.js";
import { closeDamage, openDamage } from "./set-aside.js";

export { recordFiles, runFiles } from "./run-files.js";

/**
 * Rows of a run on disk: appended while it runs, and put in order (one record a question, sorted) by `finish`, so that
 * an interrupted and resumed run leaves the same bytes as an uninterrupted one. Timings stay in order of arrival.
 */
export class RunRows implements Rows {
  readonly #folder: string;
  readonly #done = new Set<string>();
  readonly #prepared = new Set<string>();
  readonly #rows: Journal;
  readonly #units: Journal;
  readonly #timings: Journal;
  readonly #traces: Journal;
  readonly #journals: Journal[] = [];

  constructor(folder: string) {
    this.#folder = folder;
    const open = (name: string): Journal => {
      const journal = new Journal(join(folder, name));
      this.#journals.push(journal);
      return journal;
    };
    makePrivateFolder(folder);
    try {
      this.#rows = open(runFiles.rows);
      this.#units = open(runFiles.units);
      this.#timings = open(runFiles.timings);
      this.#traces = open(runFiles.traces);
      this.#remember();
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
    let count = 0;
    for (const key of this.#done) if (key.startsWith(`${cell}\t`)) count += 1;
    return count;
  }

  row(row: Row): void {
    this.#rows.append(row);
    if (isFinal(row)) this.#done.add(rowKey(row));
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

  /** Closes, then puts rows, units and traces in order: the last record of each key, sorted by cell, unit and question. */
  finish(): void {
    this.close();
    for (const name of [runFiles.rows, runFiles.units, runFiles.traces]) sortFile(join(this.#folder, name));
    closeDamage(this.#folder);
  }

  /** What is done; less what lost a record, so that it is done again. */
  #remember(): void {
    const damaged = openDamage(this.#folder).filter(({ file }) => file === runFiles.units || file === runFiles.traces);
    const units = latestUnits(this.#folder);
    const lost =
      damaged.length === 0 && !this.#units.wasCut && !this.#traces.wasCut
        ? nothingLost
        : lostOf(this.#folder, units, damaged.length);
    const isLost = (record: Row | UnitRecord): boolean =>
      lost.all || lost.cells.has(record.cell) || lost.origins.has(originKey(record));
    for (const row of readRows(this.#folder)) {
      const done = isFinal(row) && (row.spendUnknown === true || !isLost(row));
      this.#done[done ? "add" : "delete"](rowKey(row));
    }
    for (const record of units) if (!isLost(record)) this.#prepared.add(unitKey(record.cell, record.unit));
  }
}

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

export function latestUnits(folder: string): UnitRecord[] {
  const latest = new Map<string, UnitRecord>();
  for (const record of readJournal<UnitRecord>(join(folder, runFiles.units)))
    latest.set(unitKey(record.cell, record.unit), record);
  return [...latest.values()];
}

/** Content id over all requests of each cell that asked any: two runs with equal ids asked the same things. */
export function requestsByCell(folder: string): Record<string, string> {
  const byCell = new Map<string, string[]>();
  for (const { cell, requests } of readJournal<Trace>(join(folder, runFiles.traces)))
    if (requests.length > 0) byCell.set(cell, [...(byCell.get(cell) ?? []), ...requests]);
  return Object.fromEntries([...byCell].map(([cell, requests]) => [cell, contentId(requests.sort())]));
}

export function readTimings(folder: string): Timing[] {
  return [...readJournal<Timing>(join(folder, runFiles.timings))];
}

// --- internal ---

/** A row that a later run leaves alone. */
const isFinal = ({ outcome, incidents }: Row): boolean =>
  outcome.kind !== "failed" && (incidents[learningFailed] ?? 0) === 0;

const rowKey = ({ cell, question }: { cell: string; question: string }): string => `${cell}\t${question}`;

const unitKey = (cell: string, unit: string): string => `${cell}\t${unit}`;

interface Keyed {
  readonly cell: string;
  readonly unit: string;
  readonly question?: string;
}

const lostOf = (folder: string, units: readonly UnitRecord[], damaged: number): Lost =>
  lostRecords(latestRows(folder), units, readJournal<Trace>(join(folder, runFiles.traces)), damaged);

const nothingLost: Lost = { all: false, origins: new Set(), cells: new Set() };

/** Holds spans, not records, so that a run of any length can be put in order. */
function sortFile(path: string): void {
  const source = new Journal(path);
  const spans = new Map<string, Span>();
  for (const { offset, length, body } of source.frames())
    spans.set(originKey(recordOf<Keyed>(body)), { offset, length });
  writeWhole(path, sorted(spans, source));
}

/** Closes the source before the new file takes its name: some systems rename over no open file. */
function* sorted(spans: ReadonlyMap<string, Span>, source: Journal): Generator<Buffer> {
  try {
    for (const key of [...spans.keys()].sort()) yield source.line(spans.get(key)!); // keys of the same map
  } finally {
    source.close();
  }
}
