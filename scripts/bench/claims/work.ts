import { parentPort, workerData } from "node:worker_threads";
import { allCells } from "./all-cells.js";
import { oldTree } from "./old-tree.js";

/** One thread of the bench: is told the place of a cell in the list, and answers with what it found. */
const { samples, beside } = workerData as { readonly samples: number; readonly beside: string | undefined };
const cells = allCells();
const old = beside === undefined ? undefined : await oldTree(beside);
parentPort!.on("message", (place: number) => {
  const started = performance.now();
  const rates = cells[place]!.run(samples, old);
  parentPort!.postMessage({ place, rates, seconds: (performance.now() - started) / 1000 });
});
parentPort!.postMessage("ready");
