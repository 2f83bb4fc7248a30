import type { ServerRules } from "./limiter.js";
import { requestsOf, tokensIn } from "./requests.js";

/** A row of the table: calls behind limits, and what a code that knew them all would need. */
export interface LimitRow {
  readonly name: string;
  readonly rules: ServerRules;
  /** Of each process. */
  readonly calls: number;
  /** That send to the account at the same time. Default: 1. */
  readonly processes?: number;
  /** Most of the bound that the run may take; absent: no limit but one's own. */
  readonly within?: number;
  /** Most of the calls that may be refused. */
  readonly refused: number;
}

const REPLY_MS = 2_000;
const small = { requests: 50, tokens: 30_000, replyMs: REPLY_MS, retryAfter: true } as const;
const large = { requests: 1_000, tokens: 450_000, replyMs: REPLY_MS, retryAfter: true } as const;
const minute = { requests: 50, replyMs: REPLY_MS } as const;
const second = { requests: 30, windowMs: 1_000, replyMs: 50 } as const;
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
    within: 1.35,
    refused: 0.1,
  },
  {
    name: "30 requests a second, replies after 50 ms; headers",
    rules: { ...second, headers: "openai", retryAfter: true },
    calls: 1_000,
    within: 1.15,
    refused: 0.1,
  },
  {
    name: "the same; Retry-After only",
    rules: { ...second, retryAfter: true },
    calls: 1_000,
    within: 1.15,
    refused: 0.1,
  },
  { name: "the same; no header", rules: second, calls: 1_000, within: 1.15, refused: 0.1 },
  { name: "50 requests a minute; no header", rules: minute, calls: 150, within: 1.15, refused: 0.1 },
  {
    name: "the same; Retry-After only",
    rules: { ...minute, retryAfter: true },
    calls: 150,
    within: 1.15,
    refused: 0.1,
  },
  { name: "the same; the minute slides", rules: { ...minute, slides: true }, calls: 150, within: 1.4, refused: 0.1 },
  {
    name: "the same; refused calls count",
    rules: { ...minute, countsRefused: true },
    calls: 150,
    within: 1.2,
    refused: 0.1,
  },
  { name: "two processes; no header", rules: minute, calls: 150, processes: 2, within: 1.5, refused: 0.25 },
  {
    name: "two processes; refused calls count",
    rules: { ...minute, countsRefused: true },
    calls: 150,
    processes: 2,
    within: 1.5,
    refused: 0.25,
  },
  {
    name: "two processes; the minute slides, refused calls count",
    rules: { ...minute, slides: true, countsRefused: true },
    calls: 150,
    processes: 2,
    within: 1.5,
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
export function boundOf({ rules, calls, processes = 1 }: Pick<LimitRow, "rules" | "calls" | "processes">): number {
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
