import { contentId } from "../text/content-id.js";
import type { Capabilities, Clock, Model, ModelRequest } from "../types/index.js";

/** `auto`: prompts may be marked for the provider's cache. */
export type CacheSetting = "auto" | "off";

/** Positions in a prompt up to which the provider is asked to cache it. */
export interface CacheMarks {
  /** After tools and system prompt, with which all turns of a loop begin. */
  readonly system: boolean;
  /** After the last message, with which the next turn begins. */
  readonly last: boolean;
  /** After so many characters of the first message, with which an earlier call began. */
  readonly first?: number;
}

export const NO_MARKS: CacheMarks = { system: false, last: false };

type Caching = Pick<Capabilities, "cache">;

/** Returns the bytes of the shortest prefix that the provider caches. */
const shortestPrefixBytes = ({ cache }: Caching): number =>
  cache === undefined ? Number.POSITIVE_INFINITY : cache.minTokens * cache.bytesPerToken;

const headBytes = ({ tools, system = "" }: ModelRequest): number =>
  Buffer.byteLength(system) + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)));

/** Tells whether later turns of the same conversation will begin with this request. */
const isLoopTurn = ({ tools, messages }: ModelRequest): boolean =>
  (tools?.length ?? 0) > 0 || messages.some(({ role }) => role === "assistant");

/**
 * Returns the marks of a request. A write to the cache costs 1.25 times its tokens, so a prompt is marked only where later calls will
 * probably begin with it: in loops (tools, or an earlier reply), and up to the opening that an earlier call of the run had
 * (`repeatedOpenings`). Prefixes that are too short for the provider's cache are not marked.
 */
export function cacheMarks(request: ModelRequest, capabilities: Caching, setting: CacheSetting): CacheMarks {
  if (capabilities.cache === undefined || setting === "off") return NO_MARKS;
  const shortest = shortestPrefixBytes(capabilities);
  if (!isLoopTurn(request)) return openingMarks(request, shortest);
  const head = headBytes(request);
  const firstTurnBytes = head + Buffer.byteLength(JSON.stringify(request.messages.slice(0, 1))); // later turns may never come
  const isLastTurn = request.toolChoice === "none";
  return { system: request.system !== undefined && head >= shortest, last: firstTurnBytes >= shortest && !isLastTurn };
}

/** Returns the mark after the opening of a single call, where the prefix is long enough. */
function openingMarks(request: ModelRequest, shortest: number): CacheMarks {
  const { opening } = request;
  if (opening === undefined || headBytes(request) + Buffer.byteLength(openingText(request)) < shortest) return NO_MARKS;
  return opening === 0 ? { system: true, last: false } : { ...NO_MARKS, first: opening };
}

type Prefix = Pick<ModelRequest, "tools" | "system" | "messages" | "opening">;

function openingText({ messages: [message], opening = 0 }: Prefix): string {
  return message?.role === "user" ? message.content.slice(0, opening) : "";
}

/** Returns a name for the prefix of a request: equal prefixes, equal names. */
export function prefixName(request: Prefix): string {
  const { tools = [], system = "" } = request;
  const first = openingText(request);
  return contentId({ tools, system, ...(first === "" ? {} : { first }) }).slice(0, 32);
}

/**
 * Removes `opening` from single calls unless an earlier call had the same one: a cache write pays only if it is read. In batches it is
 * always removed: the entry has expired when the next batch comes.
 */
export function repeatedOpenings(model: Model, { inBatches }: { readonly inBatches: boolean }): Model {
  if (model.capabilities.cache === undefined) return model;
  const shortest = shortestPrefixBytes(model.capabilities);
  const seen = new Set<string>();
  const isRepeated = (request: ModelRequest): boolean => {
    if (inBatches || isLoopTurn(request) || openingMarks(request, shortest) === NO_MARKS) return false;
    const before = seen.size;
    return seen.add(prefixName(request)).size === before;
  };
  return {
    ...model,
    complete({ opening = 0, ...plain }, signal) {
      const request = { ...plain, opening };
      return model.complete(isRepeated(request) ? request : plain, signal);
    },
  };
}

interface WarmSettings {
  readonly cache: CacheSetting;
  readonly clock: Clock;
}

/**
 * Sends the first of several calls with one marked prefix (the turns of all agents of one user) alone; the others wait for its reply,
 * because only then the cache can be read. If the first call fails, the next one is sent alone.
 */
export function warmFirst(model: Model, { cache, clock }: WarmSettings): Model {
  const { capabilities } = model;
  if (cache === "off" || capabilities.cache === undefined) return model;
  const shortest = shortestPrefixBytes(capabilities);
  /** Time at which the cache entry of a prefix expires, in the order of the last uses. */
  const expiresMs = new Map<string, number>();
  const firstCalls = new Map<string, Promise<unknown>>();
  const isCached = (prefix: string): boolean => (expiresMs.get(prefix) ?? 0) > clock.monotonic();
  const renew = (prefix: string): void => {
    expiresMs.delete(prefix);
    for (const old of expiresMs.keys()) {
      if (isCached(old)) break;
      expiresMs.delete(old); // expired
    }
    expiresMs.set(prefix, clock.monotonic() + LIFE_MS);
  };
  return {
    ...model,
    async complete(request, signal) {
      const isShared = isLoopTurn(request)
        ? headBytes(request) >= shortest
        : openingMarks(request, shortest) !== NO_MARKS;
      if (!isShared) return model.complete(request, signal);
      const prefix = prefixName(request);
      for (
        let first = firstCalls.get(prefix);
        !isCached(prefix) && first !== undefined;
        first = firstCalls.get(prefix)
      ) {
        await first; // never rejects
        signal.throwIfAborted();
      }
      const sent = model.complete(request, signal);
      const settled = sent.then(
        () => renew(prefix),
        () => undefined,
      );
      const end = (): boolean => firstCalls.delete(prefix);
      if (!isCached(prefix)) firstCalls.set(prefix, settled.finally(end));
      return sent;
    },
  };
}

/** A little less than the life of a cache entry (Anthropic and Bedrock: five minutes, renewed by each use). */
const LIFE_MS = 270_000;
