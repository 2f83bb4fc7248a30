import { contentId } from "../text/content-id.js";
import type { Capabilities, ModelRequest } from "../types.js";

/** Whether prompts may be marked for the provider's cache. */
export const cacheSettings = ["auto", "off"] as const;
export type CacheSetting = (typeof cacheSettings)[number];

/** Where a prompt is marked for the provider's cache; neither: nowhere. */
export interface CacheMarks {
  /** Behind tools and system prompt, which all turns of a loop begin with. */
  readonly system: boolean;
  /** Behind the last message, which the next turn, or the next draw of the same prompt, begins with. */
  readonly last: boolean;
}

/**
 * The marks of a request. A prompt is marked where it is certain, or nearly, that others begin with it: in loops (tools, or an
 * earlier reply), and where several replies are drawn to it. Single calls are never marked: a write costs 1.25 times its tokens.
 * Below the least prefix that the model caches there are none either.
 */
export function cacheMarks(
  request: ModelRequest,
  { cache }: Pick<Capabilities, "cache">,
  setting: CacheSetting,
): CacheMarks {
  const isLoop = inLoop(request);
  if (cache === undefined || setting === "off" || !(isLoop || (request.samples ?? 1) > 1)) return NO_MARKS;
  const head = headBytes(request);
  const least = cache.minTokens * cache.bytesPerToken;
  const opening = head + Buffer.byteLength(JSON.stringify(request.messages.slice(0, 1))); // a loop that grows past the least prefix may end there
  const isLastTurn = isLoop && request.toolChoice === "none";
  return { system: isLoop && request.system !== undefined && head >= least, last: opening >= least && !isLastTurn };
}

/**
 * The name of the prefix that the turns of a loop share (tools and system prompt), where the model caches it; undefined for
 * prompts that share none.
 */
export function sharedPrefix(request: ModelRequest, { cache }: Pick<Capabilities, "cache">): string | undefined {
  if (cache === undefined || !inLoop(request)) return undefined;
  if (headBytes(request) < cache.minTokens * cache.bytesPerToken) return undefined;
  return prefixName(request);
}

/** The same name for any request: requests of one name begin alike. */
export const prefixName = ({ tools, system }: Pick<ModelRequest, "tools" | "system">): string =>
  contentId({ tools: tools ?? [], system: system ?? "" }).slice(0, 32);

// --- internal ---

const NO_MARKS: CacheMarks = { system: false, last: false };

const inLoop = ({ tools, messages }: ModelRequest): boolean =>
  (tools?.length ?? 0) > 0 || messages.some(({ role }) => role === "assistant");

const headBytes = ({ tools, system = "" }: ModelRequest): number =>
  Buffer.byteLength(system) + (tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(tools)));
