import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { contentId } from "../text/content-id.js";
import type { Figure, Row, Timing, Trace, UnitRecord } from "../types.js";
import { learningFailed, type Rows } from "./engine.js";
import { Journal, type Place, readJournal } from "./journal.js";
import { placeKey } from "./place-key.js";

/** The files of one run folder. */
export const runFiles = {
  manifest: "manifest.json",
  rows: "rows.jsonl",
  units: "units.jsonl",
  timings: "timings.jsonl",
  traces: "traces.jsonl",
  responses: "responses.jsonl",
  vectors: "vectors.jsonl",
  searches: "searches.jsonl",
  /** A folder: pictures that methods drew, and charts. */
  figures: "figures",
  markdown: "results.md",
  latex: "results.tex",
  csv: "results.csv",
  json: "results.json",
  page: "report.html",
  /** What a replay found missing in its cassette. */
  replayText: "replay.md",
  replayJson: "replay.json",
} as const;

/** What a run writes down while it calls models, in the order of a folder's list: all else follows from it and the plan. */
export const recordFiles = [
  runFiles.rows,
  runFiles.units,
  runFiles.timings,
  runFiles.traces,
  runFiles.responses,
  runFiles.vectors,
  runFiles.searches,
] as const;

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
  #closed = false;

  constructor(folder: string) {
    this.#folder = folder;
    for (const row of readRows(folder)) {
      const key = rowKey(row);
      if (isFinal(row)) this.#done.add(key);
      else this.#done.delete(key);
    }
    for (const { cell, unit } of latestUnits(folder)) this.#prepared.add(unitKey(cell, unit));
    this.#rows = new Journal(join(folder, runFiles.rows));
    this.#units = new Journal(join(folder, runFiles.units));
    this.#timings = new Journal(join(folder, runFiles.timings));
    this.#traces = new Journal(join(folder, runFiles.traces));
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
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name.replaceAll(/[^\p{L}\p{N}._-]/gu, "_")}.svg`), svg);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const journal of [this.#rows, this.#units, this.#timings, this.#traces]) journal.close();
  }

  /** Closes, then puts rows, units and traces in order: the last record of each key, sorted by cell, unit and question. */
  finish(): void {
    this.close();
    for (const name of [runFiles.rows, runFiles.units, runFiles.traces]) sortFile(join(this.#folder, name));
  }
}

/** The rows of a run folder, in file order; a question tried twice stands twice, the last one counts. */
export function readRows(folder: string): Generator<Row> {
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

/** Holds places, not records, so that a run of any length can be put in order. */
function sortFile(path: string): void {
  const places = new Map<string, Place>();
  const source = new Journal(path);
  for (const { offset, bytes } of source.frames()) {
    const record = JSON.parse(bytes.toString("utf8")) as Keyed;
    places.set(placeKey(record), { offset, length: bytes.length });
  }
  const fresh = `${path}.sorted`;
  const file = openSync(fresh, "w");
  for (const key of [...places.keys()].sort()) {
    const place = places.get(key)!; // keys of the same map
    writeSync(file, Buffer.concat([NEWLINE, source.read(place), NEWLINE]));
  }
  source.close();
  fdatasyncSync(file);
  closeSync(file);
  renameSync(fresh, path);
}

const NEWLINE = Buffer.from("\n");
