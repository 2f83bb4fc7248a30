import type { ServerRules } from "./limiter.js";
import { requestsOf, tokensIn } from "./requests.js";

/** A row of the table: calls behind limits, and what a code that knew them all would need. */
export interface LimitRow {
  readonly name: string;
  readonly rules: ServerRules;
  /** Of each process. */
  readonly calls: number;
  /** That send to the account at the same time. */
  readonly processes: number;
  /** Most of the bound that the run may take; undefined: no limit but one's own. */
  readonly within: number | undefined;
  /** Most of the calls that may be refused. */
  readonly refused: number;
}

const row = (name: string, rules: ServerRules, own: Partial<LimitRow> = {}): LimitRow => ({
  ...{ name, rules, calls: 150, processes: 1, within: 1.15, refused: 0.1 },
  ...own,
});

const REPLY_MS = 2_000;
const small = { requests: 50, tokens: 30_000, replyMs: REPLY_MS, retryAfter: true } as const;
const large = { requests: 1_000, tokens: 450_000, replyMs: REPLY_MS, retryAfter: true } as const;
const minute = { requests: 50, replyMs: REPLY_MS } as const;
const second = { requests: 30, windowMs: 1_000, replyMs: 50 } as const;
const unfair = { ...minute, countsRefused: true } as const;
const two = { processes: 2, within: 1.5, refused: 0.25 };
const LOW = 1.25;
const moody = { everyMs: 2_000, forMs: 200_000, askMs: 89_000 };

export const rows: readonly LimitRow[] = [
  row("50 requests, 30k tokens a minute; OpenAI's headers", { ...small, headers: "openai" }, { refused: 0.01 }),
  row("the same; Anthropic's headers", { ...small, headers: "anthropic" }, { refused: 0.01 }),
  row("the same; tokens estimated 20 % low", { ...small, headers: "openai", counts: LOW }, { refused: 0.2 }),
  row(
    "1,000 requests, 450k tokens a minute; OpenAI's headers",
    { ...large, headers: "openai" },
    { calls: 1_200, refused: 0.01 },
  ),
  row(
    "1,000 requests a minute; tokens estimated 20 % low",
    { ...large, headers: "openai", counts: LOW },
    { calls: 1_200, refused: 0.2 },
  ),
  row("10 connections; no header", { connections: 10, replyMs: REPLY_MS }, { calls: 300, within: 1.35 }),
  row("30 requests a second; headers", { ...second, headers: "openai", retryAfter: true }, { calls: 1_000 }),
  row("30 requests a second; Retry-After only", { ...second, retryAfter: true }, { calls: 1_000 }),
  row("30 requests a second; no header", second, { calls: 1_000 }),
  row("50 requests a minute; no header", minute),
  row("50 requests a minute; Retry-After only", { ...minute, retryAfter: true }),
  row("the minute slides", { ...minute, slides: true }, { within: 1.4 }),
  row("refused calls count", unfair, { within: 1.2 }),
  row("two processes; no header", minute, two),
  row("two processes; refused calls count", unfair, two),
  row("two processes; the minute slides, refused calls count", { ...unfair, slides: true }, two),
  row("no limit", { replyMs: REPLY_MS }, { calls: 600, within: undefined, refused: 0 }),
  row(
    "for 200 s one refusal every 2 s, asking for 89 s; then free",
    { replyMs: REPLY_MS, moody },
    { calls: 600, within: undefined, refused: 0.12 },
  ),
];

/** Seconds that a code needs that knows all limits beforehand: buckets begin full. */
export function boundOf({ rules, calls, processes }: LimitRow): number {
  const { requests, tokens, windowMs = 60_000, connections, replyMs, counts = 1 } = rules;
  const [all, needed] = [calls * processes, requestsOf(calls).reduce((sum, request) => sum + tokensIn(request), 0)];
  return (
    Math.max(
      requests === undefined ? 0 : ((all - requests) / requests) * windowMs,
      tokens === undefined ? 0 : ((needed * counts * processes - tokens) / tokens) * windowMs,
      connections === undefined ? replyMs : (all / connections) * replyMs,
    ) / 1000
  );
}
