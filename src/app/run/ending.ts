import { BudgetError, ModelError } from "../../errors.js";
import { Interrupted } from "../../run/engine.js";
import { countOf } from "../../text/count.js";
import type { Row } from "../../types/index.js";
import type { RunSettings } from "./config/resolve-settings.js";
import { Detached } from "./models/batching.js";
import type { RunResult } from "./result.js";

/** How the run ended, and what to type next where that is not plain. */
export function ending(
  reason: unknown,
  { questions, failed, shown }: Ended,
  { maxFailed }: Pick<RunSettings, "maxFailed">,
): Pick<RunResult, "ended"> & { readonly remarks: readonly string[] } {
  if (reason instanceof Detached) return { ended: "waiting", remarks: [] };
  if (reason !== undefined) {
    const why = reason instanceof Error ? reason.message : "interrupted";
    const remarks = [`stopped before the end: ${why}\n${wayOn(reason, questions, shown)}`];
    if (reason instanceof Interrupted) return { ended: "interrupted", remarks };
    return { ended: reason instanceof ModelError ? "refused" : "cap", remarks };
  }
  const share = (count: number): number => (questions === 0 ? 0 : count / questions);
  const percent = (count: number): string => `${(share(count) * 100).toFixed(1)} % of the questions`;
  const remarks: string[] = [];
  if (share(failed) > maxFailed)
    remarks.push(
      `${percent(failed)} failed, more than --max-failed ${maxFailed}; the same command tries only those again`,
    );
  return { ended: remarks.length === 0 ? "done" : "failures", remarks };
}

/** What stands in the tables of a run that has ended. */
interface Ended {
  readonly questions: number;
  readonly failed: number;
  /** The folder, as a person types it. */
  readonly shown: string;
}

/** The reasons of failed questions, the most frequent first, and where to read more. */
export function failuresOf(rows: readonly Row[], shown: string): string[] {
  const byError = new Map<string, { count: number; readonly question: string }>();
  for (const row of rows) {
    const { outcome, question } = row;
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
    `more: lamp-eval show ${shown} --question ${question}`,
  ];
}

/** What to type next. A refused key or model id is no reason to type the same again. */
function wayOn(reason: unknown, questions: number, shown: string): string {
  if (reason instanceof BudgetError) return `resume with the same command and a higher cap; ${kept(shown)}`;
  if (!(reason instanceof ModelError) || reason.scope === "call") return `resume with the same command; ${kept(shown)}`;
  const waits = reason.scope === "model" ? " (--give-up-after 1h waits that long for a server)" : "";
  return questions === 0
    ? `nothing is answered yet: mend that and begin again${waits}`
    : `mend that and go on${waits}; ${kept(shown)}`;
}

const kept = (shown: string): string => `what is answered is in ${shown} and is not paid for again`;
