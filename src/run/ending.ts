import { BudgetError, ModelError } from "../errors.js";
import { countOf } from "../text/count.js";
import { shellWord } from "../text/words.js";
import type { Row } from "../types/index.js";
import { Detached } from "./outside/batching.js";
import { partName } from "./plan/part.js";
import type { Plan, Shard } from "./plan/types.js";
import type { Executed } from "./run.js";
import { Interrupted } from "./stops.js";

/**
 * How a run ended. `done`: every question has its row; `failures`: so it is, but a larger share failed than is allowed;
 * `stale`: a replay asked for what its log lacks. The others ended early and can be resumed: `interrupted` from outside,
 * `cap` by a limit of calls or dollars, `refused` by the provider (a
 * key, money, a model's name, every request), `waiting` with `detach`: everything that can be sent is out in batches, which the same
 * request collects.
 */
export type RunEnd = "done" | "failures" | "stale" | "interrupted" | "cap" | "refused" | "waiting";

/** What stands in the tables of a run that has ended. */
interface Tables {
  readonly questions: number;
  readonly failed: number;
  /** The folder, as a person types it. */
  readonly shown: string;
  /** The log that answered in everyone's place. */
  readonly replay?: string | undefined;
}

/** Says how the run ended, and what to type next where that is not plain. */
export function ending(
  { reason, tally: { missed } }: Executed,
  { questions, failed, shown, replay = "" }: Tables,
  { maxFailed }: Pick<Plan, "maxFailed">,
): { readonly ended: RunEnd; readonly remarks: readonly string[] } {
  if (reason instanceof Detached) return { ended: "waiting", remarks: [] };
  if (reason !== undefined) {
    const why = reason instanceof Error ? reason.message : "interrupted";
    const remarks = [`stopped before the end: ${why}\n${nextStep(reason, questions, shown)}`];
    if (reason instanceof Interrupted) return { ended: "interrupted", remarks };
    return { ended: reason instanceof ModelError ? "refused" : "cap", remarks };
  }
  if (missed.length > 0) return { ended: "stale", remarks: staleRemarks(missed, replay) };
  const share = questions === 0 ? 0 : failed / questions;
  if (share <= maxFailed) return { ended: "done", remarks: [] };
  const percent = `${(share * 100).toFixed(1)} % of the questions`;
  return {
    ended: "failures",
    remarks: [`${percent} failed, more than --max-failed ${maxFailed}; the same command tries only those again`],
  };
}

/** What a replay's log lacks. */
function staleRemarks(missed: readonly string[], name: string): string[] {
  const more = missed.length > SHOWN_MISSES ? [`  ... and ${missed.length - SHOWN_MISSES} more`] : [];
  return [
    `${name} lacks ${countOf(missed.length, "request")} of this run, whose questions failed; record it again, or undo the change:`,
    ...missed.slice(0, SHOWN_MISSES).map((what) => `  ${what}`),
    ...more,
  ];
}

const SHOWN_MISSES = 5;

/** Returns the reasons of failed questions, the most frequent first, and where to read more. */
export function failuresOf(rows: readonly Row[], shown: string): string[] {
  const byError = new Map<string, { count: number; readonly question: string }>();
  for (const { outcome, question } of rows) {
    if (outcome.kind !== "failed") continue;
    const seen = byError.get(outcome.error) ?? { count: 0, question };
    seen.count += 1;
    byError.set(outcome.error, seen);
  }
  const [first, ...more] = [...byError].sort(([, a], [, b]) => b.count - a.count);
  if (first === undefined) return [];
  const [error, { count, question }] = first;
  const others = more.length === 0 ? "" : ` (and ${countOf(more.length, "other reason")})`;
  return [
    `failed, ${count === 1 ? "once" : `${count} times`}: ${error}${others}`,
    `more: lamp-eval show ${shellWord(shown)} --question ${shellWord(question)}`,
  ];
}

/** What to type next. A refused key or model id is no reason to type the same again. */
function nextStep(reason: unknown, questions: number, shown: string): string {
  const kept = `what is answered is in ${shown} and is not paid for again`;
  if (reason instanceof BudgetError) return `resume with the same command and a higher cap; ${kept}`;
  if (!(reason instanceof ModelError) || reason.scope === "call") return `resume with the same command; ${kept}`;
  const waits = reason.scope === "model" ? " (--give-up-after 1h waits that long for a server)" : "";
  return questions === 0
    ? `nothing is answered yet: mend that and begin again${waits}`
    : `mend that and go on${waits}; ${kept}`;
}

/** What to do with a shard that is done. */
export const shardRemarks = (shard: Shard | undefined, isDone: boolean): string[] =>
  shard === undefined || !isDone
    ? []
    : [
        `this is ${partName(shard)}: when all are done, the same command without --shard, with --reuse SHARD for each of them, joins them and sends nothing`,
      ];
