import type { Manifest } from "../../run/manifest.js";
import { withoutUrlSecrets } from "../../secrets/url.js";
import type { Model } from "../../types.js";

/** Lets models write their bodies at once as an earlier process found that their servers take them. */
export function recallEndpoints(models: readonly Model[], { endpoints }: Pick<Manifest, "endpoints">): void {
  for (const { id, endpoint } of models) {
    const known = endpoints?.[id];
    if (known === undefined || endpoint?.facts.api !== known.api) continue;
    const { changed, limit, usage, reasoning, logprobs, tools, rateHeaders } = known;
    const facts = { changed, limit, usage, reasoning, logprobs, tools, rateHeaders };
    endpoint.recall({ api: known.api, ...defined(facts) });
  }
}

/** What the servers of the models have shown so far; nothing of those that have not replied. */
export function endpointsOf(
  models: readonly Model[],
  { endpoints: before }: Pick<Manifest, "endpoints">,
  baseUrl: string | undefined,
  now: string,
): Pick<Manifest, "endpoints"> {
  const server = baseUrl === undefined ? {} : { server: withoutUrlSecrets(baseUrl) };
  const seen = models.flatMap(({ id, endpoint }) => {
    if (endpoint === undefined || Object.keys(endpoint.facts).length <= 1) return [];
    const { changed, rateHeaders, ...facts } = endpoint.facts;
    const lists = defined({ changed: changed && [...changed], rateHeaders: rateHeaders && [...rateHeaders] });
    return [[id, { ...facts, ...lists, ...server, day: before?.[id]?.day ?? now.slice(0, 10) }] as const];
  });
  return seen.length === 0 ? {} : { endpoints: { ...before, ...Object.fromEntries(seen) } };
}

/** The remarks of tasks with the parameters that a server refused: `temperature not applied`. */
export function withNotApplied(tasks: Manifest["tasks"], models: readonly Model[]): Manifest["tasks"] {
  const left = models.flatMap(({ id, endpoint }) =>
    (endpoint?.notApplied ?? []).map((name) => (models.length === 1 ? name : `${name} of ${id}`)),
  );
  if (left.length === 0) return tasks;
  return tasks.map((task) => ({
    ...task,
    remarks: [...new Set([...task.remarks, ...left.map((name) => `${name} not applied`)])],
  }));
}

// --- internal ---

/** Without the members that have no value. */
const defined = <T extends object>(facts: T): { [name in keyof T]: Exclude<T[name], undefined> } =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)) as {
    [name in keyof T]: Exclude<T[name], undefined>;
  };
