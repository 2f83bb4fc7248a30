import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { UsageError } from "../errors.js";
import { type ReadLog, readLog } from "../log/log.js";
import type { Io } from "../plan/io.js";
import { partName } from "../plan/types.js";
import { suggest } from "../registry/registry.js";
import type { ArmSpec, ModelReply, ModelRequest, Row, RowLine, Timing, Trace, UnitRecord } from "../types/index.js";
import { type Manifest, manifestOf } from "./manifest.js";
import { CALL_ID_LENGTH, type Records, recordsOf, rowLines, runFiles, tracesOf } from "./rows.js";

/** A request and its reply. */
export interface StoredCall {
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/** Where a run lies, its open log, and what that says of the run. */
interface OpenedRun {
  /** The name that the user gave. */
  readonly name: string;
  /** The folder or the pack, absolute. */
  readonly path: string;
  readonly log: ReadLog;
  readonly manifest: Manifest;
  /** The runs among which it was found. */
  readonly runs?: Runs | undefined;
}

/** A run, finished or not, opened for reading: a folder, or a pack. Rows and traces are read from the disk when they are asked for. */
export class StoredRun implements OpenedRun {
  readonly name: string;
  readonly path: string;
  readonly log: ReadLog;
  readonly manifest: Manifest;
  readonly runs: Runs | undefined;
  #records: Records | undefined;
  #keys: ReadonlyMap<string, string> | undefined;

  constructor({ name, path, log, manifest, runs }: OpenedRun) {
    this.runs = runs;
    this.name = name;
    this.path = path;
    this.log = log;
    this.manifest = manifest;
  }

  /** True for a pack: one file, without traces. */
  get isPack(): boolean {
    return this.log.path === this.path;
  }

  /** Returns all records in the order of the file; none of a pack without requests. */
  *lines(): Generator<RowLine> {
    if (!this.isPack) yield* rowLines(this.path);
    else for (const entry of this.log.entries()) if (entry.t === "row") yield entry.row;
  }

  get rows(): readonly Row[] {
    return this.#read().rows;
  }

  /** What preparing each user, and each value that all users share, took. */
  get units(): readonly UnitRecord[] {
    return this.#read().units;
  }

  #read(): Records {
    this.#records ??= recordsOf(this.lines());
    return this.#records;
  }

  /** Reads the traces one at a time: of a large run they fill more memory than its rows. */
  traces(): Generator<Trace> {
    return tracesOf(this.path);
  }

  /** Texts of the files that options name, by their names in the plan. */
  get files(): ReadonlyMap<string, string> {
    const facts = [...this.log.state.facts].filter(([name]) => name.startsWith(FILE));
    return new Map(facts.map(([name, text]) => [name.slice(FILE.length), String(text)]));
  }

  arm(id: string): ArmSpec | undefined {
    return this.manifest.identity.arms.find((arm) => arm.id === id);
  }

  /** Returns a call by the id that traces name it with; undefined where it has no reply, or a pack lacks its request. */
  call(id: string): StoredCall | undefined {
    const { request, value } = this.log.get(this.#callKeys.get(id) ?? "") ?? {};
    return request === undefined ? undefined : { request, reply: value as unknown as ModelReply }; // a reply, since it has a request
  }

  /** Ids of the calls in the order of their answers. */
  callIds(): Iterable<string> {
    return this.#callKeys.keys();
  }

  get #callKeys(): ReadonlyMap<string, string> {
    this.#keys ??= new Map([...this.log.state.answers.keys()].map((key) => [key.slice(0, CALL_ID_LENGTH), key]));
    return this.#keys;
  }

  /** Yields how long the calls of each question and preparation took; those that this run did not make itself are left out. */
  *timings(): Generator<Timing> {
    const { answers } = this.log.state;
    for (const { arm, unit, question, requests } of this.traces()) {
      const took = [...new Set(requests)].map((id) => answers.get(this.#callKeys.get(id) ?? "")?.ms);
      if (took.length === 0 || took.includes(undefined)) continue;
      yield { arm, unit, question, ms: took.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) };
    }
  }
}

/** Facts whose names begin so hold the texts of files. */
export const FILE = "file ";

/** The runs that one command reads. Each is opened once: opening reads its whole log. */
export class Runs {
  readonly #cwd: string;
  readonly #opened = new Map<string, StoredRun>();

  /** Paths start from `cwd`. */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Returns the run of a folder. Throws UsageError where there is none. */
  get(name: string): StoredRun {
    const run = this.find(name);
    if (run === undefined) throw noRun(name);
    return run;
  }

  /** Returns the run of a folder; undefined where there is none. Throws UsageError on a log that is none of this version. */
  find(name: string): StoredRun | undefined {
    const path = resolve(this.#cwd, name);
    const log = join(path, runFiles.log);
    if (existsSync(log)) return this.#load(name, path, log);
    if (existsSync(path) && !statSync(path).isDirectory())
      throw new UsageError(`${name}: a file; name the folder of a run`);
    return undefined;
  }

  /** Returns the run of a folder, or of a pack; `shown` names it in errors. Throws UsageError where there is neither. */
  getWithPacks(name: string, shown = name): StoredRun {
    const path = resolve(this.#cwd, name);
    const isPack = existsSync(path) && !isFolder(path);
    const run = isPack ? this.#load(name, path, path) : this.find(name);
    if (run !== undefined) return run;
    throw isPack ? new UsageError(`${shown}: neither a run nor a pack (export RUN --form pack)`) : noRun(shown);
  }

  /** Returns the runs of folders; a folder of runs stands for those in it, by name. */
  all(names: readonly string[]): StoredRun[] {
    return names.flatMap((name) => {
      const folder = resolve(this.#cwd, name);
      if (existsSync(join(folder, runFiles.log)) || !isFolder(folder)) return this.get(name);
      const inside = readdirSync(folder).sort();
      const runs = inside.flatMap((one) => this.find(relative(this.#cwd, join(folder, one))) ?? []);
      if (runs.length === 0) throw noRun(name);
      return runs;
    });
  }

  /** Returns undefined where the log says of no run: a process was killed before its first entry. */
  #load(name: string, path: string, logPath: string): StoredRun | undefined {
    const known = this.#opened.get(path);
    if (known !== undefined) return known;
    const shown = path === logPath ? name : logPath;
    const log = readLog(logPath, shown);
    let run: StoredRun | undefined;
    try {
      const manifest = manifestOf(log.state, shown);
      if (manifest !== undefined) run = new StoredRun({ name, path, log, manifest, runs: this });
    } finally {
      if (run === undefined) log.close();
    }
    if (run !== undefined) this.#opened.set(path, run);
    return run;
  }

  /** Closes all logs. */
  close(): void {
    for (const { log } of this.#opened.values()) log.close();
    this.#opened.clear();
  }
}

/** The outside world of a function that reads runs. */
export interface ReadingIo extends Io {
  readonly runs: Runs;
}

/** Hands work the runs that it may read, and closes them in the end. */
export async function withRuns<I extends Io, T>(io: I, work: (io: I & ReadingIo) => T | Promise<T>): Promise<T> {
  const runs = new Runs(io.cwd);
  try {
    return await work({ ...io, runs });
  } finally {
    runs.close();
  }
}

const noRun = (name: string): UsageError => new UsageError(`${name}: no run here (no ${runFiles.log})`);

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** The unit ids of a user: `u1` has `u1`, `u1#2`, ... */
export const isUnitOf = (unit: string, user: string): boolean => unit === user || unit.startsWith(`${user}#`);

/** Throws UsageError where `name` is asked for with `flag` (`--user`) and the run has no such thing; undefined asks for nothing. */
export function refuseAbsent(run: string, flag: string, name: string | undefined, known: readonly string[]): void {
  const names = [...new Set(known)];
  if (name === undefined || names.includes(name)) return;
  const more = names.length > LISTED ? `, ... (${names.length} in all)` : "";
  const has = names.length === 0 ? "it has none" : `it has ${names.slice(0, LISTED).join(", ")}${more}`;
  throw new UsageError(`${flag} ${name}: not in ${run}${suggest(name, names)}; ${has}`);
}

/** How many of the known names an error message lists. */
const LISTED = 5;

interface NamedResult {
  readonly name: string;
  readonly simulated: boolean;
}

/** Throws UsageError where only one of the two is SIMULATED; `rule` says what holds instead. */
export function refuseMixed(a: NamedResult, b: NamedResult, rule: string): void {
  if (a.simulated === b.simulated) return;
  const simulated = a.simulated ? a : b;
  const real = a.simulated ? b : a;
  throw new UsageError(`${simulated.name} is SIMULATED (embedded model) and ${real.name} is not: ${rule}`);
}

/** Throws UsageError on a shard where only a whole run is judged. */
export function refusePart({ name, manifest: { part } }: StoredRun): void {
  if (part !== undefined)
    throw new UsageError(
      `${name}: ${partName(part)} of a run; join the shards with lamp-eval run --reuse and name the whole run`,
    );
}
