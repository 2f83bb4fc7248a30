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

/** A run's path, its open log and its manifest. */
interface OpenedRun {
  /** The run's name on the command line. */
  readonly name: string;
  /** The folder or the pack, absolute. */
  readonly path: string;
  readonly log: ReadLog;
  readonly manifest: Manifest;
  /** The runs among which it was found. */
  readonly runs?: Runs | undefined;
}

/** A run, finished or not, opened for reading: a folder or a pack. Rows and traces are read on access. */
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

  /** Yields all rows and records in file order; none for a pack without requests. */
  *lines(): Generator<RowLine> {
    if (!this.isPack) yield* rowLines(this.path);
    else for (const entry of this.log.entries()) if (entry.t === "row") yield entry.row;
  }

  get rows(): readonly Row[] {
    return this.#read().rows;
  }

  /** The records of prepared units and shared values. */
  get units(): readonly UnitRecord[] {
    return this.#read().units;
  }

  #read(): Records {
    this.#records ??= recordsOf(this.lines());
    return this.#records;
  }

  /** Yields the traces. All traces of a large run need more memory than its rows. */
  traces(): Generator<Trace> {
    return tracesOf(this.path);
  }

  /** Returns the texts of the files that options name, by their names in the plan. */
  get files(): ReadonlyMap<string, string> {
    const facts = [...this.log.state.facts].filter(([name]) => name.startsWith(FILE));
    return new Map(facts.map(([name, text]) => [name.slice(FILE.length), String(text)]));
  }

  arm(id: string): ArmSpec | undefined {
    return this.manifest.identity.arms.find((arm) => arm.id === id);
  }

  /** Returns a call by its id in traces; undefined without a reply, and without a request, as in some packs. */
  call(id: string): StoredCall | undefined {
    const { request, value } = this.log.get(this.#callKeys.get(id) ?? "") ?? {};
    return request === undefined ? undefined : { request, reply: value as unknown as ModelReply }; // only replies have a request
  }

  /** Returns the ids of all answered calls in the order of their answers. */
  callIds(): Iterable<string> {
    return this.#callKeys.keys();
  }

  get #callKeys(): ReadonlyMap<string, string> {
    this.#keys ??= new Map([...this.log.state.answers.keys()].map((key) => [key.slice(0, CALL_ID_LENGTH), key]));
    return this.#keys;
  }

  /** Yields the time of all calls of each question and preparation, unless this run has copied one of them, or had it in a batch. */
  *timings(): Generator<Timing> {
    const { answers } = this.log.state;
    for (const { arm, unit, question, requests } of this.traces()) {
      const times = [...new Set(requests)].map((id) => answers.get(this.#callKeys.get(id) ?? "")?.ms);
      if (times.length === 0 || times.includes(undefined)) continue;
      yield { arm, unit, question, ms: times.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) };
    }
  }
}

/** Start of the names of facts that hold the texts of files. */
export const FILE = "file ";

/** The runs that a command reads. Each is opened once, since opening reads its whole log. */
export class Runs {
  readonly #cwd: string;
  readonly #opened = new Map<string, StoredRun>();

  /** Paths start from `cwd`. */
  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Returns the run in a folder. Throws UsageError if there is none. */
  get(name: string): StoredRun {
    const run = this.find(name);
    if (run === undefined) throw noRun(name);
    return run;
  }

  /** Returns the run in a folder; undefined if there is none. Throws UsageError on a log of another version. */
  find(name: string): StoredRun | undefined {
    const path = resolve(this.#cwd, name);
    const log = join(path, runFiles.log);
    if (existsSync(log)) return this.#load(name, path, log);
    if (existsSync(path) && !statSync(path).isDirectory())
      throw new UsageError(`${name}: a file; name the folder of a run`);
    return undefined;
  }

  /** Returns the run in a folder or a pack. `shown`: its name in messages. Throws UsageError if there is none. */
  getWithPacks(name: string, shown = name): StoredRun {
    const path = resolve(this.#cwd, name);
    const isPack = existsSync(path) && !isFolder(path);
    const run = isPack ? this.#load(name, path, path) : this.find(name);
    if (run !== undefined) return run;
    throw isPack ? new UsageError(`${shown}: neither a run nor a pack (export RUN --form pack)`) : noRun(shown);
  }

  /** Returns the runs in folders. A folder of run folders stands for these, sorted by name. */
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

  /** Returns undefined for a log without a manifest: its process was killed at once. */
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

/** The services of a function that reads runs. */
export interface ReadingIo extends Io {
  readonly runs: Runs;
}

/** Calls a function with runs to read. Closes them afterwards. */
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

/** Returns true for the units of a user: `u1` has `u1`, `u1#2`, ... */
export const isUnitOf = (unit: string, user: string): boolean => unit === user || unit.startsWith(`${user}#`);

/** Throws UsageError if a run does not have the name that was given with a flag, such as `--user`. */
export function refuseAbsent(run: string, given: GivenName, known: readonly string[]): void {
  const { flag, name } = given;
  const names = [...new Set(known)];
  if (name === undefined || names.includes(name)) return;
  const more = names.length > LISTED ? `, ... (${names.length} in all)` : "";
  const has = names.length === 0 ? "it has none" : `it has ${names.slice(0, LISTED).join(", ")}${more}`;
  throw new UsageError(`${flag} ${name}: not in ${run}${suggest(name, names)}; ${has}`);
}

interface GivenName {
  readonly flag: string;
  /** Undefined: the flag was not given. */
  readonly name: string | undefined;
}

/** Number of known names in a message. */
const LISTED = 5;

interface NamedResult {
  readonly name: string;
  readonly simulated: boolean;
}

/** Throws UsageError if only one of two results is SIMULATED. `rule`: end of the message, what to do. */
export function refuseMixed(a: NamedResult, b: NamedResult, rule: string): void {
  if (a.simulated === b.simulated) return;
  const simulated = a.simulated ? a : b;
  const real = a.simulated ? b : a;
  throw new UsageError(`${simulated.name} is SIMULATED (embedded model) and ${real.name} is not: ${rule}`);
}

/** Throws UsageError on a shard: only whole runs are judged. */
export function refusePart({ name, manifest: { part } }: StoredRun): void {
  if (part !== undefined)
    throw new UsageError(
      `${name}: ${partName(part)} of a run; join the shards with lamp-eval run --reuse and name the whole run`,
    );
}
