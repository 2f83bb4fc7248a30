import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { onFile } from "../disk/file-error.js";
import { GrowingFile, makePrivateFolder, PRIVATE_FILE, refuseLink, writeFully } from "../disk/whole-file.js";
import { linesOf } from "../log/entry.js";
import { LOG_FILE } from "../log/log.js";
import type { Row, RowLine, Trace, UnitRecord } from "../types/index.js";

/** The files of a run folder. All but the log are made again from it. */
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
 * The rows and traces of a run at work: appended as they are made, for people who look, and put in order by `finish`. They follow
 * from the log, so nothing protects them: whoever doubts them has them made again.
 */
export class RowFiles {
  readonly #rows: GrowingLines;
  readonly #traces: GrowingLines;

  /** Begins anew: what stood in the files is made again. Throws FileError. */
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

  /** Puts the lines in order. Returns the SHA-256 of the rows. Throws FileError. */
  finish(): string {
    this.#traces.finish();
    return this.#rows.finish();
  }

  close(): void {
    this.#rows.close();
    this.#traces.close();
  }
}

/** A file of JSON lines that are put in order when all are there. Memory holds where they stand, not what they say. */
class GrowingLines {
  readonly #path: string;
  readonly #file: number;
  /** The number of the line of a key, and where each line ends. */
  readonly #numbers = new Map<string, number>();
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

/** The lines of a derived file, one at a time; none where there is no such file, and no last line that a killed process cut. */
export function* readLines<T>(path: string): Generator<T> {
  if (!existsSync(path)) return;
  const file = onFile(path, MADE_AGAIN, () => openSync(path, "r"));
  const read = (into: Buffer, at: number): number =>
    onFile(path, MADE_AGAIN, () => readSync(file, into, 0, into.length, at));
  try {
    for (const { text, whole } of linesOf(read)) if (whole) yield JSON.parse(text.toString("utf8")) as T;
  } finally {
    closeSync(file);
  }
}

/** The rows of a run folder, one at a time. */
export function* eachRow(folder: string): Generator<Row> {
  for (const line of readLines<RowLine>(join(folder, runFiles.rows))) if (line.kind === "question") yield line;
}

/** Returns the rows of a run folder, and what preparing each user, and each shared value, took. */
export function recordsOf(folder: string): { readonly rows: Row[]; readonly units: UnitRecord[] } {
  const records = { rows: [] as Row[], units: [] as UnitRecord[] };
  for (const line of readLines<RowLine>(join(folder, runFiles.rows)))
    if (line.kind === "question") records.rows.push(line);
    else records.units.push(line);
  return records;
}

export const rowsOf = (folder: string): Row[] => recordsOf(folder).rows;
export const unitsOf = (folder: string): UnitRecord[] => recordsOf(folder).units;

/** The traces of a run folder, one at a time. */
export const tracesOf = (folder: string): Generator<Trace> => readLines<Trace>(join(folder, runFiles.traces));

/** SHA-256 of a file; undefined where there is none. */
export function fileHash(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const hash = createHash("sha256");
  const file = onFile(path, MADE_AGAIN, () => openSync(path, "r"));
  const chunk = Buffer.allocUnsafe(1 << 20);
  try {
    for (;;) {
      const got = onFile(path, MADE_AGAIN, () => readSync(file, chunk, 0, chunk.length, null));
      if (got === 0) return hash.digest("hex");
      hash.update(chunk.subarray(0, got));
    }
  } finally {
    closeSync(file);
  }
}

/** One key for a question of a unit in an arm, or, without a question, for the unit's preparation. */
export const originKey = ({
  arm,
  unit,
  question,
}: {
  readonly arm: string;
  readonly unit: string;
  readonly question?: string | undefined;
}): string => [arm, unit, question ?? ""].join("\t"); // in one piece: thousands are held

/** SHA-256 over the rows of each arm, and what they were prepared with. */
export function rowHashes(folder: string): Map<string, string> {
  const hashes = new Map<string, ReturnType<typeof createHash>>();
  for (const line of readLines<RowLine>(join(folder, runFiles.rows))) {
    const hash = hashes.get(line.arm) ?? createHash("sha256");
    hashes.set(line.arm, hash.update(JSON.stringify(line)));
  }
  return new Map([...hashes].map(([arm, hash]) => [arm, hash.digest("hex")]));
}

/** Traces name calls by the first digits of their key. */
export const CALL_ID_LENGTH = 16;
