import type { Io } from "../../run/io.js";
import { messageOf } from "../../text/file-trouble.js";
import { writePage } from "./page.js";

const EVERY_MS = 30_000;
/** Making pages takes at most this part of a run's time. */
const SHARE = 1 / 20;

/**
 * Writes the page of a run anew every 30 s while it works, more rarely where that takes long, until the signal. Resolves to whether
 * one was written. A page that cannot be made is said and ends it; the run goes on.
 */
export async function followRun(folder: string, io: Io, ended: AbortSignal): Promise<boolean> {
  const { clock } = io;
  let isWritten = false;
  for (let took = 0; ; ) {
    try {
      await clock.sleep(Math.max(EVERY_MS, took / SHARE), ended);
      const began = clock.monotonic();
      const writtenAt = `${new Date(clock.now()).toISOString().slice(11, 19)} UTC`;
      await writePage(folder, { ...io, tell: () => undefined }, writtenAt);
      isWritten = true;
      took = clock.monotonic() - began;
    } catch (error) {
      if (!ended.aborted) io.tell(`warning: the page does not follow the run: ${messageOf(error)}`);
      return isWritten;
    }
  }
}
