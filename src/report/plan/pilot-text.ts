import { dash } from "../table.js";
import { formatAmount, formatUsd } from "../tables/format.js";
import { renderText } from "../tables/text.js";
import type { Forecast } from "./forecast.js";

export interface PilotLine {
  readonly task: string;
  readonly method: string;
  /** Of the whole run, the pilot included. */
  readonly forecast: Forecast;
  /** Minutes that the rest takes at the limits that servers told, else at the pilot's pace; undefined where neither is known. */
  readonly minutes: number | undefined;
  /** Expected dollars of the whole run in batches; undefined where a model takes none, or no price is known. */
  readonly inBatches: number | undefined;
  /** Shares of the pilot's questions. */
  readonly failed: number;
  readonly unparsed: number;
  /** Shares of the pilot's replies that ended at their limit with no answer, and of its prompt tokens that came out of a cache. */
  readonly cut: number;
  readonly cacheRead: number;
}

/** The findings of a pilot as a person reads them. */
export function pilotText(lines: readonly PilotLine[], total: PilotLine): string {
  const titles = [
    ...["task", "method", "calls", "expected cost", "95 % of runs cost", "in batches"],
    ...["minutes left", "failed", "unparsed", "cut", "cache reads"],
  ];
  return renderText({
    columns: titles.map((title, i) => ({ title, align: i < 2 ? ("left" as const) : ("right" as const) })),
    rows: [...lines, total].map((line) => [
      line.task,
      line.method,
      formatAmount(Math.round(line.forecast.calls)),
      formatUsd(line.forecast.usd),
      intervalText(line.forecast.interval),
      line.inBatches === undefined ? dash : formatUsd(line.inBatches),
      formatAmount(line.minutes),
      percent(line.failed),
      percent(line.unparsed),
      percent(line.cut),
      percent(line.cacheRead),
    ]),
  });
}

const intervalText = (interval: Forecast["interval"]): string =>
  interval === undefined ? dash : `${formatUsd(interval.low)}..${formatUsd(interval.high)}`;

const percent = (share: number): string => `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
