import type { Clock, Model, ModelRequest, Usage } from "../../types.js";
import { type CacheSetting, prefixName, sharedPrefix } from "../cache-marks.js";

interface WarmSettings {
  readonly cache: CacheSetting;
  readonly clock: Clock;
}

/**
 * Of calls whose prompts begin with one cached prefix (the turns of all agents of one user), the first goes alone and the
 * others wait for its reply: a cache can be read once its first reply has begun. Where the first fails, the next goes.
 * A prefix that was not used for the life of a cache entry is cold again. An opening that the server wrote several times and did not
 * read as often is no longer sent as one.
 */
export function warmFirst(model: Model, { cache, clock }: WarmSettings): Model {
  const { capabilities } = model;
  if (cache === "off" || capabilities.cache === undefined) return model;
  const warmUntil = new Map<string, number>();
  const warming = new Map<string, Promise<void>>();
  const saved = new Map<string, Balance>();
  return {
    ...model,
    async complete(asked, signal) {
      const request = saves(asked, saved) ? asked : withoutOpening(asked);
      const prefix = sharedPrefix(request, capabilities);
      if (prefix === undefined) return model.complete(request, signal);
      while ((warmUntil.get(prefix) ?? 0) <= clock.monotonic()) {
        const first = warming.get(prefix);
        if (first === undefined) break;
        await first;
        signal.throwIfAborted();
      }
      const isFirst = (warmUntil.get(prefix) ?? 0) <= clock.monotonic();
      let settle = (): void => undefined;
      if (isFirst) warming.set(prefix, new Promise((resolve) => (settle = resolve)));
      try {
        const reply = await model.complete(request, signal);
        forgetCold(warmUntil, clock.monotonic());
        warmUntil.delete(prefix); // to the end
        warmUntil.set(prefix, clock.monotonic() + LIFE_MS);
        if (request.opening !== undefined) saved.set(prefix, withUsage(saved.get(prefix), reply.usage));
        return reply;
      } finally {
        if (isFirst) warming.delete(prefix);
        settle();
      }
    },
  };
}

/** The shortest life of a provider's entry, less a little (Anthropic and Bedrock: five minutes, renewed by each use). */
const LIFE_MS = 270_000;

/** How often a server read an opening, and how often it wrote it because it could not. */
interface Balance {
  readonly writes: number;
  readonly reads: number;
}

const withUsage = (
  { writes, reads }: Balance = { writes: 0, reads: 0 },
  { cacheRead = 0, cacheWrite = 0 }: Usage,
): Balance => ({
  writes: writes + (cacheWrite > 0 && cacheRead === 0 ? 1 : 0),
  reads: reads + (cacheRead > 0 ? 1 : 0),
});

function saves(request: ModelRequest, saved: ReadonlyMap<string, Balance>): boolean {
  if (request.opening === undefined || saved.size === 0) return true;
  const { writes = 0, reads = 0 } = saved.get(prefixName(request)) ?? {};
  return writes < 2 || reads >= writes;
}

function withoutOpening({ opening: _, ...request }: ModelRequest): ModelRequest {
  return request;
}

/** Prefixes of users that are long done are not kept. */
function forgetCold(warmUntil: Map<string, number>, nowMs: number): void {
  for (const [prefix, until] of warmUntil) {
    if (until > nowMs) return; // in the order of their last use
    warmUntil.delete(prefix);
  }
}
