import { parentPort, workerData } from "node:worker_threads";
import { allCells } from "./all-cells.js";

/** One thread of the bench: is told the place of a cell in the list, and answers with what it found. */
const { samples } = workerData as { readonly samples: number };
const cells = allCells();
parentPort!.on("message", (place: number) => {
  const started = performance.now();
  const rates = cells[place]!.run(samples);
  parentPort!.postMessage({ place, rates, seconds: (performance.now() - started) / 1000 });
});
parentPort!.postMessage("ready");
