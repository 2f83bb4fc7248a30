import type { Json } from "../../types.js";

/** Where a chart stands in a report, in this order. */
export type ChartSection = "overview" | "tasks" | "sweep" | "users" | "persona";

/** One picture: data and drawing in one vega-lite specification, so that it can be plotted again without this program. */
export interface Chart {
  /** File name without its ending. Unique in a report. */
  readonly name: string;
  readonly title: string;
  /** What to see, how many cases are behind it, and the SIMULATED mark. */
  readonly note: string;
  readonly section: ChartSection;
  /** The one arm that it shows. Where several charts of single arms look the same, the page draws one. */
  readonly arm?: string;
  /** Charts of one group stand together under this title, which the reader opens. */
  readonly group?: string;
  /** A complete vega-lite 6 specification with its data inside. Equal material gives equal bytes. */
  readonly spec: Json;
}
