import { ModelError } from "../../../errors.js";
import { withoutUrlSecrets } from "../../../net/url.js";
import type { Manifest } from "../../../run/manifest.js";
import { oneLine } from "../../../text/file-trouble.js";
import type { Model } from "../../../types/index.js";

/** Lets models write their bodies at once as an earlier process found that their servers take them. */
export function recallEndpoints(models: readonly Model[], { endpoints }: Pick<Manifest, "endpoints">): void {
  for (const { id: name, endpoint } of models) {
    const known = endpoints?.[name];
    if (known === undefined || endpoint?.facts.api !== known.api) continue;
    const { api, changed, record } = known;
    endpoint.recall(defined({ api, changed, record: record && defined(record) }));
  }
}

/** What the servers of the models have shown so far; nothing of those that have not replied. */
export function endpointsOf(
  models: readonly Model[],
  { endpoints: before }: Pick<Manifest, "endpoints">,
  baseUrl: string | undefined,
  now: string,
): Pick<Manifest, "endpoints"> {
  const seen = models.flatMap(({ id: name, endpoint, address = baseUrl }) => {
    if (endpoint === undefined || Object.keys(endpoint.facts).length <= 1) return [];
    const { api, changed, record } = endpoint.facts;
    const facts = defined({ api, changed: changed && [...changed], record: record && { ...record } });
    const server = address === undefined ? {} : { server: withoutUrlSecrets(address) };
    return [[name, { ...facts, ...server, day: before?.[name]?.day ?? now.slice(0, 10) }] as const];
  });
  return seen.length === 0 ? {} : { endpoints: { ...before, ...Object.fromEntries(seen) } };
}

/** Without the members that have no value. */
const defined = <T extends object>(facts: T): { [name in keyof T]: Exclude<T[name], undefined> } =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]: Exclude<T[name], undefined>;
  };

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
