import { stringify } from "csv-stringify/sync";
import type { Summary } from "../summary.js";

/** One line per task, method and metric; empty cells where there is no value. `complete`: the run has ended. */
export function renderCsv(summaries: readonly Summary[], complete: boolean): string {
  const lines = summaries.flatMap((summary) =>
    summary.metrics.map((metric, m) => ({
      task: summary.task,
      dataset: summary.dataset,
      method: summary.method,
      variant: summary.variant,
      model: summary.model,
      simulated: summary.simulated ? "SIMULATED" : "",
      metric: metric.name,
      better: metric.better,
      strict: metric.strict,
      low95: metric.interval?.low,
      high95: metric.interval?.high,
      sd_repeats: metric.spread,
      lenient: metric.lenient,
      stream_quarters: m === 0 ? summary.stream?.map((value) => value ?? "").join(" ") : undefined,
      repeats: summary.repeats,
      users: summary.users,
      n: summary.counts.scored,
      answered: summary.counts.answered,
      unparsed: summary.counts.unparsed,
      failed: summary.counts.failed,
      no_gold: summary.counts.unscored,
      calls_per_query: summary.callsPerQuery,
      calls_per_user: summary.callsPerUser,
      tokens_per_query: summary.tokensPerQuery,
      tokens_per_user: summary.tokensPerUser,
      usd: summary.usdAtMost === true ? `<=${summary.usd}` : summary.usd,
      complete: complete ? "yes" : "PARTIAL",
    })),
  );
  return stringify(lines, { header: true, escape_formulas: true });
}
