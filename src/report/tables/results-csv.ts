import { type Gains, gainEstimate } from "../../results/gains.js";
import type { MetricSummary } from "../../results/metric-summary.js";
import type { Summary } from "../../results/summary.js";
import type { OptionValue } from "../../types/index.js";
import { type ColumnOf, rowsOfItems, type Table } from "../table.js";

/** The points of arms on the axes of a sweep, each axis a column. */
export interface AxisColumns {
  readonly knobs: readonly string[];
  of(summary: Summary): Readonly<Record<string, OptionValue>>;
}

interface Line {
  readonly summary: Summary;
  readonly metric: MetricSummary;
  readonly isFirst: boolean;
}

/**
 * One line per task, method and metric; empty cells where there is no value. `complete`: the run has ended. In a sweep every axis
 * but those that are columns anyway (method, model) is a column.
 */
export function resultsRecords(
  summaries: readonly Summary[],
  complete: boolean,
  { axes, gains }: { readonly axes?: AxisColumns; readonly gains?: Gains } = {},
): Table {
  const knobs = (axes?.knobs ?? []).filter((knob) => knob !== "method" && knob !== "model");
  const text = (value: OptionValue | undefined) => (value === undefined ? undefined : String(value));
  const of = (title: string, cell: (summary: Summary, line: Line) => string | number | undefined): ColumnOf<Line> => ({
    title,
    cell: (line) => cell(line.summary, line),
  });
  const columns: ColumnOf<Line>[] = [
    of("task", ({ task }) => task),
    of("dataset", ({ dataset }) => dataset),
    of("method", ({ method }) => method),
    of("variant", ({ variant }) => variant),
    ...knobs.map((knob) => of(knob, (summary) => text(axes?.of(summary)[knob]))),
    of("model", ({ model }) => model),
    of("simulated", ({ simulated }) => (simulated ? "SIMULATED" : "")),
    of("metric", (_, { metric }) => metric.name),
    of("better", (_, { metric }) => metric.better),
    of("strict", (_, { metric }) => metric.strict),
    of("low95", (_, { metric }) => metric.interval?.low),
    of("high95", (_, { metric }) => metric.interval?.high),
    of("sd_repeats", (_, { metric }) => metric.spread),
    of("lenient", (_, { metric }) => metric.lenient),
    ...(gains === undefined || summaries.every((summary) => gains.of(summary) === undefined)
      ? []
      : [
          of(`gain_over_${gains.over}`, (summary, { metric }) => gainEstimate(gains.of(summary), metric.name)?.value),
          of("gain_low95", (summary, { metric }) => gainEstimate(gains.of(summary), metric.name)?.interval?.low),
          of("gain_high95", (summary, { metric }) => gainEstimate(gains.of(summary), metric.name)?.interval?.high),
          of("p", (summary, { isFirst }) => (isFirst ? gains.of(summary)?.metrics[0]?.p : undefined)),
          of("p_holm", (summary, { isFirst }) => (isFirst ? gains.of(summary)?.metrics[0]?.holm : undefined)),
        ]),
    of("stream_quarters", ({ stream }, { isFirst }) =>
      isFirst ? stream?.map((value) => value ?? "").join(" ") : undefined,
    ),
    of("repeats", ({ repeats }) => repeats),
    of("users", ({ users }) => users),
    of("n", ({ counts }) => counts.scored),
    of("answered", ({ counts }) => counts.answered),
    of("unparsed", ({ counts }) => counts.unparsed),
    of("failed", ({ counts }) => counts.failed),
    ...(summaries.some(({ unaligned }) => unaligned === true)
      ? [of("aligned", ({ unaligned }) => (unaligned === true ? "NOT aligned" : ""))]
      : []),
    of("no_gold", ({ counts }) => counts.unscored),
    of("calls_per_query", ({ callsPerQuery }) => callsPerQuery),
    of("calls_per_user", ({ callsPerUser }) => callsPerUser),
    of("tokens_per_query", ({ tokensPerQuery }) => tokensPerQuery),
    of("tokens_per_user", ({ tokensPerUser }) => tokensPerUser),
    of("tokens_per_query_in_all", ({ tokens }) => tokens),
    of("usd", ({ usd, usdAtMost }) => (usdAtMost === true ? `<=${usd}` : usd)),
    of("complete", () => (complete ? "yes" : "PARTIAL")),
  ];
  const lines = summaries.flatMap((summary) =>
    summary.metrics.map((metric, m) => ({ summary, metric, isFirst: m === 0 })),
  );
  return rowsOfItems(columns, lines);
}
