import { dash } from "../report/table.js";
import { formatAmount, formatScore, formatUsd } from "../report/tables/format.js";
import { renderText } from "../report/tables/text.js";
import { MIN_USERS } from "../results/inference.js";
import type { Load } from "../run/estimate/execute.js";
import { partName } from "../run/plan/part.js";
import type { LoadedTask } from "../run/plan/arms.js";
import { countOf, nounOf } from "../text/count.js";
import type { Prepared } from "../run/world.js";
import { assumedSpread, detectableDifference } from "../run/estimate/detectable.js";
import { type Pace, paceText } from "../run/estimate/pace.js";

/** What a run would ask for. */
export interface RunEstimate {
  readonly phases: readonly EstimateLine[];
  /** Of what is sent: equal requests once. */
  readonly total: EstimateLine;
  /** The same three ways. */
  readonly guesses: Readonly<Record<"low" | "expected" | "high", Guess>>;
  /** Calls that are answered in the folder or in a reused log; no other number counts them. */
  readonly atHand: number;
  /** As tables. */
  readonly text: string;
}

export interface Guess extends Load {
  /** At the known limits, or as long as so many calls in flight take. */
  readonly minutes: number;
}

/** One phase of one arm. Tokens and dollars are upper bounds; `usd` is undefined where no price is known. */
export interface EstimateLine {
  readonly task: string;
  readonly method: string;
  readonly phase: string;
  readonly callsLow: number;
  readonly callsHigh: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usd: number | undefined;
  readonly expected: Load;
}

/** Renders an estimate: by phase, the total three ways, and what its users can show. */
export function estimateText(
  prepared: Prepared,
  { phases, total, guesses, atHand }: Omit<RunEstimate, "text">,
  { remarks, pace }: { readonly remarks: readonly string[]; readonly pace: Pace },
): string {
  return [
    ...partLine(prepared),
    HEADING,
    ...(atHand === 0 ? [] : [`${countOf(atHand, "call")} answered already, which no number below counts`]),
    ...remarks,
    renderText(linesTable([...phases, total])),
    "",
    guessText(guesses),
    paceText(pace),
    ...prepared.loaded.map(powerLine),
  ].join("\n");
}

const HEADING =
  "dry run: nothing was sent; expected: as executed with the embedded model on some users; <=: upper bounds; equal requests are sent once: a line counts what it asks for, the total what is sent";

function partLine({ part, arms, loaded }: Prepared): string[] {
  const count = (all: readonly LoadedTask[]) =>
    new Set(all.flatMap(({ units }) => Array.from(units, ({ user }) => user.id))).size;
  return part === undefined
    ? []
    : [`${partName(part)}, ${count(arms.map((arm) => arm.loaded))} of ${count(loaded)} users`];
}

function guessText(guesses: RunEstimate["guesses"]): string {
  const titles = ["what is sent", "calls", "tokens in", "tokens out", "cost", "minutes"];
  return renderText({
    columns: titles.map((title, i) => ({ title, align: i === 0 ? ("left" as const) : ("right" as const) })),
    rows: Object.entries(guesses).map(([name, { calls, tokensIn, tokensOut, usd, minutes }]) => [
      name,
      ...[calls, tokensIn, tokensOut].map((amount) => formatAmount(Math.round(amount))),
      costText(usd),
      formatAmount(minutes),
    ]),
  });
}

function linesTable(lines: readonly EstimateLine[]) {
  const titles = [
    ...["task", "method", "phase", "calls", "expected", "tokens expected"],
    ...["tokens in <=", "tokens out <=", "cost expected", "cost <="],
  ];
  return {
    columns: titles.map((title, i) => ({ title, align: i < 3 ? ("left" as const) : ("right" as const) })),
    rows: lines.map(({ task, method, phase, callsLow, callsHigh, tokensIn, tokensOut, usd, expected }) => [
      ...[task, method, phase],
      callsLow === callsHigh ? formatAmount(callsLow) : `${formatAmount(callsLow)}..${formatAmount(callsHigh)}`,
      formatAmount(Math.round(expected.calls)),
      formatAmount(Math.round(expected.tokensIn + expected.tokensOut)),
      ...[formatAmount(tokensIn), formatAmount(tokensOut), costText(expected.usd), costText(usd)],
    ]),
  };
}

const costText = (usd: number | undefined): string => (usd === undefined ? dash : formatUsd(usd));

/** Returns the difference that the users of a task can find, before any reply is there. */
function powerLine({ task, units, questions }: LoadedTask): string {
  const users = new Set(Array.from(units, ({ user }) => user.id)).size;
  const { words } = assumedSpread[task.kind];
  const smallest = detectableDifference({ users, questions, kind: task.kind });
  const [headline] = task.metrics;
  const size = `${task.name}: ${users} ${nounOf(users, "user")}, ${questions} ${nounOf(questions, "question")}`;
  if (users < MIN_USERS) return `${size}: too few for intervals and p (${MIN_USERS} users needed)`;
  if (smallest === undefined || headline === undefined) return `${size}: fewer questions than users`;
  return `${size}: a difference in ${headline.title} of ${formatScore(smallest)} is found in 80 % of cases, ${words}`;
}
