import type { WaitingCalls } from "../app/run/events.js";
import { grouped } from "../text/count.js";

/** The calls that wait now. */
export type Waits = () => readonly WaitingCalls[];

/** How many calls wait, the oldest and why, in one line; undefined where none waits as long as `leastMs`. */
export function longestWait(waiting: readonly WaitingCalls[], leastMs: number): string | undefined {
  const [oldest] = waiting;
  if (oldest === undefined || oldest.oldestMs < leastMs) return undefined;
  const calls = waiting.reduce((sum, one) => sum + one.calls, 0);
  const seconds = Math.round(oldest.oldestMs / 1000);
  return `${calls} ${calls === 1 ? "call waits" : "calls wait"}, the oldest ${seconds} s: ${oldest.name} ${reasonOf(oldest)}`;
}

// --- internal ---

function reasonOf({ why, perMinute }: WaitingCalls): string {
  const most = perMinute === undefined ? "" : `${grouped(perMinute)} `;
  return reasons[why].replace("N ", most);
}

const reasons: Readonly<Record<WaitingCalls["why"], string>> = {
  slots: "has all its places taken",
  asked: "asked to wait",
  busy: "is busy",
  pace: "refuses more than N calls a minute",
  requests: "allows N requests a minute",
  input: "allows N input tokens a minute",
  output: "allows N output tokens a minute",
  tokens: "allows N tokens a minute",
};
