import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type Batch, type ReadBatch, type ReadTask, readBatch } from "./question-batch.js";

/** Readers of batches, side by side. */
export interface BatchReaders {
  /** Batches worth having under way at once. */
  readonly width: number;
  /** The batch's own bytes are gone afterwards. */
  read(batch: Batch): Promise<ReadBatch>;
  close(): Promise<void>;
}

/** Threads for `bytes` of questions; small files, and trees of TypeScript (no file for a thread), are read in this thread. */
export function batchReaders(task: ReadTask, bytes: number): BatchReaders {
  if (bytes < WORTH_THREADS || !existsSync(fileURLToPath(THREAD))) return inThisThread(task);
  const threads = Array.from({ length: Math.min(MOST_THREADS, availableParallelism()) }, () => openThread(task));
  let next = 0;
  return {
    width: 2 * threads.length,
    read: (batch) => threads[next++ % threads.length]!.read(batch),
    close: async () => void (await Promise.all(threads.map((thread) => thread.close()))),
  };
}

// --- internal ---

const WORTH_THREADS = 32e6;
/** Reading and cutting the file, in the first thread, keeps no more of them busy. */
const MOST_THREADS = 3;
const THREAD = new URL("./question-worker.js", import.meta.url);

function inThisThread(task: ReadTask): BatchReaders {
  return { width: 1, read: async (batch) => readBatch(batch, task), close: async () => undefined };
}

interface Waiting {
  done(read: ReadBatch): void;
  failed(error: unknown): void;
}

/** A thread answers in the order in which it is asked. */
function openThread({ name, fields }: ReadTask): Pick<BatchReaders, "read" | "close"> {
  const worker = new Worker(THREAD, { workerData: { name, fields } });
  const waiting: Waiting[] = [];
  const failAll = (error: unknown): void => {
    for (const { failed } of waiting.splice(0)) failed(error);
  };
  worker.on("message", (read: ReadBatch) => waiting.shift()?.done(read));
  worker.on("error", failAll);
  worker.on("exit", () => failAll(new Error("a thread that reads questions ended")));
  return {
    read: (batch) =>
      new Promise((done, failed) => {
        waiting.push({ done, failed });
        worker.postMessage(batch, [batch.bytes.buffer as ArrayBuffer]);
      }),
    close: async () => void (await worker.terminate()),
  };
}
