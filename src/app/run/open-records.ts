import { join } from "node:path";
import { CassetteStore } from "../../run/cassette-store.js";
import { ResponseStore } from "../../run/response-store.js";
import { RunRows, runFiles } from "../../run/run-rows.js";
import { SearchLog } from "../../run/search-log.js";
import { FileVectors } from "../../run/vector-store.js";
import type { Prepared } from "./prepare.js";

/** The files that a run writes while it calls, open. */
export interface RunRecords {
  readonly rows: RunRows;
  readonly store: ResponseStore;
  readonly searches: SearchLog;
  /** Undefined where no arm embeds at a cost. */
  readonly vectors: FileVectors | undefined;
  close(): void;
}

/** Opens them all, or none: where one throws, the others are closed again. */
export function openRecords(folder: string, { arms, embedders, replay }: Prepared): RunRecords {
  const opened: { close(): void }[] = [];
  const kept = <T extends { close(): void }>(record: T): T => {
    opened.push(record);
    return record;
  };
  const close = (): void => {
    for (const record of opened) record.close();
  };
  try {
    const rows = kept(new RunRows(folder));
    const responses = join(folder, runFiles.responses);
    const store = kept(
      replay === undefined ? new ResponseStore(responses) : new CassetteStore(responses, replay.cassette),
    );
    const searches = kept(new SearchLog(join(folder, runFiles.searches)));
    const embeds = arms.some(({ cell }) => embedders.isCostly(cell.options));
    const vectors = embeds ? kept(new FileVectors(join(folder, runFiles.vectors))) : undefined;
    return { rows, store, searches, vectors, close };
  } catch (error) {
    close();
    throw error;
  }
}
