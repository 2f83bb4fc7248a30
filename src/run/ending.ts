import { BudgetError, ModelError } from "../errors.js";
import { requestKey } from "../log/entry.js";
import type { ReadLog } from "../log/log.js";
import type { Money } from "../log/state.js";
import { CallMeter } from "../models/tokens.js";
import { Detached } from "../outside/batch/batching.js";
import type { Calls, RunCost } from "../outside/calls.js";
import { Interrupted } from "../outside/stops.js";
import type { Plan } from "../plan/types.js";
import { partName } from "../plan/types.js";
import type { Manifest } from "../record/manifest.js";
import { CALL_ID_LENGTH, tracesOf } from "../record/rows.js";
import { furtherModels } from "../registry/further-models.js";
import { countOf, nounOf } from "../text/count.js";
import { shellWord, withoutNumbers } from "../text/words.js";
import type { ArmSpec, ModelReply, PhaseTotals, Row, TokenCounts } from "../types/index.js";

/** Counts the calls of this process, for its last message and for facts in the log. */
export interface Tally {
  /** Billable tries. */
  sent: number;
  /** Absent if no price is known. */
  paid?: RunCost | undefined;
  /** Replies that the log, or a reused one, had. */
  fromStore: number;
  /** Names of the calls that the log of a replay lacks. */
  missed: readonly string[];
  /** Model ids that providers returned, to this process and to earlier ones. */
  readonly answeredBy: Set<string>;
  /** Tokens and day of the check of tool calls, by model. */
  readonly probes: Record<string, TokenCounts & { readonly day: string }>;
  /** True if a reply came in a batch, to this process or an earlier one. */
  batch: boolean;
  /** Remarks for the end of the command. */
  remarks: readonly string[];
}

/** Returns a tally without calls, with the facts of earlier processes. */
export const openTally = ({ answeredBy, probes, batch }: Manifest): Tally => ({
  sent: 0,
  fromStore: 0,
  missed: [],
  remarks: [],
  batch: batch === true,
  answeredBy: new Set(answeredBy),
  probes: { ...probes },
});

/** Adds the calls of this process when all have ended. */
export function addCalls(tally: Tally, { budget, spent, batching }: Calls): void {
  tally.sent = budget.calls - budget.before.calls;
  tally.paid = spent();
  const { yes: billed, unknown } = budget.unanswered;
  const unknownBilledUpToUsd = tally.paid?.unknownBilledUpToUsd ?? 0;
  const lines = batching?.batches.requestsInBatches ?? 0;
  tally.remarks = [
    ...(billed + unknown === 0
      ? []
      : [
          `${billed + unknown} of the calls sent brought no reply: ${billed} billed, ${unknown} answer unknown${uncertainText(unknownBilledUpToUsd)}`,
        ]),
    ...(lines === 0
      ? []
      : [
          `${countOf(lines, "request")} ${lines === 1 ? "is" : "are"} out in batches; the same command collects them, also days later`,
        ]),
  ];
}

/** Returns a message about tries of earlier processes without a known answer; empty if there are none. */
export const unknownAnswers = ({
  unknown,
  unknownBilledUpToUsd,
}: Pick<Money, "unknown" | "unknownBilledUpToUsd">): string[] =>
  unknown === 0
    ? []
    : [
        `answer unknown: ${countOf(unknown, "try was", "tries were")} sent and no answer came${uncertainText(unknownBilledUpToUsd)}`,
      ];

const uncertainText = (usd: number): string =>
  usd === 0 ? "" : `; up to $${usd.toFixed(4)} more may be billed, counted against the caps and not as paid`;

/** Returns `12 calls sent ($0.0123 paid), 3 replies reused`. */
export function sentText({ sent, paid, fromStore }: Tally): string {
  const part = paid?.isPart === true ? ", without models of unknown price" : "";
  const billed = sent === 0 || paid === undefined ? "" : ` ($${paid.usd.toFixed(4)} paid${part})`;
  return `${sent} ${nounOf(sent, "call")} sent${billed}, ${fromStore} ${nounOf(fromStore, "reply", "replies")} reused`;
}

/**
 * How a run ended. With a row for every question: `done`; `failures`, if more failed than `--max-failed` allows, or no answer of an arm
 * could be read; `stale`, if the log of a replay lacks calls. Early, so that the same request resumes it: `interrupted` by a signal; `cap`
 * by a limit of calls or dollars; `refused` by the provider (key, quota, model id, every request); `waiting` with `--batch detach`, when
 * all requests are in batches.
 */
export type RunEnd = "done" | "failures" | "stale" | "interrupted" | "cap" | "refused" | "waiting";

/** The run that has ended. */
interface EndedRun {
  /** Questions with a row. */
  readonly questions: number;
  readonly failed: number;
  /** Remarks on arms without any readable answer. */
  readonly unreadable: readonly string[];
  /** The folder, from the working folder. */
  readonly shown: string;
  /** Name of the replayed run. */
  readonly replay?: string | undefined;
}

interface EndReason {
  /** Why it ended early; undefined if every question has its row. */
  readonly reason: unknown;
  readonly tally: Pick<Tally, "missed">;
}

/** Returns how a run ended, and remarks with the next step. */
export function ending(
  { reason, tally: { missed } }: EndReason,
  { questions, failed, unreadable, shown, replay = "" }: EndedRun,
  { caps: { maxFailed }, shard }: Pick<Plan, "caps" | "shard">,
): { readonly ended: RunEnd; readonly remarks: readonly string[] } {
  if (reason instanceof Detached) return { ended: "waiting", remarks: [] };
  if (reason !== undefined) {
    const why = reason instanceof Error ? reason.message : "interrupted";
    const remarks = [`stopped before the end: ${why}\n${nextStep(reason, questions, shown)}`];
    if (reason instanceof Interrupted) return { ended: "interrupted", remarks };
    return { ended: reason instanceof ModelError ? "refused" : "cap", remarks };
  }
  const joining =
    shard === undefined
      ? []
      : [
          `this is ${partName(shard)}: when all are done, the same command without --shard, with --reuse SHARD for each of them, joins them and sends nothing`,
        ];
  if (missed.length > 0) return { ended: "stale", remarks: staleRemarks(missed, replay) };
  const share = questions === 0 ? 0 : failed / questions;
  if (share <= maxFailed)
    return { ended: unreadable.length > 0 ? "failures" : "done", remarks: [...unreadable, ...joining] };
  const percent = `${(share * 100).toFixed(1)} % of the questions`;
  const retrying = `${percent} failed, more than --max-failed ${maxFailed}; the same command tries only those again`;
  return { ended: "failures", remarks: [retrying, ...joining] };
}

/** Returns remarks on the calls that the log of a replay lacks. `name`: the replayed run. */
function staleRemarks(missed: readonly string[], name: string): string[] {
  const more = missed.length > SHOWN_MISSES ? [`  ... and ${missed.length - SHOWN_MISSES} more`] : [];
  return [
    `${name} lacks ${countOf(missed.length, "request")} of this run, whose questions failed; record it again, or undo the change:`,
    ...missed.slice(0, SHOWN_MISSES).map((what) => `  ${what}`),
    ...more,
  ];
}

const SHOWN_MISSES = 5;

/** Returns the next step after an early end: the same command, unless a key, a model id or a cap must be changed first. */
function nextStep(reason: unknown, questions: number, shown: string): string {
  const kept = `what is answered is in ${shown} and is not paid for again`;
  if (reason instanceof BudgetError) return `${reason.nextStep}; ${kept}`;
  if (!(reason instanceof ModelError) || reason.scope === "call") return `resume with the same command; ${kept}`;
  const waits = reason.scope === "model" ? " (--give-up-after 1h waits that long for a server)" : "";
  return questions === 0
    ? `nothing is answered yet: mend that and begin again${waits}`
    : `mend that and go on${waits}; ${kept}`;
}

/** Returns the most frequent error of failed questions, and how to read more. Errors that differ in numbers only count as one. */
export function failuresOf(rows: readonly Row[], shown: string): string[] {
  const byReason = new Map<string, { count: number; readonly question: string; readonly error: string }>();
  for (const { outcome, question } of rows) {
    if (outcome.kind !== "failed") continue;
    const reason = withoutNumbers(outcome.error);
    const seen = byReason.get(reason) ?? { count: 0, question, error: outcome.error };
    seen.count += 1;
    byReason.set(reason, seen);
  }
  const [first, ...more] = [...byReason.values()].sort((a, b) => b.count - a.count);
  if (first === undefined) return [];
  const { error, count, question } = first;
  const others = more.length === 0 ? "" : ` (and ${countOf(more.length, "other reason")})`;
  return [
    `failed, ${count === 1 ? "once" : `${count} times`}: ${error}${others}`,
    `more: lamp-eval show ${shellWord(shown)} --question ${shellWord(question)}`,
  ];
}

/**
 * Returns the tokens that the rows of an arm count twice, by arm and model: equal requests are sent once, and every row counts its own.
 * Arms without any are left out.
 */
export function deduplicatedCalls(
  { path, log }: { readonly path: string; readonly log: ReadLog },
  arms: readonly ArmSpec[],
): Pick<Manifest, "repeated"> {
  const seen = new Map(arms.map(({ id }) => [id, { ids: new Set<string>(), repeats: [] as string[] }]));
  for (const { arm, requests } of tracesOf(path))
    for (const id of requests) {
      const { ids, repeats } = seen.get(arm)!; // traces name arms of the run alone
      if (ids.has(id)) repeats.push(id);
      ids.add(id);
    }
  const repeating = arms.filter(({ id }) => seen.get(id)!.repeats.length > 0);
  if (repeating.length === 0) return {};
  const keys = new Map([...log.state.answers.keys()].map((key) => [key.slice(0, CALL_ID_LENGTH), key]));
  const totalsOf = (arm: ArmSpec): Record<string, PhaseTotals> => {
    const meters = new Map<string, CallMeter>();
    for (const id of seen.get(arm.id)!.repeats.sort()) {
      const { request, value } = log.get(keys.get(id) ?? "") ?? {};
      if (request === undefined) continue;
      const further = Object.values(furtherModels(arm)).find((model) => requestKey(model, request).startsWith(id));
      const model = further ?? arm.model;
      const meter = meters.get(model) ?? new CallMeter();
      meters.set(model, meter);
      meter.add((value as unknown as ModelReply).usage); // a reply, since it has a request
    }
    return sorted([...meters].map(([model, meter]) => [model, meter.total()]));
  };
  return { repeated: sorted(repeating.map((arm) => [arm.id, totalsOf(arm)])) };
}

const sorted = <T>(entries: [name: string, value: T][]): Record<string, T> =>
  Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
