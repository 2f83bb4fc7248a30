import { scoreAll } from "../../metrics/score-all.js";
import { seeded } from "../../random/seeded.js";
import { isMean } from "../../statistics/mean-metric.js";
import type { Cell, Metric, Row, Task } from "../../types.js";
import { armLabel } from "../arms.js";
import { signOf } from "../compare/question-test.js";
import { groupBy } from "../grouped.js";
import { isScored, pairOf } from "../pairs.js";
import type { Summary } from "../summary.js";
import { formatAmount } from "../tables/format.js";
import { html, type Markup } from "./markup.js";
import type { PackedArm, PackedRows } from "./packed.js";

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

interface RowMaterial {
  readonly cells: readonly Cell[];
  /** Of the same cells. */
  readonly summaries: readonly Summary[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
}

/** The rows in the order they are shown in: by arm, repeat, unit, question. */
export function orderRows({ cells, rows }: Pick<RowMaterial, "cells" | "rows">): Row[] {
  const byCell = groupBy(rows, ({ cell }) => cell);
  return cells.flatMap(({ id }) => inOrder(byCell.get(id) ?? []));
}

/** Columns of rows that `orderRows` put in order; units and chunks are the transcript packer's. */
export function packRows(
  { cells, summaries, task, rows }: RowMaterial,
  transcripts: Pick<PackedRows, "asked" | "askedTexts" | "transcript" | "units" | "rowChunks" | "unitChunks">,
): PackedRows {
  const armOfCell = new Map(summaries.flatMap((summary, a) => summary.cells.map((id) => [id, a] as const)));
  const armTasks = summaries.map((summary) => task(summary.task));
  const metrics = armTasks.map((task) => task.metrics.find(isMean));
  const cellPlaces = new Map(cells.map(({ id }, c) => [id, c]));
  const unitPlaces = new Map(transcripts.units.map(({ name, cell }, u) => [`${cell}\t${name}`, u]));
  const [users, questions, texts] = [new TextList(), new TextList(), new TextList()];
  const cellOf = (row: Row): number => cellPlaces.get(row.cell) ?? -1;
  return {
    arms: summaries.map((summary, a) => ({
      task: summary.task,
      dataset: summary.dataset,
      label: armLabel(summary),
      ...packMetric(metrics[a], armTasks[a]),
    })),
    cells: cells.map(({ id, repeat }) => ({ id, repeat, arm: armOfCell.get(id) ?? -1 })),
    cell: rows.map(cellOf),
    user: rows.map(({ user }) => users.of(user)),
    question: rows.map(({ question }) => questions.of(question)),
    kind: rows.map((row) => row.outcome.kind[0]).join(""),
    gold: rows.map(({ gold }) => texts.of(gold)),
    reply: rows.map(({ outcome }) => texts.of(outcome.kind === "failed" ? outcome.error : outcome.reply)),
    reading: rows.map(({ outcome }) => texts.of(outcome.kind === "failed" ? undefined : outcome.lenient)),
    value: rows.map((row) => scoreOf(row, metrics[armOfCell.get(row.cell) ?? -1])),
    unit: rows.map((row) => unitPlaces.get(`${cellOf(row)}\t${row.unit}`) ?? -1),
    users: users.all,
    questions: questions.all,
    texts: texts.all,
    ...transcripts,
  };
}

/** Finished runs have their rows in order: they are not sorted again. */
function inOrder(rows: readonly Row[]): readonly Row[] {
  const key = ({ unit, question }: Row) => `${unit}\t${question}`;
  let last = "";
  const isSorted = rows.every((row) => {
    const before = last;
    last = key(row);
    return before <= last;
  });
  return isSorted ? rows : [...rows].sort((a, b) => compareText(key(a), key(b)));
}

function packMetric(metric: Metric | undefined, task: Task | undefined): Pick<PackedArm, "metric"> {
  if (metric === undefined) return {};
  return { metric: { name: metric.name, better: metric.better, exact: task?.kind !== "text" } };
}

const VALUE_DIGITS = 1e6;

function scoreOf(row: Row, metric: Metric | undefined): number | null {
  if (metric === undefined || !isScored(row)) return null;
  const value = scoreAll(metric, [pairOf(row)]);
  return Math.round(value * VALUE_DIGITS) / VALUE_DIGITS;
}

/** By code units: the same order on every machine. */
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The different texts of a list, and the index of each. */
class TextList {
  readonly #indexes = new Map<string, number>();

  get all(): string[] {
    return [...this.#indexes.keys()];
  }

  of(text: string | undefined): number {
    if (text === undefined) return -1;
    const known = this.#indexes.get(text);
    if (known !== undefined) return known;
    this.#indexes.set(text, this.#indexes.size);
    return this.#indexes.size - 1;
  }
}
