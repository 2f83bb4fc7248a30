import { assumedSpread, detectableDifference } from "../../../report/plan/detectable.js";
import type { Pace } from "../../../report/plan/minutes.js";
import { dash } from "../../../report/table.js";
import { formatAmount, formatScore, formatUsd } from "../../../report/tables/format.js";
import { renderText } from "../../../report/tables/text.js";
import { MIN_USERS } from "../../../results/inference.js";
import { partName } from "../../../run/plan/part.js";
import type { LoadedTask } from "../../../run/plan/plan.js";
import { countOf, nounOf } from "../../../text/count.js";
import type { Prepared } from "../prepare.js";
import type { EstimateLine, Guess, Guesses } from "./guess.js";

interface EstimateWords {
  readonly lines: readonly EstimateLine[];
  readonly total: EstimateLine;
  readonly guesses: Guesses;
  /** Lines on prices that were read long ago. */
  readonly stale: readonly string[];
  readonly pace: Pace;
}

/** An estimate as a person reads it: by phase, the total three ways, and what its users can show. */
export function estimateText(prepared: Prepared, { lines, total, guesses, stale, pace }: EstimateWords): string {
  return [
    headingOf(prepared),
    ...stale,
    renderText(linesTable([...lines, total])),
    "",
    guessText(guesses),
    ...wholeLines(prepared, lines),
    paceText(pace),
    ...powerLines(prepared),
  ].join("\n");
}

function guessText({ low, expected, high }: Guesses): string {
  const titles = ["what is sent", "calls", "tokens in", "tokens out", "cost", "minutes"];
  const row = (name: string, { calls, tokensIn, tokensOut, usd, minutes }: Guess): string[] => [
    name,
    formatAmount(Math.round(calls)),
    formatAmount(Math.round(tokensIn)),
    formatAmount(Math.round(tokensOut)),
    usd === undefined ? dash : formatUsd(usd),
    formatAmount(minutes),
  ];
  return renderText({
    columns: titles.map((title, i) => ({ title, align: i === 0 ? ("left" as const) : ("right" as const) })),
    rows: [row("low", low), row("expected", expected), row("high", high)],
  });
}

/** Where questions are chosen: what all of the file would take, preparation by users and the rest by questions. */
function wholeLines({ loaded }: Pick<Prepared, "loaded">, lines: readonly EstimateLine[]): string[] {
  return loaded.flatMap(({ task, dataset: { facts }, questions }) => {
    const all = facts["questions in the file"];
    if (typeof all !== "number") return [];
    const users = Number(facts.users);
    const allUsers = Number(facts["users in the file"] ?? users);
    const whole = lines
      .filter((line) => line.task === task.name)
      .map(({ phase, expected: { calls, tokensIn, tokensOut, usd } }) => {
        const times = PREPARING.includes(phase.split("@")[0]!) ? allUsers / users : all / questions; // `summary@summary` is of a further model
        return { calls: calls * times, tokens: (tokensIn + tokensOut) * times, usd: usd && usd * times };
      });
    const sum = (of: (part: (typeof whole)[number]) => number): number =>
      whole.reduce((total, part) => total + of(part), 0);
    const usd = whole.some((part) => part.usd === undefined) ? dash : formatUsd(sum((part) => part.usd ?? 0));
    return [
      `${task.name}, all ${countOf(all, "question")} of ${countOf(allUsers, "user")} in the file: ${countOf(Math.round(sum(({ calls }) => calls)), "call")}, ${formatAmount(Math.round(sum(({ tokens }) => tokens)))} tokens, ${usd} expected`,
    ];
  });
}

/** Phases before the questions of a user. */
const PREPARING: readonly string[] = ["summary", "simulate", "gradient", "update"];

/** Several estimates under the names of their configs, and their sum. */
export function runsText(
  runs: readonly { readonly config?: string | undefined; readonly text: string; readonly power: readonly string[] }[],
  sum: Guesses,
): string {
  const parts = runs.map(({ config = "no config", text }) => `${config}\n${text}`);
  const all = [`all ${runs.length} configs, one after the other`, guessText(sum), ...sharedLines(runs)];
  return [...parts, all.join("\n")].join("\n\n");
}

/** Returns the difference that the users of each task can find, before any reply is there. */
export function powerLines({ loaded }: Pick<Prepared, "loaded">): string[] {
  return loaded.flatMap(({ task, units, questions }) => {
    const users = new Set(Array.from(units, ({ user }) => user.id)).size;
    const { words } = assumedSpread[task.kind];
    const smallest = detectableDifference({ users, questions, kind: task.kind });
    const [headline] = task.metrics;
    const size = `${task.name}: ${users} ${nounOf(users, "user")}, ${questions} ${nounOf(questions, "question")}`;
    if (users < MIN_USERS) return [`${size}: too few for intervals and p (${MIN_USERS} users needed)`];
    if (smallest === undefined || headline === undefined) return [];
    return [
      `${size}: a difference in ${headline.title} of ${formatScore(smallest)} is found in 80 % of cases, ${words}`,
    ];
  });
}

/** What users can show, once for all configs that plan the same; named where they plan different ones. */
function sharedLines(runs: Parameters<typeof runsText>[0]): string[] {
  const configs = new Map<string, string[]>();
  for (const { config = "no config", power } of runs)
    for (const line of power) configs.set(line, [...(configs.get(line) ?? []), config]);
  return [...configs].map(([line, of]) => (of.length === runs.length ? line : `${of.join(", ")}: ${line}`));
}

function headingOf({ part, arms, loaded }: Prepared): string {
  if (part === undefined) return HEADING;
  const count = (all: readonly LoadedTask[]) =>
    new Set(all.flatMap(({ units }) => [...units].map(({ user }) => user.id))).size;
  return `${partName(part)}, ${count(arms.map((arm) => arm.loaded))} of ${count(loaded)} users\n${HEADING}`;
}

const HEADING =
  "dry run: nothing was sent; expected: as rehearsed with the embedded model on some users; <=: upper bounds; equal requests are sent once: a line counts what it asks for, the total what is sent";

function linesTable(lines: readonly EstimateLine[]) {
  const titles = [
    ...["task", "method", "phase", "calls", "expected", "tokens expected"],
    ...["tokens in <=", "tokens out <=", "cost expected", "cost <="],
  ];
  const cost = (usd: number | undefined): string => (usd === undefined ? dash : formatUsd(usd));
  return {
    columns: titles.map((title, i) => ({ title, align: i < 3 ? ("left" as const) : ("right" as const) })),
    rows: lines.map(({ task, method, phase, callsLow, callsHigh, tokensIn, tokensOut, usd, expected }) => [
      task,
      method,
      phase,
      callsLow === callsHigh ? formatAmount(callsLow) : `${formatAmount(callsLow)}..${formatAmount(callsHigh)}`,
      formatAmount(Math.round(expected.calls)),
      formatAmount(Math.round(expected.tokensIn + expected.tokensOut)),
      formatAmount(tokensIn),
      formatAmount(tokensOut),
      cost(expected.usd),
      cost(usd),
    ]),
  };
}

function paceText({ limits, inFlight, secondsPerCall }: Pace): string {
  const known = [
    limits.requests === undefined ? "" : `${formatAmount(limits.requests)} ${nounOf(limits.requests, "request")}`,
    limits.tokensIn === undefined ? "" : `${formatAmount(limits.tokensIn)} tokens in`,
    limits.tokensOut === undefined ? "" : `${formatAmount(limits.tokensOut)} tokens out`,
    limits.tokens === undefined ? "" : `${formatAmount(limits.tokens)} tokens`,
  ].filter(Boolean);
  const bound = known.length === 0 ? "no limit of the account is known" : `${known.join(", ")} a minute`;
  return `minutes: ${countOf(inFlight, "call")} in flight, ${secondsPerCall} s and a second for 60 tokens each; ${bound}`;
}
