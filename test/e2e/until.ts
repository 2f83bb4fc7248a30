import { setTimeout as delay } from "node:timers/promises";

/** Waits for something that another process brings about. The test's own time limit bounds the wait. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await delay(2);
}
