import type { Clock, Model } from "../../types.js";
import { type CacheSetting, sharedPrefix } from "../cache-marks.js";

interface WarmSettings {
  readonly cache: CacheSetting;
  readonly clock: Clock;
}

/**
 * Of calls whose prompts begin with one cached prefix (the turns of all agents of one user), the first goes alone and the
 * others wait for its reply: a cache can be read once its first reply has begun. Where the first fails, the next goes.
 * A prefix that was not used for the life of a cache entry is cold again.
 */
export function warmFirst(model: Model, { cache, clock }: WarmSettings): Model {
  const { capabilities } = model;
  if (cache === "off" || capabilities.cache === undefined) return model;
  const warmUntil = new Map<string, number>();
  const warming = new Map<string, Promise<void>>();
  return {
    ...model,
    async complete(request, signal) {
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

/** Prefixes of users that are long done are not kept. */
function forgetCold(warmUntil: Map<string, number>, nowMs: number): void {
  for (const [prefix, until] of warmUntil) {
    if (until > nowMs) return; // in the order of their last use
    warmUntil.delete(prefix);
  }
}
