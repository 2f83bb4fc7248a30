import { ModelError } from "../../../errors.js";
import { oneLine } from "../../../text/one-line.js";
import type { Model } from "../../../types.js";

interface Asking {
  readonly signal: AbortSignal;
  readonly nowMs: number;
  tell(line: string): void;
}

/**
 * Reads the providers' own records of models that this version does not know, unless an earlier process did, and tells of models that
 * end within 30 days. A record that cannot be read is told and ends nothing.
 */
export async function readModelRecords(models: readonly Model[], { signal, nowMs, tell }: Asking): Promise<void> {
  for (const { id, endpoint, retires: known, readRecord } of models) {
    if (readRecord !== undefined && endpoint?.facts.record === undefined)
      await readRecord(signal).catch((error: unknown) => {
        if (!(error instanceof ModelError)) throw error;
        tell(`no record of this model can be read, so it is asked by the strictest rules: ${oneLine(error)}`);
      });
    const retires = known ?? endpoint?.facts.record?.retires;
    const days = Math.ceil((Date.parse(retires ?? "") - nowMs) / DAY_MS);
    if (days >= SOON_DAYS || Number.isNaN(days)) continue;
    const day = retires?.slice(0, 10);
    tell(days > 0 ? `${id} ends on ${day}, in ${days} ${days === 1 ? "day" : "days"}` : `${id} was to end on ${day}`);
  }
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;
