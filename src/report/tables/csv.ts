import { stringify } from "csv-stringify/sync";
import type { OptionValue } from "../../types.js";
import type { Summary } from "../summary.js";

/** The points of arms on the axes of a sweep, each axis a column. */
export interface AxisColumns {
  readonly knobs: readonly string[];
  of(summary: Summary): Readonly<Record<string, OptionValue>>;
}

/**
 * One line per task, method and metric; empty cells where there is no value. `complete`: the run has ended. In a sweep every axis
 * but those that are columns anyway (method, model) is a column.
 */
export function renderCsv(summaries: readonly Summary[], complete: boolean, axes?: AxisColumns): string {
  const pointOf = (summary: Summary): [string, OptionValue | undefined][] =>
    (axes?.knobs ?? [])
      .filter((knob) => knob !== "method" && knob !== "model")
      .map((knob) => [knob, axes?.of(summary)[knob]]);
  const isAnyUnaligned = summaries.some(({ unaligned }) => unaligned === true);
  const lines = summaries.flatMap((summary) =>
    summary.metrics.map((metric, m) => ({
      task: summary.task,
      dataset: summary.dataset,
      method: summary.method,
      variant: summary.variant,
      ...Object.fromEntries(pointOf(summary)),
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
      ...(isAnyUnaligned ? { aligned: summary.unaligned === true ? "NOT aligned" : "" } : {}),
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
