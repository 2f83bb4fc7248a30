import { countOf, grouped, nounOf } from "../../text/count.js";
import type { WaitingCalls } from "./events.js";

/** What a run has done since this process began. */
export interface RunTotals {
  readonly calls: number;
  /** In and out. */
  readonly tokens: number;
  readonly retries: number;
  /** Replies that could not be read. */
  readonly unparsed: number;
}

/** `12/2,345`: the questions of an arm that are done. */
export const doneText = (done: number, questions: number): string => `${grouped(done)}/${grouped(questions)}`;

/** `12 of 2,345 questions`. */
export const questionsText = (done: number, questions: number): string =>
  `${grouped(done)} of ${grouped(questions)} questions`;

/** `2 failed`. */
export const failedText = (questions: number): string => `${grouped(questions)} failed`;

/** `3 unparsed`. */
export const unparsedText = (replies: number): string => `${grouped(replies)} unparsed`;

/** `run begun: 0 of 80 questions done, 2 arms`. */
export const begunText = (done: number, questions: number, arms: number): string =>
  `run begun: ${questionsText(done, questions)} done, ${countOf(arms, "arm")}`;

/** `3 calls in flight`. */
export const flyingText = (calls: number): string => `${countOf(calls, "call")} in flight`;

/** `+2 more arms`. */
export const moreArmsText = (arms: number): string => `+${countOf(arms, "more arm")}`;

/** Calls, tokens in short and tries beyond the first, a text for each. */
export const totalsTexts = ({ calls, tokens, retries }: RunTotals): string[] => [
  countOf(calls, "call"),
  `${short(tokens)} ${nounOf(tokens, "token")}`,
  countOf(retries, "retry", "retries"),
];

/** The same in one line, to the digit; of retries only where there are some. */
export function sofarText({ calls, tokens, retries }: RunTotals): string {
  const again = retries > 0 ? `, ${retries} ${nounOf(retries, "retry", "retries")}` : "";
  return `the run so far: ${calls} ${nounOf(calls, "call")}, ${tokens} ${nounOf(tokens, "token")}${again}`;
}

/** `last error 40 s ago: lab/m: 503 overloaded`, at most so many characters. */
export function lastErrorText(error: { readonly text: string; readonly agoMs: number }, longest: number): string {
  const text = `last error ${Math.round(error.agoMs / 1000)} s ago: ${error.text}`;
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** How many calls are queued, the oldest and why, in one line; undefined where none waits as long as `leastMs`. */
export function longestWait(waiting: readonly WaitingCalls[], leastMs: number): string | undefined {
  const [oldest] = waiting;
  if (oldest === undefined || oldest.oldestMs < leastMs) return undefined;
  const calls = waiting.reduce((sum, one) => sum + one.calls, 0);
  const seconds = Math.round(oldest.oldestMs / 1000);
  return `${countOf(calls, "call")} queued, the oldest ${seconds} s: ${oldest.name} ${reasonOf(oldest)}`;
}

const short = (tokens: number): string =>
  tokens.toLocaleString("en-US", { notation: "compact", maximumSignificantDigits: 3 });

function reasonOf({ why, perMinute }: WaitingCalls): string {
  const most = perMinute === undefined ? "" : `${grouped(perMinute)} `;
  return reasons[why].replace("N ", most);
}

const reasons: Readonly<Record<WaitingCalls["why"], string>> = {
  slots: "is at its limit of calls in flight",
  asked: "asked to wait",
  busy: "is busy",
  down: "does not reply, and is tried again now and then",
  requests: "allows N requests a minute",
  input: "allows N input tokens a minute",
  output: "allows N output tokens a minute",
  tokens: "allows N tokens a minute",
};
