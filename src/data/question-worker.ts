import { parentPort, workerData } from "node:worker_threads";
import { type Batch, type ReadTask, readBatch } from "./question-batch.js";

/** A thread that reads batches of one task, handed over as `workerData`, in the order in which they come. */
const task = workerData as ReadTask;
parentPort?.on("message", (batch: Batch) => {
  const read = readBatch(batch, task);
  parentPort?.postMessage(read, [read.pasts.buffer as ArrayBuffer]);
});
