import type { Usage } from "../types/index.js";

/** A sum of calls. */
export interface Load {
  readonly calls: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Undefined if no price is known. */
  readonly usd: number | undefined;
}

export const NO_CALLS: Load = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };

/** Returns the sum of two loads. Its dollars are unknown if those of one are. */
export const addLoads = (a: Load, b: Load): Load => ({
  calls: a.calls + b.calls,
  tokensIn: a.tokensIn + b.tokensIn,
  tokensOut: a.tokensOut + b.tokensOut,
  usd: a.usd === undefined || b.usd === undefined ? undefined : a.usd + b.usd,
});

export const scaleLoad = ({ calls, tokensIn, tokensOut, usd }: Load, factor: number): Load => ({
  calls: calls * factor,
  tokensIn: tokensIn * factor,
  tokensOut: tokensOut * factor,
  usd: usd === undefined ? undefined : usd * factor,
});

/** Fewest stored replies from which the length of others is estimated. */
const MIN_REPLIES = 5;

type Price = (usage: Usage) => number | undefined;

/** Returns calls with replies of the average length of stored ones, if there are enough of these. */
export function withReplyLength(load: Load, replies: Load | undefined, price: Price): Load {
  if (replies === undefined || replies.calls < MIN_REPLIES || load.calls === 0) return load;
  const out = replies.tokensOut / replies.calls;
  const usd = price({ in: load.tokensIn / load.calls, out });
  return { ...load, tokensOut: out * load.calls, usd: usd === undefined ? undefined : usd * load.calls };
}

/** The most tokens of one call. */
export interface Longest {
  readonly in: number;
  readonly out: number;
}

/** Upper bound of the tokens that a tool adds to the prompt of the next turn: 4000 characters. */
const OBSERVATION_TOKENS = 1000;

interface BoundedCalls {
  readonly calls: number;
  readonly firstTurns: Load;
  readonly longest: Longest;
}

/**
 * Returns the upper bound of the calls of a phase. Calls beyond the first turns are later turns of loops: their prompts hold the replies
 * and observations of all earlier turns. A phase without simulated calls is asked by tools: each call is as long as the longest simulated
 * one, with the replies and observations before it.
 */
export function upperBound({ calls, firstTurns, longest }: BoundedCalls, price: Price): Load {
  if (calls <= firstTurns.calls || longest.in === 0) return firstTurns;
  const { tokensIn, tokensOut } = firstTurns.calls > 0 ? loopTokens(calls, firstTurns) : toolTokens(calls, longest);
  const usd = price({ in: tokensIn / calls, out: tokensOut / calls });
  return { calls, tokensIn, tokensOut, usd: usd === undefined ? undefined : usd * calls };
}

function loopTokens(calls: number, first: Load): Pick<Load, "tokensIn" | "tokensOut"> {
  const turns = calls / first.calls;
  const growthPerTurn = first.tokensOut / first.calls + OBSERVATION_TOKENS;
  const growth = first.calls * growthPerTurn * ((turns * (turns - 1)) / 2);
  return { tokensIn: Math.ceil(first.tokensIn * turns + growth), tokensOut: Math.ceil(first.tokensOut * turns) };
}

const toolTokens = (calls: number, longest: Longest): Pick<Load, "tokensIn" | "tokensOut"> => ({
  tokensIn: calls * (longest.in + 2 * longest.out + OBSERVATION_TOKENS),
  tokensOut: calls * longest.out,
});
