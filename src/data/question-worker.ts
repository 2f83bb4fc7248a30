import { parentPort, workerData } from "node:worker_threads";
import type { Asked } from "./batch-readers.js";
import { hashOfFile } from "./json-array.js";
import { BatchReader, type ReadTask } from "./question-batch.js";

/** A thread that reads batches of one task, handed over as `workerData`, or hashes files, in the order in which it is asked. */
const reader = new BatchReader(workerData as ReadTask);
parentPort?.on("message", (asked: Asked) => {
  if ("hash" in asked) {
    parentPort?.postMessage(hashOfFile(asked.hash));
    return;
  }
  const read = reader.read(asked.batch, asked.room);
  parentPort?.postMessage(read, [read.pasts.buffer as ArrayBuffer]);
});
