import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isProbe } from "../agent/probe.js";
import { UsageError } from "../errors.js";
import { lockFolder } from "../log/lock.js";
import type { Log } from "../log/log.js";
import { openLog } from "../log/log.js";
import type { State } from "../log/state.js";
import type { Json } from "../types/index.js";
import type { Manifest } from "./manifest.js";
import { manifestOf } from "./manifest.js";
import { fileHash, runFiles } from "./rows.js";
import { StoredRun } from "./stored-run.js";

interface FolderSettings {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Told where the lock was taken away. */
  onLost(error: UsageError): void;
  /** Texts that may stand in no entry. */
  readonly secrets?: readonly string[];
}

/** The folder of a run at work: holds its lock, writes its log. */
export class RunFolder {
  readonly path: string;
  readonly log: Log;
  readonly #release: () => void;

  /** Locks the folder and opens its log. Throws UsageError where another process works in it, or it holds other things. */
  constructor(path: string, settings: FolderSettings) {
    refuseForeign(path);
    this.path = path;
    this.#release = lockFolder(path, settings);
    try {
      this.log = openLog(path, settings);
    } catch (error) {
      this.#release();
      throw error;
    }
  }

  /** What the folder says of its run; undefined where it holds none yet. */
  get storedManifest(): Manifest | undefined {
    return manifestOf(this.log.state, this.log.path);
  }

  /** Returns the run for reading, by the log that is open here. Throws UsageError before the run has begun. */
  stored(): StoredRun {
    const { path, log, storedManifest: manifest } = this;
    if (manifest === undefined) throw new UsageError(`${path}: no run here yet`);
    return new StoredRun({ name: path, path, log, manifest });
  }

  /** True where a batch is out, or a call was answered that is no check of tool calls: a run that failed at such a check can be changed. */
  get hasAnswers(): boolean {
    const { batches, answers } = this.log.state;
    if (batches.size > 0) return true;
    if (answers.size === 0) return false;
    for (const entry of this.log.entries()) if (entry.t === "answer" && !isProbe(entry.request)) return true;
    return false;
  }

  /** Writes the manifest into the log where it differs from the one there. Members that were learned later, as facts, keep their first value. */
  begin(manifest: Manifest): void {
    const { plan: old, facts } = this.log.state;
    const { by: _, finishedAt: __, rows: ___, ...description } = manifest;
    const plan = asJson(description) as Record<string, Json>;
    for (const name of facts.keys()) {
      const before = (old as Readonly<Record<string, Json>> | undefined)?.[name]; // a plan is an object
      if (before === undefined) delete plan[name];
      else plan[name] = before;
    }
    if (!isDeepStrictEqual(old, plan)) this.log.append({ t: "plan", plan });
  }

  /** Writes facts into the log, those that it does not hold yet. */
  note(facts: Partial<Manifest>): void {
    for (const [name, value] of Object.entries(facts)) {
      if (value === undefined) continue;
      const fact = asJson(value);
      if (!isDeepStrictEqual(this.log.state.facts.get(name), fact)) this.log.append({ t: "fact", name, value: fact });
    }
  }

  /** Cancels `end` by appending the plan again, before the rows are made anew. */
  reopen(): void {
    const { plan, end } = this.log.state;
    if (plan !== undefined && end !== undefined) this.log.append({ t: "plan", plan });
  }

  /** All is answered: `rows` is the SHA-256 of the rows. */
  finish(rows: string, by: string): void {
    const { end, corrupt } = this.log.state;
    if (end?.rows === rows && end.by === by) return;
    this.log.append({ t: "end", ...(corrupt.length > 0 && { corruptLines: corrupt.length }), rows, by });
  }

  close(): void {
    try {
      this.log.close();
    } finally {
      this.#release();
    }
  }
}

/** Returns a value as JSON keeps it: without members that are undefined. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Returns true where this version finished the run of a folder, no call failed, and its rows are those that it ended with. */
export function isFinished(folder: string, { end, failures }: State, version: string): boolean {
  if (end === undefined || end.by !== version || failures.size > 0) return false;
  return fileHash(join(folder, runFiles.rows)) === end.rows && existsSync(join(folder, runFiles.traces));
}

/** Throws UsageError where a folder without a log holds files that a run would write over. */
function refuseForeign(folder: string): void {
  if (existsSync(join(folder, runFiles.log))) return;
  const written = Object.values(runFiles).filter((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size > 0;
  });
  if (written.length > 0)
    throw new UsageError(
      `--out ${folder}: holds ${written.join(", ")}, which a run would write over; choose another --out`,
    );
}
