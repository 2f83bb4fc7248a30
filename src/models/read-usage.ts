import type { ModelReply, ModelRequest, Usage } from "../types/index.js";
import { estimatedPromptTokens, estimatedTokens } from "./bytes-per-token.js";

/** Token counts as a server tells them; anything may stand there. */
interface ToldUsage {
  readonly in?: unknown;
  readonly out?: unknown;
  readonly cacheRead?: unknown;
  readonly cacheWrite?: unknown;
  /** Part of `cacheWrite`. */
  readonly cacheWrite1h?: unknown;
  readonly thinking?: unknown;
  /** Dollars that the call was billed at. */
  readonly billedUsd?: unknown;
  /** Whether `in` already counts cache reads and writes. */
  readonly inHoldsCache: boolean;
}

/** No single call has more tokens: a larger count is a mistake of the server. */
const MOST_TOKENS = 1_000_000_000;

/**
 * The usage of a reply. Only whole counts from 0 on are believed, and no 0 for a prompt with words; what is missing or anything else is
 * estimated from the texts, and the usage is marked `estimated`. Cache reads and writes are parts of `in`, never more than it.
 */
export function readUsage(
  told: ToldUsage,
  request: ModelRequest,
  reply: Pick<ModelReply, "text" | "toolCalls">,
): Usage {
  const cacheRead = partOf(told.cacheRead);
  const cacheWrite = partOf(told.cacheWrite);
  const thinking = partOf(told.thinking);
  const cacheWrite1h = partOf(told.cacheWrite1h);
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isNothing = count(told.in) === 0 && (told.inHoldsCache || cached === 0) && estimatedPromptTokens(request) > 0;
  const sentTokens = isNothing ? undefined : count(told.in);
  const gotTokens = isNothing && told.out === 0 ? undefined : count(told.out);
  const fits =
    cacheRead !== undefined && cacheWrite !== undefined && (!told.inHoldsCache || cached <= (sentTokens ?? 0));
  const believed = sentTokens !== undefined && (fits || told.inHoldsCache);
  const isWhole = believed && fits && gotTokens !== undefined && thinking !== undefined;
  return {
    in: believed ? sentTokens + (told.inHoldsCache ? 0 : cached) : estimatedPromptTokens(request),
    out: gotTokens ?? estimatedReplyTokens(reply),
    ...(believed && fits && cacheRead > 0 ? { cacheRead } : {}),
    ...(believed && fits && cacheWrite > 0 ? { cacheWrite } : {}),
    ...(believed && fits && cacheWrite1h && cacheWrite1h <= cacheWrite ? { cacheWrite1h } : {}),
    ...(thinking ? { thinking } : {}),
    ...(isWhole ? {} : { estimated: true }),
    ...(isBill(told.billedUsd) ? { billedUsd: told.billedUsd } : {}),
  };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MOST_TOKENS ? value : undefined;
}

/** No single call costs more dollars. */
const MOST_USD = 10_000;

const isBill = (value: unknown): value is number =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= MOST_USD;

/** A count that servers leave out where it is nothing. */
const partOf = (value: unknown): number | undefined => (value === undefined || value === null ? 0 : count(value));

function estimatedReplyTokens({ text, toolCalls }: Pick<ModelReply, "text" | "toolCalls">): number {
  return estimatedTokens(text) + (toolCalls.length === 0 ? 0 : estimatedTokens(JSON.stringify(toolCalls)));
}
