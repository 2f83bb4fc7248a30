import type { ServerRules } from "./limiter.js";
import { requestsOf, tokensIn } from "./requests.js";

/** A row of the table: calls behind limits, and what a code that knew them all would need. */
export interface LimitRow {
  readonly name: string;
  readonly rules: ServerRules;
  readonly calls: number;
  /** Most of the bound that the run may take; absent: no limit but one's own. */
  readonly within?: number;
  /** Most of the calls that may be refused. */
  readonly refused: number;
}

const REPLY_MS = 2_000;
const small = { requests: 50, tokens: 30_000, replyMs: REPLY_MS, retryAfter: true } as const;
const large = { requests: 1_000, tokens: 450_000, replyMs: REPLY_MS, retryAfter: true } as const;
const LOW = 1.25;

export const rows: readonly LimitRow[] = [
  {
    name: "50 requests, 30k tokens a minute; OpenAI's headers",
    rules: { ...small, headers: "openai" },
    calls: 150,
    within: 1.15,
    refused: 0.01,
  },
  {
    name: "the same; Anthropic's headers",
    rules: { ...small, headers: "anthropic" },
    calls: 150,
    within: 1.15,
    refused: 0.01,
  },
  {
    name: "the same; tokens guessed 20 % low",
    rules: { ...small, headers: "openai", counts: LOW },
    calls: 150,
    within: 1.15,
    refused: 0.2,
  },
  {
    name: "1,000 requests, 450k tokens a minute; OpenAI's headers",
    rules: { ...large, headers: "openai" },
    calls: 1_200,
    within: 1.15,
    refused: 0.01,
  },
  {
    name: "the same; tokens guessed 20 % low",
    rules: { ...large, headers: "openai", counts: LOW },
    calls: 1_200,
    within: 1.15,
    refused: 0.2,
  },
  {
    name: "10 connections; no header, no Retry-After",
    rules: { connections: 10, replyMs: REPLY_MS },
    calls: 300,
    within: 1.15,
    refused: 0.12,
  },
  {
    name: "30 requests a second, replies after 50 ms; headers",
    rules: { requests: 30, windowMs: 1_000, replyMs: 50, headers: "openai", retryAfter: true },
    calls: 1_000,
    within: 1.15,
    refused: 0.1,
  },
  {
    name: "the same; Retry-After only",
    rules: { requests: 30, windowMs: 1_000, replyMs: 50, retryAfter: true },
    calls: 1_000,
    within: 1.15,
    refused: 0.25,
  },
  {
    name: "the same; no header",
    rules: { requests: 30, windowMs: 1_000, replyMs: 50 },
    calls: 1_000,
    within: 1.15,
    refused: 0.25,
  },
  { name: "no limit", rules: { replyMs: REPLY_MS }, calls: 600, refused: 0 },
  {
    name: "for 200 s one refusal every 2 s, asking for 89 s; then free",
    rules: { replyMs: REPLY_MS, moody: { everyMs: 2_000, forMs: 200_000, askMs: 89_000 } },
    calls: 600,
    refused: 0.12,
  },
];

/** Seconds that a code needs that knows all limits beforehand: buckets begin full. */
export function boundOf({ rules, calls }: Pick<LimitRow, "rules" | "calls">): number {
  const { requests, tokens, windowMs = 60_000, connections, replyMs, counts = 1 } = rules;
  const needed = requestsOf(calls).reduce((sum, request) => sum + tokensIn(request), 0) * counts;
  return (
    Math.max(
      requests === undefined ? 0 : ((calls - requests) / requests) * windowMs,
      tokens === undefined ? 0 : ((needed - tokens) / tokens) * windowMs,
      connections === undefined ? replyMs : (calls / connections) * replyMs,
    ) / 1000
  );
}
