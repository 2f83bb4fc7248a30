import { join } from "node:path";
import { Attempts } from "../../../run/attempts.js";
import { BatchLog } from "../../../run/batch-log.js";
import { CassetteStore } from "../../../run/cassette/cassette.js";
import type { SetAside } from "../../../run/journal.js";
import { FileVectors, ResponseStore, SearchLog } from "../../../run/replies.js";
import { RunRows, runFiles } from "../../../run/rows.js";
import type { Prepared } from "../prepare.js";

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
  /** What was damaged and is set aside. */
  readonly damage: readonly SetAside[];
  close(): void;
}

/** Opens them all, or none: where one throws, the others are closed again. */
export function openRecords({ folder, arms, embedders, replay }: Prepared): RunRecords {
  const opened: { close(): void }[] = [];
  const kept = <T extends { close(): void }>(record: T): T => {
    opened.push(record);
    return record;
  };
  const close = (): void => closeAll(opened);
  try {
    const rows = kept(new RunRows(folder));
    const responses = join(folder, runFiles.responses);
    const store = kept(
      replay === undefined ? new ResponseStore(responses) : new CassetteStore(responses, replay.cassette),
    );
    const isStored = (key: string): boolean => store.has(key);
    const attempts = replay === undefined ? kept(new Attempts(join(folder, runFiles.attempts), isStored)) : undefined;
    const batches =
      replay === undefined ? kept(new BatchLog(join(folder, runFiles.batches), (key) => store.has(key))) : undefined;
    const searches = kept(new SearchLog(join(folder, runFiles.searches)));
    const embeds = arms.some(({ cell }) => embedders.isCostly(cell.options));
    const vectors = embeds ? kept(new FileVectors(join(folder, runFiles.vectors))) : undefined;
    const damage = [rows, store, searches, attempts, batches, vectors].flatMap((kind) => kind?.damage ?? []);
    return { rows, store, searches, attempts, batches, vectors, damage, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Every one, whatever becomes of the others; the first failure is thrown. */
export function closeAll(opened: readonly { close(): void }[]): void {
  const failures: unknown[] = [];
  for (const record of opened) {
    try {
      record.close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
