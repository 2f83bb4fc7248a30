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
  /** Called if another process takes the lock away. */
  onLost(error: UsageError): void;
  /** Texts that no entry of the log may contain. */
  readonly secrets?: readonly string[];
}

/** The folder of a run, with its lock and its log opened for writing. */
export class RunFolder {
  readonly path: string;
  readonly log: Log;
  readonly #release: () => void;

  /** Locks the folder and opens its log. Throws UsageError if another process has the lock, or the folder holds other files. */
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

  /** The manifest in the log; undefined if there is none yet. */
  get storedManifest(): Manifest | undefined {
    return manifestOf(this.log.state, this.log.path);
  }

  /** Returns the run for reading, with the log that is open here. Throws UsageError without a manifest. */
  stored(): StoredRun {
    const { path, log, storedManifest: manifest } = this;
    if (manifest === undefined) throw new UsageError(`${path}: no run here yet`);
    return new StoredRun({ name: path, path, log, manifest });
  }

  /** True if a batch is open, or a call is answered, checks of tool calls not counted: without answers the run may be changed. */
  get hasAnswers(): boolean {
    const { batches, answers } = this.log.state;
    if (batches.size > 0) return true;
    if (answers.size === 0) return false;
    for (const entry of this.log.entries()) if (entry.t === "answer" && !isProbe(entry.request)) return true;
    return false;
  }

  /** Writes the manifest into the log if it has changed. Members that are facts by now keep the value of the first manifest. */
  begin(manifest: Manifest): void {
    const { plan: stored, facts } = this.log.state;
    const { by: _, finishedAt: __, rows: ___, ...withoutEnd } = manifest;
    const plan = asJson(withoutEnd) as Record<string, Json>;
    for (const name of facts.keys()) {
      const first = (stored as Readonly<Record<string, Json>> | undefined)?.[name]; // a manifest is an object
      if (first === undefined) delete plan[name];
      else plan[name] = first;
    }
    if (!isDeepStrictEqual(stored, plan)) this.log.append({ t: "plan", plan });
  }

  /** Writes the facts into the log that it does not hold yet. */
  note(facts: Partial<Manifest>): void {
    for (const [name, value] of Object.entries(facts)) {
      if (value === undefined) continue;
      const fact = asJson(value);
      if (!isDeepStrictEqual(this.log.state.facts.get(name), fact)) this.log.append({ t: "fact", name, value: fact });
    }
  }

  /** Cancels `end`, by appending the manifest again: the rows will be made anew. */
  reopen(): void {
    const { plan, end } = this.log.state;
    if (plan !== undefined && end !== undefined) this.log.append({ t: "plan", plan });
  }

  /** Writes `end` into the log. `rows`: SHA-256 of the rows file; `by`: version of lamp-eval. */
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

/** Returns a value without undefined members, as JSON stores it. */
export const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

/** Returns true if this version finished the run of a folder, no call failed, and its files are unchanged. */
export function isFinished(folder: string, { end, failures }: State, version: string): boolean {
  if (end === undefined || end.by !== version || failures.size > 0) return false;
  return fileHash(join(folder, runFiles.rows)) === end.rows && existsSync(join(folder, runFiles.traces));
}

/** Throws UsageError if a folder without a log holds files that a run would overwrite. */
function refuseForeign(folder: string): void {
  if (existsSync(join(folder, runFiles.log))) return;
  const present = Object.values(runFiles).filter((name) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size > 0;
  });
  if (present.length > 0)
    throw new UsageError(
      `--out ${folder}: holds ${present.join(", ")}, which a run would write over; choose another --out`,
    );
}
