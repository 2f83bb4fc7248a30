import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { onFile } from "../disk/file-error.js";
import { GrowingFile, makePrivateFolder, PRIVATE_FILE, refuseLink, writeFully } from "../disk/whole-file.js";
import { linesOf } from "../log/entry.js";
import { LOG_FILE } from "../log/log.js";
import type { Row, RowLine, Trace, UnitRecord } from "../types/index.js";

/** Names of the files in a run folder. All but the log can be computed from the log. */
export const runFiles = {
  /** Manifest, tries, answers and failures. */
  log: LOG_FILE,
  /** A line for each question, each prepared unit and each shared value. */
  rows: "rows.jsonl",
  /** Requests and notes of each of them. */
  traces: "traces.jsonl",
  /** A folder with charts, and pictures that methods have drawn. */
  figures: "figures",
  markdown: "results.md",
  latex: "results.tex",
  csv: "results.csv",
  json: "results.json",
  page: "report.html",
  /** Says what each file is, and which command made the run. */
  readme: "README.md",
} as const;

/**
 * Writes the rows and traces of a run: appends each line when it is made, and sorts the lines at the end. They can be computed from the
 * log, so they are not synced to the disk.
 */
export class RowFiles {
  readonly #rows: SortedLines;
  readonly #traces: SortedLines;

  /** Opens the files and empties them. Throws FileError. */
  constructor(folder: string) {
    makePrivateFolder(folder);
    this.#rows = new SortedLines(join(folder, runFiles.rows));
    try {
      this.#traces = new SortedLines(join(folder, runFiles.traces));
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

  /** Sorts the lines. Returns the SHA-256 of the rows. Throws FileError. */
  finish(): string {
    this.#traces.finish();
    return this.#rows.finish();
  }

  close(): void {
    this.#rows.close();
    this.#traces.close();
  }
}

/** A file of JSON lines that are sorted at the end. Memory holds the positions of the lines, not their text. */
class SortedLines {
  readonly #path: string;
  readonly #file: number;
  /** Number of the last line with each key. */
  readonly #numbers = new Map<string, number>();
  /** End of each line, in bytes from the start of the file. */
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
        const number = this.#numbers.get(key)!;
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

/** Yields the lines of rows or traces, without an incomplete last one; none if the file is missing. */
export function* readLines<T>(path: string): Generator<T> {
  if (!existsSync(path)) return;
  const file = onFile(path, MADE_AGAIN, () => openSync(path, "r"));
  const read = (into: Buffer, at: number): number =>
    onFile(path, MADE_AGAIN, () => readSync(file, into, 0, into.length, at));
  try {
    for (const { text, isWhole } of linesOf(read)) if (isWhole) yield JSON.parse(text.toString("utf8")) as T;
  } finally {
    closeSync(file);
  }
}

/** The rows of a run, and the records of prepared units and shared values. */
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

/** Yields the lines of the rows file in a run folder. */
export const rowLines = (folder: string): Generator<RowLine> => readLines<RowLine>(join(folder, runFiles.rows));

export const rowsOf = (folder: string): Row[] => recordsOf(rowLines(folder)).rows;
export const unitRecordsOf = (folder: string): UnitRecord[] => recordsOf(rowLines(folder)).units;

/** Yields the traces in a run folder. */
export const tracesOf = (folder: string): Generator<Trace> => readLines<Trace>(join(folder, runFiles.traces));

/** Returns the SHA-256 of a file; undefined if it is missing. */
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

/** Returns the sort key of a question, or (`question` undefined) of a unit's preparation. */
export const originKey = ({
  arm,
  unit,
  question,
}: {
  readonly arm: string;
  readonly unit: string;
  readonly question?: string | undefined;
}): string => [arm, unit, question ?? ""].join("\t"); // `join` makes a flat string, which takes less memory than a concatenation

/** Returns a SHA-256 over the rows and records of each arm, by the arm's id. */
export function rowHashes(folder: string): Map<string, string> {
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const line of rowLines(folder)) {
    const hash = hashes.get(line.arm) ?? createHash("sha256");
    hashes.set(line.arm, hash.update(JSON.stringify(line)));
  }
  return new Map([...hashes].map(([arm, hash]) => [arm, hash.digest("hex")]));
}

/** Traces name calls by so many first digits of their keys. */
export const CALL_ID_LENGTH = 16;
