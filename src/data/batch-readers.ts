import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type Batch, BatchReader, type ReadBatch, type ReadTask } from "./question-batch.js";

/** Readers of batches, side by side. */
export interface BatchReaders {
  /** Batches worth having under way at once. */
  readonly width: number;
  read(batch: Batch): Promise<ReadBatch>;
  /** Takes back the memory of a batch that is done with: the next one is written there. */
  free(read: ReadBatch): void;
  /** SHA-256 of a file, hex, by a thread that does nothing else; undefined: this thread may as well do it while it reads. */
  hash(file: string): Promise<string> | undefined;
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
  const newThread = (): Thread => openThread(task, thread);
  const threads = Array.from({ length: count }, newThread);
  const hashing = newThread();
  const spare: ArrayBuffer[] = [];
  let next = 0;
  return {
    width: 2 * threads.length,
    async read(batch) {
      const room = spare.pop();
      const answer = threads[next++ % threads.length]!.ask({ batch, room }, room === undefined ? [] : [room]);
      return answer as Promise<ReadBatch>; // what question-worker.ts answers a batch with
    },
    free: ({ pasts }) => void spare.push(pasts.buffer as ArrayBuffer),
    hash: (file) => hashing.ask({ hash: file }) as Promise<string>, // so too
    close: async () => void (await Promise.all([...threads, hashing].map((thread) => thread.close()))),
  };
}

/** What a thread is asked. `room`: see `BatchReader.read`. */
export type Asked = { readonly batch: Batch; readonly room: ArrayBuffer | undefined } | { readonly hash: string };

const WORTH_THREADS = 32e6;
/** Reading and cutting the file, in the first thread, keeps no more of them busy. */
const MOST_THREADS = 3;
const THREAD = new URL("./question-worker.js", import.meta.url);

function inThisThread(task: ReadTask): BatchReaders {
  const reader = new BatchReader(task);
  return {
    width: 1,
    read: async (batch) => reader.read(batch),
    free: () => undefined,
    hash: () => undefined,
    close: async () => reader.close(),
  };
}

interface Waiting {
  done(answer: unknown): void;
  failed(error: unknown): void;
}

interface Thread {
  ask(asked: Asked, handed?: readonly ArrayBuffer[]): Promise<unknown>;
  close(): Promise<void>;
}

/** A thread answers in the order in which it is asked. */
function openThread({ name, fields }: ReadTask, thread: URL): Thread {
  const worker = new Worker(thread, { workerData: { name, fields } });
  const waiting: Waiting[] = [];
  let failure: unknown;
  const failAll = (error: unknown): void => {
    failure ??= error;
    for (const { failed } of waiting.splice(0)) failed(error);
  };
  worker.on("message", (answer: unknown) => waiting.shift()?.done(answer));
  worker.on("error", failAll);
  worker.on("exit", () => failAll(new Error("a thread that reads questions ended")));
  return {
    ask: (asked, handed = []) =>
      new Promise((done, failed) => {
        if (failure !== undefined) {
          failed(failure);
          return;
        }
        waiting.push({ done, failed });
        worker.postMessage(asked, handed);
      }),
    close: async () => void (await worker.terminate()),
  };
}
