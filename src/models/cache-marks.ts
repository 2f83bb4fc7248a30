import { contentId } from "../text/content-id.js";
import type { Capabilities, Clock, Model, ModelRequest } from "../types/index.js";

/** `auto`: prompts may be marked for the provider's cache. */
export type CacheSetting = "auto" | "off";

/** Places where a prompt is marked for the provider's cache. */
export interface CacheMarks {
  /** Behind tools and system prompt, which all turns of a loop begin with. */
  readonly system: boolean;
  /** Behind the last message, which the next turn begins with. */
  readonly last: boolean;
  /** Behind so many characters of the first message, which an earlier call began with. */
  readonly first?: number;
}

export const NO_MARKS: CacheMarks = { system: false, last: false };

type Caching = Pick<Capabilities, "cache">;

/** The bytes of the shortest prefix that is cached. */
const leastBytes = ({ cache }: Caching): number =>
  cache === undefined ? Number.POSITIVE_INFINITY : cache.minTokens * cache.bytesPerToken;

const headBytes = ({ tools, system = "" }: ModelRequest): number =>
  Buffer.byteLength(system) + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)));

/** Tells whether it is a turn of a loop, whose later turns begin with it. */
const inLoop = ({ tools, messages }: ModelRequest): boolean =>
  (tools?.length ?? 0) > 0 || messages.some(({ role }) => role === "assistant");

/**
 * Returns the marks of a request. A prompt is marked where it is certain, or nearly, that others begin with it: in loops (tools, or an
 * earlier reply), and up to where an earlier call of the run began alike (`repeatedOpenings`). Other
 * single calls are never marked: a write costs 1.25 times its tokens. Below the least prefix that the model caches there are none either.
 */
export function cacheMarks(request: ModelRequest, capabilities: Caching, setting: CacheSetting): CacheMarks {
  if (capabilities.cache === undefined || setting === "off") return NO_MARKS;
  const least = leastBytes(capabilities);
  if (!inLoop(request)) return openingMarks(request, least);
  const head = headBytes(request);
  const firstTurnBytes = head + Buffer.byteLength(JSON.stringify(request.messages.slice(0, 1))); // a loop that grows past the least prefix may end there
  const isLastTurn = request.toolChoice === "none";
  return { system: request.system !== undefined && head >= least, last: firstTurnBytes >= least && !isLastTurn };
}

/** Returns what an earlier call began with, where that is long enough. */
function openingMarks(request: ModelRequest, least: number): CacheMarks {
  const { opening } = request;
  if (opening === undefined || headBytes(request) + Buffer.byteLength(openingText(request)) < least) return NO_MARKS;
  return opening === 0 ? { system: true, last: false } : { ...NO_MARKS, first: opening };
}

type Beginning = Pick<ModelRequest, "tools" | "system" | "messages" | "opening">;

function openingText({ messages: [message], opening = 0 }: Beginning): string {
  return message?.role === "user" ? message.content.slice(0, opening) : "";
}

/** Returns the same name for requests that begin alike. */
export function prefixName(request: Beginning): string {
  const { tools = [], system = "" } = request;
  const first = openingText(request);
  return contentId({ tools, system, ...(first === "" ? {} : { first }) }).slice(0, 32);
}

/**
 * Keeps `opening` only in single calls whose opening an earlier call had, because a cache write pays only where it is read. In batches
 * it is dropped: a cache entry is gone when the next one comes.
 */
export function repeatedOpenings(model: Model, { inBatches }: { readonly inBatches: boolean }): Model {
  if (model.capabilities.cache === undefined) return model;
  const least = leastBytes(model.capabilities);
  const seen = new Set<string>();
  const isRepeated = (request: ModelRequest): boolean => {
    if (inBatches || inLoop(request) || openingMarks(request, least) === NO_MARKS) return false;
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
 * Of calls whose prompts begin with one cached prefix (the turns of all agents of one user), the first goes alone and the
 * others wait for its reply: a cache can be read once its first reply has begun. Where the first fails, the next goes.
 * A prefix that was not used for the life of a cache entry is cold again.
 */
export function warmFirst(model: Model, { cache, clock }: WarmSettings): Model {
  const { capabilities } = model;
  if (cache === "off" || capabilities.cache === undefined) return model;
  const least = leastBytes(capabilities);
  /** By prefix, until when it is warm; in the order of their last use. */
  const warmUntil = new Map<string, number>();
  const warming = new Map<string, Promise<unknown>>();
  const isWarm = (prefix: string): boolean => (warmUntil.get(prefix) ?? 0) > clock.monotonic();
  const used = (prefix: string): void => {
    warmUntil.delete(prefix);
    for (const old of warmUntil.keys()) {
      if (isWarm(old)) break;
      warmUntil.delete(old); // of users that are long done
    }
    warmUntil.set(prefix, clock.monotonic() + LIFE_MS);
  };
  return {
    ...model,
    async complete(request, signal) {
      const isShared = inLoop(request) ? headBytes(request) >= least : openingMarks(request, least) !== NO_MARKS;
      if (!isShared) return model.complete(request, signal);
      const prefix = prefixName(request);
      for (let first = warming.get(prefix); !isWarm(prefix) && first !== undefined; first = warming.get(prefix)) {
        await first; // if it failed, the next one becomes first
        signal.throwIfAborted();
      }
      const sent = model.complete(request, signal);
      const settled = sent.then(
        () => used(prefix),
        () => undefined,
      );
      const end = (): boolean => warming.delete(prefix);
      if (!isWarm(prefix)) warming.set(prefix, settled.finally(end));
      return sent;
    },
  };
}

/** The shortest life of a provider's entry, less a little (Anthropic and Bedrock: five minutes, renewed by each use). */
const LIFE_MS = 270_000;
