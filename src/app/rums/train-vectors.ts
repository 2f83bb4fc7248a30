import { existsSync } from "node:fs";
import { join } from "node:path";
import { memoryVectors, type VectorStore } from "../../embedders/index.js";
import { KeyedRecords } from "../../run/journal/keyed-records.js";
import { damageLine } from "../../run/journal/set-aside.js";
import { lockFolder, otherOut } from "../../run/lease.js";
import { runFiles } from "../../run/run-files.js";
import { FileVectors, type StoredVector, vectorOf } from "../../run/stores/vector-store.js";
import type { Io } from "../io.js";

/** Vectors that the run has kept, and those computed now. */
interface TrainVectors extends VectorStore {
  close(): void;
}

/**
 * `home`: a folder for vectors that cost something and that the run has not kept; one process works in it, and a training that is
 * given again computes none of them twice. Absent: they stay in memory. Throws UsageError where another process works in it.
 */
export function openTrainVectors(run: string, home: string | undefined, io: Pick<Io, "tell">): TrainVectors {
  const path = join(run, runFiles.vectors);
  const kept = existsSync(path) ? new KeyedRecords<StoredVector>(path) : undefined;
  const computed = home === undefined ? { ...memoryVectors(), close: () => undefined } : openHome(home, io);
  return {
    get(key) {
      const known = computed.get(key);
      const stored = known === undefined ? kept?.get(key) : undefined;
      return known ?? (stored === undefined ? undefined : vectorOf(stored));
    },
    put: computed.put,
    close: computed.close,
  };
}

function openHome(home: string, io: Pick<Io, "tell">): TrainVectors {
  const unlock = lockFolder(home, { elseDo: otherOut });
  try {
    const vectors = new FileVectors(join(home, runFiles.vectors));
    for (const one of vectors.damage) io.tell(damageLine(one));
    return {
      get: (key) => vectors.get(key),
      put: (key, vector) => vectors.put(key, vector),
      close() {
        try {
          vectors.close();
        } finally {
          unlock();
        }
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}
