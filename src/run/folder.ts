import { join } from "node:path";
import { Attempts } from "./attempts.js";
import { BatchLog } from "./batch-log.js";
import { closeAll, type SetAside } from "./journal.js";
import { type Manifest, writeManifest } from "./manifest.js";
import { lockOutFolder } from "./out-folder.js";
import { FileVectors, ResponseStore, SearchLog } from "./replies.js";
import { RunRows, repeatedCalls, requestsByCell } from "./rows.js";
import { runFiles } from "./run-files.js";
import { atWork, type BrokenSeal, refuseBrokenSeals, sealRun, withoutKept } from "./seals.js";

/** The files that a run writes while it calls, open. */
export interface RunRecords {
  readonly rows: RunRows;
  readonly store: ResponseStore;
  readonly searches: SearchLog;
  /** Undefined in a replay, which sends nothing. */
  readonly attempts: Attempts | undefined;
  /** The same of batches. */
  readonly batches: BatchLog | undefined;
  /** Undefined where no arm embeds at a cost. */
  readonly vectors: FileVectors | undefined;
  readonly damage: readonly SetAside[];
}

interface TakenUp {
  /** As it was found or made. */
  readonly manifest: Manifest;
  readonly broken: readonly BrokenSeal[];
  /** The folder as a person types it. */
  readonly shown: string;
}

/**
 * A run folder at work: its lock, its records, its manifest and the seals in it. A killed run goes on because every reply, row and unit
 * stands in its journal before anything else is done with it: the next process takes the lock over, opens the journals (`open`), asks
 * what has no row, and finds the replies that came before in the store. In this order: `takeUp`, `open`, `write`, `finish` where all is
 * done, `end`; `close` in every case.
 */
export class RunFolder {
  readonly path: string;
  /** Nothing is left to ask, and no record was damaged: only the time of its end changes. */
  idle = false;
  readonly #release: () => void;
  #run: TakenUp | undefined;
  #begun = false;
  #records: (RunRecords & { readonly opened: readonly { close(): void }[] }) | undefined;

  /** Locks the folder. Throws UsageError where another process works in it. */
  constructor(path: string, lock: Parameters<typeof lockOutFolder>[1]) {
    this.path = path;
    this.#release = lockOutFolder(path, lock);
  }

  /** The run that the folder holds from now on. */
  takeUp(run: TakenUp): void {
    this.#run = run;
  }

  /** The manifest of the run at work: the seals of an earlier end count as many records as they were made of. */
  get manifest(): Manifest {
    const { manifest, broken } = this.#taken();
    return atWork(manifest, broken);
  }

  /** Whether the run had ended and every sealed record is there as it was. */
  get isWhole(): boolean {
    return this.#taken().manifest.records !== undefined && this.manifest.mending === undefined;
  }

  /** Opens all records, or none. `recorded`: the store of a run that sends nothing. */
  open({
    recorded,
    embeds,
  }: {
    readonly recorded: ((path: string) => ResponseStore) | undefined;
    readonly embeds: boolean;
  }): RunRecords {
    const opened: { close(): void }[] = [];
    const kept = <T extends { close(): void }>(record: T): T => {
      opened.push(record);
      return record;
    };
    const file = (name: string): string => join(this.path, name);
    try {
      const rows = kept(new RunRows(this.path));
      const responses = file(runFiles.responses);
      const store = kept(recorded?.(responses) ?? new ResponseStore(responses));
      const isStored = (key: string): boolean => store.has(key);
      const sends = recorded === undefined;
      const attempts = sends ? kept(new Attempts(file(runFiles.attempts), isStored)) : undefined;
      const batches = sends ? kept(new BatchLog(file(runFiles.batches), isStored)) : undefined;
      const searches = kept(new SearchLog(file(runFiles.searches)));
      const vectors = embeds ? kept(new FileVectors(file(runFiles.vectors))) : undefined;
      const damage = [rows, store, searches, attempts, batches, vectors].flatMap((kind) => kind?.damage ?? []);
      this.#records = { rows, store, searches, attempts, batches, vectors, damage, opened };
      return this.#records;
    } catch (error) {
      closeAll(opened);
      throw error;
    }
  }

  /** Writes the manifest of the run at work, with what is known by now; `onceBegun`: where that was done before. */
  write(facts: Partial<Manifest>, { onceBegun = false } = {}): void {
    if (onceBegun && (!this.#begun || this.idle)) return;
    this.#begun = true;
    writeManifest(this.path, this.idle ? this.#taken().manifest : { ...this.manifest, ...facts });
  }

  /** All work is done: puts the records in order. Throws UsageError where sealed ones were changed meanwhile. */
  finish(facts: Partial<Manifest>): void {
    const { manifest } = this;
    if (!this.idle && manifest.kept !== undefined) {
      refuseBrokenSeals(this.path, this.#taken().shown, manifest);
      writeManifest(this.path, { ...withoutKept(manifest), ...facts });
    }
    this.#records?.rows.finish(this.idle);
  }

  /** Closes the records. Where all is done, `finishedAt`, seals them; writes down how the run ended. */
  end(finishedAt: string | undefined, facts: Partial<Manifest>): void {
    this.closeRecords();
    const { manifest } = this;
    const { mending: _mended, kept: _kept, ...ended } = manifest;
    writeManifest(this.path, {
      ...(this.idle ? this.#taken().manifest : finishedAt === undefined ? manifest : ended),
      ...(finishedAt === undefined ? {} : { finishedAt, ...(this.idle ? {} : this.#sealed(manifest, finishedAt)) }),
      ...facts,
    });
  }

  close(): void {
    try {
      this.closeRecords();
    } finally {
      this.#release();
    }
  }

  #sealed(manifest: Manifest, at: string): Partial<Manifest> {
    return {
      requests: requestsByCell(this.path),
      ...repeatedCalls(this.path, manifest.plan.cells),
      ...sealRun(this.path, manifest, at),
    };
  }

  /** They may be opened again. */
  closeRecords(): void {
    const { opened = [] } = this.#records ?? {};
    this.#records = undefined;
    closeAll(opened);
  }

  #taken(): TakenUp {
    if (this.#run === undefined) throw new Error(`${this.path}: no run is taken up`);
    return this.#run;
  }
}
