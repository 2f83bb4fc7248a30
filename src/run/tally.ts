import type { Money } from "../log/state.js";
import { countOf, nounOf } from "../text/count.js";
import { stripReasoning } from "../text/strip-reasoning.js";
import type { ModelReply, TokenCounts } from "../types/index.js";
import type { Manifest } from "./manifest.js";
import type { Calls, Spent } from "./outside/online.js";

/** What the calls of this process came to. */
export interface Tally {
  /** Billable tries. */
  sent: number;
  /** Absent where no price is known. */
  paid?: Spent | undefined;
  fromStore: number;
  /** All replies, and those that ended at their limit of tokens with no text of an answer. */
  replies: number;
  cut: number;
  /** SHA-256 of the rows, once all are made. */
  rows?: string;
  /** Requests that a replay's log lacks. */
  missed: readonly string[];
  /** Model ids as providers returned them, by this process and earlier ones. */
  readonly answeredBy: Set<string>;
  readonly probes: Record<string, TokenCounts & { readonly day: string }>;
  /** Whether a reply came by a batch, ever. */
  batch: boolean;
  /** What is to be said of calls at the end. */
  remarks: readonly string[];
  /** Adds what calls came to. */
  sum(calls: Calls): void;
}

/** Nothing was called yet; what the log knows of earlier processes is in it. */
export function openTally({ answeredBy, probes, batch }: Manifest): Tally {
  const tally: Tally = {
    ...{ sent: 0, fromStore: 0, replies: 0, cut: 0, missed: [], remarks: [] },
    answeredBy: new Set(answeredBy),
    probes: { ...probes },
    batch: batch === true,
    sum(calls) {
      tally.sent = calls.budget.calls - calls.budget.before.calls;
      tally.paid = calls.spent();
      tally.remarks = [
        ...triesWithoutReply(calls.budget.ends, tally.paid?.uncertainUsd),
        ...stillOut(calls.batching?.batches.linesOut ?? 0),
        ...cutReplies(tally),
      ];
    },
  };
  return tally;
}

/** Adds who replied. Returns whether that is news: a model's name at its first reply, or the first reply by a batch. */
export function answered(tally: Tally, { model, usage }: ModelReply): boolean {
  const isNew = (model !== "" && !tally.answeredBy.has(model)) || (usage.batch === true && !tally.batch);
  if (model !== "") tally.answeredBy.add(model);
  if (usage.batch === true) tally.batch = true;
  return isNew;
}

/** What a person is told of tries whose answer is unknown; nothing where there are none. */
export function unknownAnswers({ unknown, uncertainUsd }: Pick<Money, "unknown" | "uncertainUsd">): string[] {
  if (unknown === 0) return [];
  const billed = uncertainUsd > 0 ? `up to $${uncertainUsd.toFixed(4)} more may be billed; ` : "";
  return [
    `answer unknown: ${countOf(unknown, "try", "tries")} ${unknown === 1 ? "was" : "were"} sent and no answer came; ${billed}counted against the caps`,
  ];
}

/** What became of tries that brought no reply; nothing where all did. */
function triesWithoutReply(
  { none: refused, yes: failed, unknown }: Calls["budget"]["ends"],
  uncertainUsd = 0,
): string[] {
  const without = failed + unknown;
  const uncertain =
    uncertainUsd === 0
      ? ""
      : `; whether they were billed is not known: up to $${uncertainUsd.toFixed(4)} more may be billed, counted against the caps and not as paid`;
  const counted = `${without} of the calls sent brought no reply: ${failed} failed, ${unknown} answer unknown${uncertain}`;
  const free = `${refused} ${nounOf(refused, "try was refused and is", "tries were refused and are")} not counted: not billed (429, 503, no connection and the like)`;
  return [...(without === 0 ? [] : [counted]), ...(refused === 0 ? [] : [free])];
}

/** What is to be said of requests that are out when a run ends early; nothing where there are none. */
const stillOut = (lines: number): string[] =>
  lines === 0
    ? []
    : [
        `${lines} ${nounOf(lines, "request is", "requests are")} out in batches; the same command collects them, also days later`,
      ];

/** Whether a reply ended at its limit of tokens before an answer began: all its room went into thinking. */
export const isCut = ({ stop, text, toolCalls }: ModelReply): boolean =>
  stop === "length" && toolCalls.length === 0 && stripReasoning(text).trim() === "";

/** One line on such replies, where they are more than one in a hundred; empty where they are fewer. */
function cutReplies({ replies, cut }: Pick<Tally, "replies" | "cut">): string[] {
  if (cut === 0 || cut <= replies / 100) return [];
  return [
    `${cut} of ${replies} ${nounOf(replies, "reply", "replies")} ended at ${nounOf(cut, "its", "their")} limit of tokens with no answer: give thinking room with --set model.answerTokens=4096, or less to think with --set model.effort=low`,
  ];
}
