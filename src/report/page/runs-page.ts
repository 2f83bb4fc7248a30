import { armLabel } from "../../results/arms.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import { dash, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatScore, formatUsd } from "../tables/format.js";
import type { TaskFacts } from "../tables/results.js";

/** What one run of several came to. */
export interface RunLine {
  /** Its folder, as it is named. */
  readonly run: string;
  readonly state: "done" | "at work" | "not ended" | "not readable";
  readonly simulated?: boolean;
  readonly arms: number;
  /** Questions that have an answer or failed, and those that it was planned for, over all arms and repeats. */
  readonly questions?: number;
  readonly planned?: number;
  readonly failed?: number;
  /** US dollars; absent where no price is known. */
  readonly usd?: number;
  /** Arms whose price is not known. Absent: none. */
  readonly unpriced?: number;
  /** The best arm of each task by its headline metric. */
  readonly scores: readonly (Pick<Summary, "task" | "dataset" | "method" | "variant"> & {
    readonly metric: string;
    readonly score: number;
  })[];
  /** Why it cannot be read, or what of it is left out. */
  readonly why?: string;
}

export interface RankedArm {
  readonly run: string;
  readonly summary: Summary;
}

/** Arms of several runs that were asked the same questions. */
export interface TaskRanking {
  readonly task: string;
  readonly title: string;
  readonly dataset: string;
  readonly simulated: boolean;
  /** The best answers without a model. */
  readonly floor?: TaskFacts["floor"];
  /** The best headline score first. */
  readonly arms: readonly RankedArm[];
}

/** A row a run: its state, what it has spent, and the best score of each task. */
export const runsTable = (lines: readonly RunLine[]): Table => ({
  title: countOf(lines.length, "run"),
  ...rowsOfItems<RunLine>(
    [
      { title: "run", cell: ({ run }) => run },
      { title: "state", cell: stateOf },
      { title: "arms", format: formatAmount, cell: ({ arms }) => (arms === 0 ? undefined : arms) },
      {
        title: "questions",
        align: "right",
        cell: ({ questions, planned = 0 }) =>
          questions === undefined || questions >= planned ? questions : `${questions}/${planned}`,
      },
      {
        title: "spent",
        align: "right",
        cell: ({ usd, unpriced }) => usd && `${formatUsd(usd)}${unpriced === undefined ? "" : " and more"}`,
      },
      {
        title: "best score",
        cell: ({ scores }) =>
          scores
            .map((best) => `${best.task} ${best.metric} ${formatScore(best.score)} (${armLabel(best)})`)
            .join(", ") || dash,
      },
    ],
    lines,
  ),
  notes: lines.flatMap(({ run, why }) => (why === undefined ? [] : [`${run}: ${why}`])),
});

/** `done, 2 failed`, `not ended`, with a mark where the numbers are of the embedded model. */
const stateOf = ({ state, failed = 0, simulated = false }: RunLine): string =>
  [state, ...(failed > 0 ? [`${failed} failed`] : []), ...(simulated ? ["SIMULATED"] : [])].join(", ");
