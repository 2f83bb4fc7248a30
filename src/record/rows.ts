import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { onFile } from "../disk/file-error.js";
import { GrowingFile, makePrivateFolder, PRIVATE_FILE, refuseLink, writeFully } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { linesOf } from "../log/entry.js";
import { LOG_FILE } from "../log/log.js";
import { sha256 } from "../text/content-id.js";
import { isObject, jsonIn } from "../text/json.js";
import type { Row, RowLine, Trace, UnitRecord } from "../types/index.js";

/** Names of the files of a run folder. All but the log can be made again from the log. */
export const runFiles = {
  /** All that came from outside: plan, tries, answers. */
  log: LOG_FILE,
  /** A line for each question, each prepared user and each shared value. */
  rows: "rows.jsonl",
  /** What each of them did. */
  traces: "traces.jsonl",
  /** A folder: pictures that methods drew, and charts. */
  figures: "figures",
  markdown: "results.md",
  latex: "results.tex",
  csv: "results.csv",
  json: "results.json",
  page: "report.html",
  /** What each file is, and the command that made the run. */
  readme: "README.md",
} as const;

/**
 * Writes the rows and traces of a run at work: appends them as they are made, so that people can look, and puts them in order in the
 * end. They follow from the log, so they are not synced to the disk: the same command makes them again.
 */
export class RowFiles {
  readonly #rows: GrowingLines;
  readonly #traces: GrowingLines;

  /** Empties the files. Throws FileError. */
  constructor(folder: string) {
    makePrivateFolder(folder);
    this.#rows = new GrowingLines(join(folder, runFiles.rows));
    try {
      this.#traces = new GrowingLines(join(folder, runFiles.traces));
    } catch (error) {
      this.#rows.close();
      throw error;
    }
  }

  row(row: Row): void {
    this.#rows.add(originKey(row), { kind: "question", ...row } satisfies RowLine);
  }

  unit(record: UnitRecord): void {
    const kind = record.shared === true ? "shared" : "user";
    this.#rows.add(originKey(record), { kind, ...record } satisfies RowLine);
  }

  trace(trace: Trace): void {
    if (trace.requests.length > 0 || trace.notes.length > 0) this.#traces.add(originKey(trace), trace);
  }

  /** Puts the lines in order. Returns what `hashOfRows` does. Throws FileError. */
  finish(): string {
    const traces = this.#traces.finish();
    return sha256(`${this.#rows.finish()} ${traces}`);
  }

  close(): void {
    this.#rows.close();
    this.#traces.close();
  }
}

/** A file of JSON lines that are put in order when all are there. Memory holds the places of the lines, not their text. */
class GrowingLines {
  readonly #path: string;
  readonly #file: number;
  /** Number of the line of each key: of several lines the last. */
  readonly #numbers = new Map<string, number>();
  /** Where each line ends, in bytes from the start of the file. */
  readonly #ends: number[] = [];
  #longest = 0;
  #isOpen = true;

  constructor(path: string) {
    this.#path = path;
    refuseLink(path);
    this.#file = onFile(path, MADE_AGAIN, () => openSync(path, "w+", PRIVATE_FILE));
  }

  add(key: string, line: object): void {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    onFile(this.#path, MADE_AGAIN, () => writeFully(this.#file, bytes));
    this.#numbers.set(key, this.#ends.length);
    this.#ends.push((this.#ends.at(-1) ?? 0) + bytes.length);
    this.#longest = Math.max(this.#longest, bytes.length);
  }

  finish(): string {
    const hash = createHash("sha256");
    const sorted = new GrowingFile(this.#path, PRIVATE_FILE);
    const line = Buffer.allocUnsafe(this.#longest);
    try {
      for (const key of [...this.#numbers.keys()].sort()) {
        const number = this.#numbers.get(key)!; // keys of the same map
        const at = this.#ends[number - 1] ?? 0;
        const bytes = line.subarray(0, this.#ends[number]! - at);
        onFile(this.#path, MADE_AGAIN, () => readSync(this.#file, bytes, 0, bytes.length, at));
        hash.update(bytes);
        sorted.write(bytes);
      }
    } catch (error) {
      sorted.drop();
      throw error;
    }
    this.close(); // some systems rename over no open file
    sorted.finish();
    return hash.digest("hex");
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    onFile(this.#path, MADE_AGAIN, () => closeSync(this.#file));
  }
}

const MADE_AGAIN = "it is made again from the log";

/** Returns the SHA-256 of the rows and traces of a run folder; undefined where a file is missing. */
export function hashOfRows(folder: string): string | undefined {
  const [rows, traces] = [runFiles.rows, runFiles.traces].map((name) => fileHash(join(folder, name)));
  return rows && traces && sha256(`${rows} ${traces}`);
}

/** Reads the lines of rows or traces one at a time, without a last one that a killed process cut; none where there is no such file. */
export function* readLines<T>(path: string): Generator<T> {
  if (!existsSync(path)) return;
  const file = onFile(path, MADE_AGAIN, () => openSync(path, "r"));
  const read = (into: Buffer, at: number): number =>
    onFile(path, MADE_AGAIN, () => readSync(file, into, 0, into.length, at));
  try {
    let number = 0;
    for (const { text, isWhole } of linesOf(read)) {
      number += 1;
      const value = isWhole ? jsonIn(text.toString("utf8")) : undefined;
      if (isObject(value) && typeof value.arm === "string" && typeof value.unit === "string") yield value as T;
      else if (isWhole)
        throw new UsageError(`${path} line ${number}: no line of a run; delete the file: ${MADE_AGAIN}`);
    }
  } finally {
    closeSync(file);
  }
}

/** The records of a run: its rows, and what preparing each user, and each value that all users share, took. */
export interface Records {
  readonly rows: Row[];
  readonly units: UnitRecord[];
}

export function recordsOf(lines: Iterable<RowLine>): Records {
  const records: Records = { rows: [], units: [] };
  for (const line of lines)
    if (line.kind === "question") records.rows.push(line);
    else records.units.push(line);
  return records;
}

/** Reads the lines of a run folder's rows one at a time. */
export const rowLines = (folder: string): Generator<RowLine> => readLines<RowLine>(join(folder, runFiles.rows));

export const rowsOf = (folder: string): Row[] => recordsOf(rowLines(folder)).rows;
export const unitsOf = (folder: string): UnitRecord[] => recordsOf(rowLines(folder)).units;

/** Reads the traces of a run folder one at a time. */
export const tracesOf = (folder: string): Generator<Trace> => readLines<Trace>(join(folder, runFiles.traces));

/** Returns the SHA-256 of a file; undefined where there is none. */
export function fileHash(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const hash = createHash("sha256");
  const file = onFile(path, MADE_AGAIN, () => openSync(path, "r"));
  const chunk = Buffer.allocUnsafe(1 << 20);
  try {
    for (;;) {
      const count = onFile(path, MADE_AGAIN, () => readSync(file, chunk, 0, chunk.length, null));
      if (count === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(file);
  }
}

/** Returns the key of a question of a unit in an arm; without a question of the unit's preparation. */
export const originKey = ({
  arm,
  unit,
  question,
}: {
  readonly arm: string;
  readonly unit: string;
  readonly question?: string | undefined;
}): string => [arm, unit, question ?? ""].join("\t"); // in one piece: thousands are held

/** Returns the SHA-256 of all records of each arm, by the arm's id. */
export function rowHashes(folder: string): Map<string, string> {
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const line of rowLines(folder)) {
    const hash = hashes.get(line.arm) ?? createHash("sha256");
    hashes.set(line.arm, hash.update(JSON.stringify(line)));
  }
  return new Map([...hashes].map(([arm, hash]) => [arm, hash.digest("hex")]));
}

/** Length of a call's id in traces: the first digits of its key. */
export const CALL_ID_LENGTH = 16;
