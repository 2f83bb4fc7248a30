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
export function batchReaders(
  task: ReadTask,
  bytes: number,
  { worthThreads = WORTH_THREADS, thread = THREAD }: { readonly worthThreads?: number; readonly thread?: URL } = {},
): BatchReaders {
  if (bytes < worthThreads || (thread.protocol === "file:" && !existsSync(fileURLToPath(thread))))
    return inThisThread(task);
  const count = Math.min(MOST_THREADS, availableParallelism());
  const threads = Array.from({ length: count }, () => openThread(task, thread));
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
function openThread({ name, fields }: ReadTask, thread: URL): Pick<BatchReaders, "read" | "close"> {
  const worker = new Worker(thread, { workerData: { name, fields } });
  const waiting: Waiting[] = [];
  let failure: unknown;
  const failAll = (error: unknown): void => {
    failure ??= error;
    for (const { failed } of waiting.splice(0)) failed(error);
  };
  worker.on("message", (read: ReadBatch) => waiting.shift()?.done(read));
  worker.on("error", failAll);
  worker.on("exit", () => failAll(new Error("a thread that reads questions ended")));
  return {
    read: (batch) =>
      new Promise((done, failed) => {
        if (failure !== undefined) {
          failed(failure);
          return;
        }
        waiting.push({ done, failed });
        worker.postMessage(batch, [batch.bytes.buffer as ArrayBuffer]);
      }),
    close: async () => void (await worker.terminate()),
  };
}
