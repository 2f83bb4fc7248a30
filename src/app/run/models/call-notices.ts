import type { Money } from "../../../log/state.js";
import type { Manifest } from "../../../run/manifest.js";
import type { SeenRate } from "../../../run/outside/pace.js";
import { nounOf } from "../../../text/count.js";
import { stripReasoning } from "../../../text/strip-reasoning.js";
import type { ModelReply } from "../../../types/index.js";
import type { RunModels } from "./models.js";

/** What a person is told of tries whose answer is unknown; nothing where there are none. */
export function unknownAnswers({ unknown }: Pick<Money, "unknown">): string[] {
  if (unknown === 0) return [];
  return [
    `answer unknown: ${unknown} ${unknown === 1 ? "try was" : "tries were"} sent and no answer came; counted against the caps`,
  ];
}

/** What became of tries that brought no reply; nothing where all did. */
export function triesWithoutReply({ refused, failed, unknown }: RunModels["ends"], uncertainUsd = 0): string[] {
  const without = failed + unknown;
  const uncertain =
    uncertainUsd === 0
      ? ""
      : `; whether they were billed is not known: up to $${uncertainUsd.toFixed(4)}, counted against the caps and not as paid`;
  const counted = `${without} of the calls sent brought no reply: ${failed} failed, ${unknown} answer unknown${uncertain}`;
  const free = `${refused} ${nounOf(refused, "try was refused and is", "tries were refused and are")} not counted: not billed (429, 503, no connection and the like)`;
  return [...(without === 0 ? [] : [counted]), ...(refused === 0 ? [] : [free])];
}

/** Whether a reply ended at its limit of tokens before an answer began: all its room went into thinking. */
export const isCut = ({ stop, text, toolCalls }: ModelReply): boolean =>
  stop === "length" && toolCalls.length === 0 && stripReasoning(text).trim() === "";

/** One line on such replies, where they are more than one in a hundred; empty where they are fewer. */
export function cutReplies({ replies, cut }: { readonly replies: number; readonly cut: number }): string[] {
  if (cut === 0 || cut <= replies / 100) return [];
  return [
    `${cut} of ${replies} ${nounOf(replies, "reply", "replies")} ended at ${nounOf(cut, "its", "their")} limit of tokens with no answer: give thinking room with --set model.answerTokens=4096, or less to think with --set model.effort=low`,
  ];
}

/** What a run learned of its servers' limits, for the manifest: of those that told limits or refused. */
export function ratesOf(seen: readonly SeenRate[]): Pick<Manifest, "rates"> {
  const rates = seen.filter(({ refused, limits }) => refused > 0 || Object.keys(limits).length > 0);
  return rates.length === 0 ? {} : { rates: [...rates] };
}

/** Limits of an account, each a minute. Undefined: not known. */
export interface RateLimits {
  readonly requests: number | undefined;
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
  /** Of prompts and replies together. */
  readonly tokens: number | undefined;
}

/** The limits a minute that a model's server was seen to have; undefined where it told none. */
export function limitsSeen(seen: readonly Pick<SeenRate, "name" | "limits">[], model: string): RateLimits | undefined {
  const { limits }: Pick<SeenRate, "limits"> =
    seen.find(({ name }) => name === model) ?? (seen.length === 1 ? seen[0]! : { limits: {} });
  const { requests, input: tokensIn, output: tokensOut, tokens } = limits;
  return Object.keys(limits).length === 0 ? undefined : { requests, tokensIn, tokensOut, tokens };
}

/** The same in a line for each server that refused calls. */
export function rateLines(seen: readonly SeenRate[]): string[] {
  return seen.flatMap(({ name, started, refused, limits }) => {
    if (refused === 0) return [];
    const told = Object.entries(limits).map(([measure, n]) => `${n} ${words[measure] ?? measure}`);
    const known = told.length === 0 ? "" : `; it allows ${told.join(", ")} a minute`;
    return [`${name}: ${refused} of ${started} sends were refused for the moment (429, 529) and went again${known}`];
  });
}

const words: Readonly<Record<string, string>> = { input: "input tokens", output: "output tokens" };
