import { UsageError } from "../../errors.js";
import type { TaskBrief } from "../../types.js";
import { checkSummary } from "../pag-summary.js";
import type { PersonaAgentOptions } from "./options.js";
import { hasSummary, type Parts } from "./parts.js";

/** Refuses settings that have no meaning together, or none for the task. Throws UsageError. */
export function check(parts: Parts, options: PersonaAgentOptions, task: TaskBrief): void {
  const perQuery = options["align.schedule"] === "per-query";
  if (options["align.batch"] === "similar" && !perQuery)
    throw new UsageError(
      `align.batch=similar: there is no question to be similar to with align.schedule=${options["align.schedule"]}; use --set align.schedule=per-query`,
    );
  if (options["align.summaryExcludesBatch"] && perQuery)
    throw new UsageError(
      "align.summaryExcludesBatch=true: the summary is made once per user, batches once per question; use --set align.schedule=once",
    );
  if (options["align.validate"].kind === "holdout" && !Number.isInteger(options["align.validate"].count))
    throw new UsageError(`align.validate=holdout:${options["align.validate"].count}: expected a whole number`);
  if (hasSummary(parts)) checkSummary(options, task);
}
