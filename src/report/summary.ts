import { furtherModels, modelOf } from "../further-models.js";
import { deviation } from "../statistics/deviation.js";
import { median } from "../statistics/median.js";
import type { Cell, Metric, PhaseTotals, Row, Task, Timing, UnitRecord } from "../types.js";
import { isUnaligned } from "./alignment.js";
import { armsOf, variantOf } from "./arms.js";
import { groupBy } from "./grouped.js";
import { hasGold, isScored, kindOf, lenientPairOf, type ScoredRow } from "./pairs.js";
import { meanOfRepeats, pairsByRepeat, scoresOfRepeats } from "./repeats.js";
import { intervalOfArm, scoredArm } from "./score-interval.js";
import { sparseLabels } from "./sparse-labels.js";

/** One line of a results table: a task and method, all repeats together. */
export interface Summary {
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  /** Knobs in which this arm differs from the others of its method; empty when it is the only one. */
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
  /**
   * Calls and tokens of what all users of a cell share, over all repeats. They count in `usd`, but in no amount per user.
   * Absent: no calls.
   */
  readonly shared?: PhaseTotals;
  /** Median over questions none of whose calls came from the store. */
  readonly secondsPerQuery: number | undefined;
  /** Rows whose time is lost: its record was damaged, and no time comes twice. Absent: none. */
  readonly untimed?: number;
  /** What all calls cost, US dollars: as billed where the provider says so, else by price. Undefined when no price is known. */
  readonly usd: number | undefined;
  /** True where they cost `usd` or less, since a price or the length of single calls is not known. Absent: exactly that. */
  readonly usdAtMost?: true;
  /** Prompt tokens in all, and those of them that the provider read from its cache or wrote to it. Absent: none were. */
  readonly cached?: {
    readonly in: number;
    readonly read: number;
    readonly written: number;
    /** What the cache saved, US dollars; less than 0 where its writes cost more. Absent: not known. */
    readonly savedUsd?: number;
  };
  /** The day on which the prices were read, where that was more than 60 days before the run. */
  readonly pricesOf?: string;
  readonly incidents: Readonly<Record<string, number>>;
  /** Set where alignment changed nothing for any user: the numbers are those of the method without it. */
  readonly unaligned?: true;
  /** Headline metric over the quarters of each user's stream of questions, in order of time (`--online` only). */
  readonly stream?: readonly (number | undefined)[];
  readonly simulated: boolean;
}

export interface Counts {
  readonly questions: number;
  readonly answered: number;
  readonly unparsed: number;
  readonly failed: number;
  /** Answered or unparsed, but the data hold no gold. */
  readonly unscored: number;
  /** Pairs behind the scores: answered + unparsed - unscored, over all repeats. */
  readonly scored: number;
}

export interface MetricSummary {
  readonly name: string;
  readonly title: string;
  readonly better: "higher" | "lower";
  /** Official reading. Undefined when nothing was scored. With repeats: the mean over repeats. */
  readonly strict: number | undefined;
  /** The same metric over what the forgiving reading found. */
  readonly lenient: number | undefined;
  /** 95 % interval of `strict`, for users drawn like these. Undefined below 10 users, and for metrics without a known largest value. */
  readonly interval: { readonly low: number; readonly high: number } | undefined;
  /** Of a mean over labels: labels so rare that its interval is not to be trusted (`sparseLabels`). Absent: none. */
  readonly sparseLabels?: number;
  /** Standard deviation between repeats; undefined for one repeat. */
  readonly spread: number | undefined;
}

export interface Material {
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  /** Gone through once. */
  readonly timings: Iterable<Timing>;
  /** Whether the run kept times, should none be left. */
  readonly timed?: boolean;
  readonly prices: SummaryPrices;
}

/** What calls of a model cost. */
export interface SummaryPrices {
  /** Undefined where no price is known. */
  of(model: string, phases: Iterable<PhaseTotals>): { readonly usd: number; readonly atMost?: true } | undefined;
  /** The day of a price, where that is long past. */
  staleSince(model: string): string | undefined;
}

/** Cells that differ only in their repeat number become one summary, in the order of the cells. */
export function summarize(material: Material): Summary[] {
  const rows = groupBy(material.rows, (row) => row.cell);
  const units = groupBy(material.units, (unit) => unit.cell);
  const times = timesByCell(material.timings);
  const of = <T>(map: Map<string, T[]>, cells: readonly Cell[]): T[] => cells.flatMap(({ id }) => map.get(id) ?? []);
  return armsOf(material.cells).map((cells) =>
    summarizeGroup(cells, of(rows, cells), of(units, cells), timesOf(cells, times, material.timed), material),
  );
}

// --- internal ---

function summarizeGroup(
  cells: readonly Cell[],
  rows: readonly Row[],
  units: readonly UnitRecord[],
  times: Times,
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
  const unknown = rows.some(({ spendUnknown }) => spendUnknown === true);
  const perQuestion = (total: number) => (unknown ? undefined : ratio(total, rows.length));
  const perUser = (total: number) => (unknown ? undefined : ratio(total, ownUnits.length));
  return {
    task: cell.task,
    dataset: cell.dataset,
    method: cell.method,
    model: cell.model,
    variant: variantOf(cell, material.cells),
    cells: cells.map(({ id }) => id),
    repeats: cells.length,
    users,
    counts: countRows(rows),
    metrics: summarizeMetrics(task.metrics, cells, rows.filter(isScored)),
    callsPerQuery: perQuestion(asked.calls),
    callsPerUser: perUser(prepared.calls),
    tokensPerQuery: perQuestion(asked.in + asked.out),
    tokensPerUser: perUser(prepared.in + prepared.out),
    ...(shared.calls === 0 ? {} : { shared }),
    secondsPerQuery: median(times.seconds),
    ...(times.any && !unknown && rows.length > times.records ? { untimed: rows.length - times.records } : {}),
    ...(unknown ? { usd: undefined } : dollars(cell, [rows, ownUnits, sharedUnits], material)),
    ...(unknown ? {} : cachedOf(cell, [...rows, ...units], material)),
    incidents: addCounts([...rows, ...units].map(({ incidents }) => incidents)),
    ...(isUnaligned(ownUnits, rows, cell.options) ? { unaligned: true } : {}),
    ...streamOf(task.metrics[0], cells, rows),
    simulated: [...rows, ...units].some(({ simulated }) => simulated === true),
  };
}

function countRows(rows: readonly Row[]): Counts {
  const of = (kind: Row["outcome"]["kind"]) => rows.filter((row) => kindOf(row) === kind).length;
  const unscored = rows.filter((row) => !hasGold(row) && kindOf(row) !== "failed").length;
  const [answered, unparsed] = [of("answered"), of("unparsed")];
  return {
    questions: rows.length,
    answered,
    unparsed,
    failed: of("failed"),
    unscored,
    scored: answered + unparsed - unscored,
  };
}

/** Of the rows that are scored. */
function summarizeMetrics(
  metrics: readonly Metric[],
  cells: readonly Cell[],
  rows: readonly ScoredRow[],
): MetricSummary[] {
  const repeats = cells.map(({ id }) => id);
  const arm = scoredArm(rows, repeats);
  const lenient = pairsByRepeat(rows, repeats, lenientPairOf);
  return metrics.map((metric) => ({
    name: metric.name,
    title: metric.title,
    better: metric.better,
    strict: meanOfRepeats(metric, arm.pairs),
    lenient: meanOfRepeats(metric, lenient),
    interval: intervalOfArm(metric, arm),
    ...sparseLabels(metric, () => goldsOf(rows, cells.length)),
    spread: repeats.length === 1 ? undefined : deviation(scoresOfRepeats(metric, arm.pairs)),
  }));
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

/** The gold of every question, once each. */
function goldsOf(rows: readonly ScoredRow[], repeats: number): string[] {
  if (repeats === 1) return rows.map(({ gold }) => gold);
  const golds = new Map<string, string>();
  for (const { question, gold } of rows) golds.set(question, gold);
  return [...golds.values()];
}

/** Failed rows are counted, not scored. */
const scored = (rows: readonly Row[]): ScoredRow[] => rows.filter(isScored);

/** What the record of times says of some cells. */
interface Times {
  /** Whether the run kept any time at all: predictions that were imported have none. */
  readonly any: boolean;
  /** Questions with a time. */
  readonly records: number;
  /** How long questions took none of whose calls came from the store. */
  readonly seconds: readonly number[];
}

function timesByCell(timings: Iterable<Timing>): Map<string, { records: number; seconds: number[] }> {
  const times = new Map<string, { records: number; seconds: number[] }>();
  for (const { cell, question, ms, fromStore } of timings) {
    if (question === undefined) continue;
    const ofCell = times.get(cell) ?? { records: 0, seconds: [] };
    times.set(cell, ofCell);
    ofCell.records += 1;
    if (!fromStore) ofCell.seconds.push(ms / 1000);
  }
  return times;
}

function timesOf(cells: readonly Cell[], times: ReturnType<typeof timesByCell>, timed = false): Times {
  const own = cells.flatMap(({ id }) => times.get(id) ?? []);
  return {
    any: timed || times.size > 0,
    records: own.reduce((sum, { records }) => sum + records, 0),
    seconds: own.flatMap(({ seconds }) => seconds),
  };
}

/** Each model's calls at its own price. */
function dollars(
  cell: Cell,
  parts: readonly (readonly Spent[])[],
  { prices }: Material,
): Pick<Summary, "usd" | "usdAtMost" | "pricesOf"> {
  const models = [...new Set([cell.model, ...Object.values(furtherModels(cell))])];
  let [usd, atMost] = [0, false];
  for (const model of models) {
    const ofModel = (phase: string): boolean => models.length === 1 || modelOf(phase, cell) === model;
    const spent = parts.filter((records) => !phasesOf(records, ofModel)[Symbol.iterator]().next().done);
    for (const records of spent.length === 0 && model === cell.model ? [[]] : spent) {
      const cost = prices.of(model, phasesOf(records, ofModel));
      if (cost === undefined) return { usd: undefined };
      usd += cost.usd;
      atMost ||= cost.atMost === true;
    }
  }
  const pricesOf = models.flatMap((model) => prices.staleSince(model) ?? []).sort()[0];
  return { usd, ...(atMost ? { usdAtMost: true } : {}), ...(pricesOf === undefined ? {} : { pricesOf }) };
}

/** What of the prompts came from the provider's cache, and what that saved: the same tokens as plain ones less the cost. */
function cachedOf(cell: Cell, records: readonly Spent[], { prices }: Material): Pick<Summary, "cached"> {
  let [all, read, written] = [0, 0, 0];
  for (const { in: tokensIn, cacheRead = 0, cacheWrite = 0 } of phasesOf(records)) {
    all += tokensIn;
    read += cacheRead;
    written += cacheWrite;
  }
  if (read + written === 0) return {};
  const plain = [...phasesOf(records)].map(({ cacheRead: _, cacheWrite: __, long, ...phase }) => ({
    ...phase,
    ...(long === undefined ? {} : { long: long.map((call) => ({ in: call.in, out: call.out })) }),
  }));
  const isOneModel = Object.keys(furtherModels(cell)).length === 0; // else no one price holds for all phases
  const priced = (phases: Iterable<PhaseTotals>) => (isOneModel ? prices.of(cell.model, phases) : undefined);
  const [cost, without] = [priced(phasesOf(records)), priced(plain)];
  const isExact = cost !== undefined && without !== undefined && cost.atMost !== true && without.atMost !== true;
  return { cached: { in: all, read, written, ...(isExact ? { savedUsd: without.usd - cost.usd } : {}) } };
}

type Spent = Pick<Row, "spend">;

function* phasesOf(records: readonly Spent[], wanted: (phase: string) => boolean = () => true): Iterable<PhaseTotals> {
  for (const { spend } of records) for (const [phase, totals] of Object.entries(spend)) if (wanted(phase)) yield totals;
}

function addCounts(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const part of parts) for (const [name, count] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

const ratio = (total: number, count: number): number | undefined => (count === 0 ? undefined : total / count);

/** What several records cost, over all phases. */
function sumSpend(records: readonly Spent[]): PhaseTotals {
  const sum = { calls: 0, in: 0, out: 0 };
  for (const totals of phasesOf(records)) {
    sum.calls += totals.calls;
    sum.in += totals.in;
    sum.out += totals.out;
  }
  return sum;
}
