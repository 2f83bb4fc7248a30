import { join } from "node:path";
import { type AttemptTotals, attemptTotals } from "../../../run/attempts.js";
import { runFiles } from "../../../run/rows.js";
import { nounOf } from "../../../text/count.js";
import type { RunModels } from "./models.js";

/** What a person is told of tries whose answer is unknown; nothing where there are none. */
export function unknownAnswers({ unknown }: Pick<AttemptTotals, "unknown">): string[] {
  if (unknown === 0) return [];
  return [
    `answer unknown: ${unknown} ${unknown === 1 ? "try was" : "tries were"} sent and no answer came (${runFiles.attempts}); counted against the caps`,
  ];
}

/** The same of a run folder. */
export const unknownAnswersIn = (folder: string): string[] =>
  unknownAnswers(attemptTotals(join(folder, runFiles.attempts)));

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
