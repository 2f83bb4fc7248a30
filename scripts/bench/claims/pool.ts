import { Worker } from "node:worker_threads";
import type { Rate } from "./cell.js";

export interface Found {
  readonly place: number;
  readonly rates: readonly Rate[];
  readonly seconds: number;
}

/** Runs the cells of these places on threads, in order, and tells of each as it ends. Rejects where a thread fails. */
export async function runCells(
  places: readonly number[],
  settings: { readonly samples: number; readonly threads: number },
  tell: (found: Found) => void,
): Promise<void> {
  const left = [...places];
  const one = () =>
    new Promise<void>((done, failed) => {
      const thread = new Worker(new URL("./thread.js", import.meta.url), { workerData: settings });
      thread.on("error", failed);
      thread.on("message", (message: "ready" | Found) => {
        if (message !== "ready") tell(message);
        const next = left.shift();
        if (next !== undefined) return thread.postMessage(next);
        void thread.terminate();
        done();
      });
    });
  await Promise.all(Array.from({ length: Math.min(settings.threads, places.length) }, one));
}
