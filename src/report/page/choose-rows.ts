import { scoreAll } from "../../metrics/score-all.js";
import { seeded } from "../../random/seeded.js";
import { isMean } from "../../statistics/mean-metric.js";
import type { Cell, Row, Task } from "../../types.js";
import { signOf } from "../compare/question-test.js";
import { groupBy } from "../grouped.js";
import { isScored, pairOf } from "../pairs.js";
import { formatAmount } from "../tables/table.js";
import { html, type Markup } from "./markup.js";

/** Up to `whole` rows the list has all. Of more it has at most so many that failed, that flipped, and of the others. */
export interface Limits {
  readonly whole: number;
  readonly failed: number;
  readonly flipped: number;
  readonly others: number;
}

const LIMITS: Limits = { whole: 20_000, failed: 20_000, flipped: 20_000, others: 5000 };

interface Choice {
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  /** The method that flipped rows differ from; of a task that it did not answer the first one that did. Default: the first. */
  readonly over?: string;
}

/** The rows for the list of answers, in their order, and the line that says what it leaves out of a large run. Drawn by the run's seed. */
export function listedRows(
  choice: Choice,
  limits = LIMITS,
): { readonly rows: readonly Row[]; readonly leftOut?: Markup } {
  const { cells, rows } = choice;
  if (rows.length <= limits.whole) return { rows };
  const against = choice.over ?? cells[0]?.method ?? "";
  const seed = cells[0]?.seed ?? 0;
  const flips = flippedRows(choice, against);
  const kind = (row: Row): keyof Limits =>
    row.outcome.kind === "failed" ? "failed" : flips.has(row) ? "flipped" : "others";
  const byKind = groupBy(rows, kind);
  const listed = new Set<Row>();
  const said = (["failed", "flipped", "others"] as const).map((one) => {
    const all = byKind.get(one) ?? [];
    const shown = seeded(`page ${seed}`).fork(one).sample(all, Math.min(all.length, limits[one]));
    for (const row of shown) listed.add(row);
    return shown.length === all.length
      ? `all ${formatAmount(all.length)}`
      : `${formatAmount(shown.length)} of ${formatAmount(all.length)}`;
  });
  return {
    rows: rows.filter((row) => listed.has(row)),
    leftOut: html`<p class="banner" role="note" id="left-out"><strong>${formatAmount(listed.size)} of ${formatAmount(rows.length)} answers</strong> This list has ${said[0]} that failed, ${said[1]} that flipped (score another than ${against}'s, and ${against}'s) and ${said[2]} others, drawn with seed ${seed}; tables and charts count all. <code>lamp-eval show RUN --question ID</code> prints any.</p>
`,
  };
}

/** The rows that flipped, of either side. */
function flippedRows({ cells, task, rows }: Choice, against: string): ReadonlySet<Row> {
  const flips = new Set<Row>();
  const peers = groupBy(cells, (cell) => `${cell.task}\t${cell.dataset}\t${cell.repeat}`);
  for (const ofTask of peers.values()) {
    const known = task(ofTask[0]!.task); // groups are never empty
    const metric = known.kind === "text" ? undefined : known.metrics.find(isMean);
    const reference = ofTask.find(({ method }) => method === against) ?? ofTask[0];
    if (metric === undefined || reference === undefined) continue;
    const ids = new Set(ofTask.map(({ id }) => id));
    const scored = rows.filter((row) => ids.has(row.cell)).filter(isScored);
    const value = (row: (typeof scored)[number]): number => scoreAll(metric, [pairOf(row)]);
    const plain = new Map<string, { readonly row: Row; readonly value: number }>();
    for (const row of scored) if (row.cell === reference.id) plain.set(row.question, { row, value: value(row) });
    for (const row of scored) {
      const other = plain.get(row.question);
      if (other === undefined || signOf(value(row) - other.value) === 0) continue;
      flips.add(row).add(other.row);
    }
  }
  return flips;
}
