import type { Cell, Metric, OptionValue, PhaseTotals, Row, Task, Timing, UnitRecord } from "../types/index.js";
import { armsOf, ownSettings, variantOf } from "./arms.js";
import { groupBy } from "./grouped.js";
import { type Lack, lacksOf } from "./lacks.js";
import { type MetricSummary, summarizeMetrics } from "./metric-summary.js";
import { isScored, meanOfRepeats, pairsByRepeat, type ScoredRow } from "./pairs.js";
import { median } from "./quantile.js";
import {
  type CacheUse,
  cachedOf,
  dollars,
  type ModelSpend,
  type RepeatedCalls,
  type SummaryPrices,
  spentByModel,
  sumSpend,
} from "./spending.js";

/** One line of a results table: a task and method, all repeats together. */
export interface Summary {
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  /** The settings in which this arm differs from the others of its method, and the same as a text. */
  readonly settings: Readonly<Record<string, OptionValue>>;
  readonly variant: string;
  /** Ids of its cells, one a repeat. */
  readonly cells: readonly string[];
  readonly repeats: number;
  readonly users: number;
  readonly counts: Counts;
  /** Questions that the arm has when it is complete. Absent once it is. */
  readonly planned?: number;
  readonly metrics: readonly MetricSummary[];
  readonly callsPerQuery: number | undefined;
  readonly callsPerUser: number | undefined;
  readonly tokensPerQuery: number | undefined;
  readonly tokensPerUser: number | undefined;
  /** Tokens a question, with what preparing its user took, and its part of what all users share. */
  readonly tokens: number | undefined;
  /**
   * Calls and tokens of what all users of a cell share, over all repeats. They count in `usd`, but in no amount per user.
   * Absent: no calls.
   */
  readonly shared?: PhaseTotals;
  /** Median over questions none of whose calls came from the store. */
  readonly secondsPerQuery: number | undefined;
  /** US dollars of all calls: as billed where the provider says so, else by price. Undefined: no price is known. */
  readonly usd: number | undefined;
  /** True where they cost `usd` or less, since a price or the length of single calls is not known. */
  readonly usdAtMost?: true;
  /** By model and phase, of an arm that asks further models. Absent: it asks one. */
  readonly spent?: readonly ModelSpend[];
  /** What the provider's cache did. Absent: nothing. */
  readonly cached?: CacheUse;
  /** The day on which the prices were read, where that was more than 60 days before the run. */
  readonly pricesOf?: string;
  readonly incidents: Readonly<Record<string, number>>;
  /** What the arm did without in all of its questions, against what its method's name says. Absent: nothing. */
  readonly lacks?: readonly Lack[];
  /** The primary metric over the quarters of each user's stream of questions (`--online` only). */
  readonly stream?: readonly (number | undefined)[];
  readonly simulated: boolean;
  /** Where several runs are joined, the name of its own. */
  readonly run?: string;
  /** Its answers are predictions of another program. */
  readonly imported?: true;
}

interface Counts {
  readonly questions: number;
  readonly answered: number;
  readonly unparsed: number;
  readonly failed: number;
  /** Answered or unparsed, but the data hold no gold. */
  readonly unscored: number;
  /** Pairs behind the scores: answered + unparsed - unscored, over all repeats. */
  readonly scored: number;
}

export interface Material {
  readonly cells: readonly Cell[];
  /** The cells that an arm is told apart from. Default: `cells`. */
  readonly peers?: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  /** Gone through once. */
  readonly timings: Iterable<Timing>;
  readonly prices: SummaryPrices;
  /** By cell and model, calls that the records count and that were not paid for again. Absent: none. */
  readonly repeated?: RepeatedCalls;
}

/** Cells that differ only in their repeat number become one summary, in the order of the cells. */
export function summarize(material: Material): Summary[] {
  const rows = groupBy(material.rows, (row) => row.cell);
  const units = groupBy(material.units, (unit) => unit.cell);
  const seconds = groupBy(
    [...material.timings].filter(({ question }) => question !== undefined),
    ({ cell }) => cell,
  );
  const of = <T>(map: Map<string, T[]>, cells: readonly Cell[]): T[] => cells.flatMap(({ id }) => map.get(id) ?? []);
  return armsOf(material.cells).map((cells) =>
    summarizeGroup(
      cells,
      of(rows, cells),
      of(units, cells),
      of(seconds, cells).map(({ ms }) => ms / 1000),
      material,
    ),
  );
}

function summarizeGroup(
  cells: readonly Cell[],
  rows: readonly Row[],
  units: readonly UnitRecord[],
  seconds: readonly number[],
  material: Material,
): Summary {
  const cell = cells[0]!; // groups are never empty
  const task = material.task(cell.task);
  const users = new Set(rows.map(({ user }) => user)).size;
  const asked = sumSpend(rows);
  const ownUnits = units.filter((unit) => unit.shared !== true);
  const prepared = sumSpend(ownUnits);
  const sharedUnits = units.filter((unit) => unit.shared === true);
  const shared = sumSpend(sharedUnits);
  const lacks = lacksOf(cell, ownUnits, rows);
  const unknown = rows.some(({ spendUnknown }) => spendUnknown === true);
  const perQuestion = (total: number) => (unknown ? undefined : ratio(total, rows.length));
  const perUser = (total: number) => (unknown ? undefined : ratio(total, ownUnits.length));
  return {
    task: cell.task,
    dataset: cell.dataset,
    method: cell.method,
    model: cell.model,
    settings: ownSettings(cell, material.peers ?? material.cells),
    variant: variantOf(cell, material.peers ?? material.cells),
    cells: cells.map(({ id }) => id),
    repeats: cells.length,
    users,
    counts: countRows(rows),
    metrics: summarizeMetrics(
      task.metrics,
      cells.map(({ id }) => id),
      rows.filter(isScored),
    ),
    callsPerQuery: perQuestion(asked.calls),
    callsPerUser: perUser(prepared.calls),
    tokensPerQuery: perQuestion(asked.in + asked.out),
    tokensPerUser: perUser(prepared.in + prepared.out),
    tokens: perQuestion([asked, prepared, shared].reduce((sum, part) => sum + part.in + part.out, 0)),
    ...(shared.calls === 0 ? {} : { shared }),
    secondsPerQuery: median(seconds),
    ...(unknown
      ? { usd: undefined }
      : dollars(cells, [rows, ownUnits, sharedUnits], material.prices, material.repeated)),
    ...(unknown ? {} : spentByModel(cell, [rows, units], material.prices)),
    ...(unknown ? {} : cachedOf([...rows, ...units])),
    incidents: addCounts(rows, units),
    ...(lacks.length === 0 ? {} : { lacks }),
    ...streamOf(task.metrics[0], cells, rows),
    simulated: [rows, units].some((records) => records.some(({ simulated }) => simulated === true)),
    ...(Object.keys(cell.options).some((name) => name.startsWith("import.")) ? { imported: true } : {}),
  };
}

function countRows(rows: readonly Row[]): Counts {
  const counts = { answered: 0, unparsed: 0, failed: 0, unscored: 0 };
  for (const row of rows) {
    const { kind } = row.outcome;
    counts[kind] += 1;
    if (kind !== "failed" && row.gold === undefined) counts.unscored += 1;
  }
  const scored = counts.answered + counts.unparsed - counts.unscored;
  return { questions: rows.length, ...counts, scored };
}

/** Does a method get better along the stream? Each user's questions cut into four parts by position. */
function streamOf(
  headline: Metric | undefined,
  cells: readonly Cell[],
  rows: readonly Row[],
): { stream?: (number | undefined)[] } {
  if (headline === undefined || !rows.some(({ position }) => position !== undefined)) return {};
  const quarters: Row[][] = [[], [], [], []];
  for (const sameUser of groupBy(rows, ({ cell, user }) => `${cell}\t${user}`).values()) {
    const length = Math.max(...sameUser.map(({ position }) => position ?? 1));
    for (const row of sameUser) quarters[Math.floor((((row.position ?? 1) - 1) * 4) / length)]?.push(row);
  }
  const repeats = cells.map(({ id }) => id);
  return { stream: quarters.map((quarter) => meanOfRepeats(headline, pairsByRepeat(scored(quarter), repeats))) };
}

/** Failed rows are counted, not scored. */
const scored = (rows: readonly Row[]): ScoredRow[] => rows.filter(isScored);

function addCounts(...parts: readonly (readonly Pick<Row, "incidents">[])[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const records of parts)
    for (const { incidents } of records)
      for (const [name, count] of Object.entries(incidents)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

const ratio = (total: number, count: number): number | undefined => (count === 0 ? undefined : total / count);
