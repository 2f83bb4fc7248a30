import { UsageError } from "../errors.js";
import { choices } from "../registry/registry.js";
import type { ArmSpec, Metric, OptionValue, PhaseTotals, Row, Task, Timing, UnitRecord } from "../types/index.js";
import {
  answersIn,
  isScored,
  lenientPairOf,
  meanOfRepeats,
  pairsByRepeat,
  scoresOfRepeats,
  takenBy,
  usersOf,
} from "./answers.js";
import { armLabel, armsOf, ownSettings, variantOf } from "./arms.js";
import {
  effectiveOf,
  hasEveryLabel,
  type Interval,
  scaleOf,
  scoreInterval,
  thetaOf,
  type UserPairs,
} from "./inference.js";
import { findingsOf, type Lack, lacksOf } from "./lacks.js";
import { deviation, groupBy, mean, median } from "./samples.js";
import { type CacheUse, cachedOf, dollars, type RepeatedCalls, type SummaryPrices, sumSpend } from "./spending.js";

/** Calls, tokens and dollars of an arm. */
export interface Amounts {
  readonly callsPerQuery: number | undefined;
  readonly callsPerUser: number | undefined;
  readonly tokensPerQuery: number | undefined;
  readonly tokensPerUser: number | undefined;
  /** Tokens an answered question, with what preparing its user took, and its part of what all users share. */
  readonly tokens: number | undefined;
  /** US dollars of all calls: as billed where the provider says so, else by price. Undefined: no price is known. */
  readonly usd: number | undefined;
  /** The parts of them for preparing users, and for answers. */
  readonly usdPrepared: number | undefined;
  readonly usdAnswers: number | undefined;
}

/** One arm, all repeats together: a line of a results table. */
export interface Summary extends Amounts {
  readonly task: string;
  readonly dataset: string;
  readonly method: string;
  readonly model: string;
  /** The settings in which this arm differs from the others of its method, and the same as a text. */
  readonly settings: Readonly<Record<string, OptionValue>>;
  readonly variant: string;
  /** Ids of its specs, one a repeat. */
  readonly arms: readonly string[];
  readonly repeats: number;
  readonly users: number;
  /** Users, or clusters, of scored answers in effect (n_e of docs/STATISTICS.md); NaN where nothing was scored. */
  readonly effective: number;
  readonly counts: Counts;
  /** Questions that the arm has when it is complete. Absent once it is. */
  readonly planned?: number;
  readonly metrics: readonly MetricSummary[];
  /** Set where a program may have made calls that nobody counted: its amounts are undefined, and at least these. */
  readonly atLeast?: Amounts;
  /**
   * Calls and tokens of what all users of an arm share, over all repeats. They count in `usd`, but in no amount per user.
   * Absent: no calls.
   */
  readonly shared?: PhaseTotals;
  /** Median over questions none of whose calls came from the store. */
  readonly secondsPerQuery: number | undefined;
  /** The same of the preparation of users. */
  readonly secondsPerUser: number | undefined;
  /** True where they cost `usd` or less, since a price or the length of single calls is not known. */
  readonly usdAtMost?: true;
  /** What the provider's cache did. Absent: nothing. */
  readonly cached?: CacheUse;
  /** The day on which the prices were read, where that was more than 60 days before the run. */
  readonly pricesOf?: string;
  readonly incidents: Readonly<Record<string, number>>;
  /** What a reader of its score must know of, a sentence each. */
  readonly findings: readonly string[];
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

export interface MetricSummary {
  readonly name: string;
  readonly title: string;
  readonly better: "higher" | "lower";
  /** Official reading, the mean over repeats. Undefined where nothing was scored. */
  readonly strict: number | undefined;
  /** The same metric over what the forgiving reading found. */
  readonly lenient: number | undefined;
  /** 95 % interval of `strict`, over users. Undefined where docs/STATISTICS.md has a dash. */
  readonly interval: Interval | undefined;
  /** Standard deviation between repeats; undefined for one repeat. */
  readonly spread: number | undefined;
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

export interface SummaryInput {
  readonly specs: readonly ArmSpec[];
  /** The specs that an arm is told apart from. Default: `specs`. */
  readonly peers?: readonly ArmSpec[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  readonly units: readonly UnitRecord[];
  /** Gone through once. */
  readonly timings: Iterable<Timing>;
  readonly prices: SummaryPrices;
  /** By arm and model, calls that the records count and that were not paid for again. Absent: none. */
  readonly repeated?: RepeatedCalls;
}

/** Returns a summary an arm, which holds the specs that differ only in their repeat number; in the order of the specs. */
export function summarize(input: SummaryInput): Summary[] {
  const rows = groupBy(input.rows, ({ arm }) => arm);
  const units = groupBy(input.units, ({ arm }) => arm);
  const seconds = new Map<string, number[]>();
  const userSeconds = new Map<string, number[]>();
  for (const { arm, question, ms } of input.timings) {
    const all = question === undefined ? userSeconds : seconds;
    const ofArmId = all.get(arm) ?? [];
    ofArmId.push(ms / 1000);
    all.set(arm, ofArmId);
  }
  const of = <T>(map: Map<string, T[]>, arms: readonly ArmSpec[]): T[] => arms.flatMap(({ id }) => map.get(id) ?? []);
  return armsOf(input.specs).map((arms) =>
    summaryOfArm(
      arms,
      { ...input, rows: of(rows, arms), units: of(units, arms) },
      {
        secondsPerQuery: median(of(seconds, arms)),
        secondsPerUser: median(of(userSeconds, arms)),
      },
    ),
  );
}

function summaryOfArm(
  arms: readonly ArmSpec[],
  input: SummaryInput,
  seconds: Pick<Summary, "secondsPerQuery" | "secondsPerUser">,
): Summary {
  const { rows, units, prices, repeated, peers = input.specs } = input;
  const arm = arms[0]!; // no arm is empty
  const repeats = arms.map(({ id }) => id);
  const { metrics } = input.task(arm.task);
  const ownUnits = units.filter((unit) => unit.shared !== true);
  const sharedUnits = units.filter((unit) => unit.shared === true);
  const [asked, prepared, shared] = [sumSpend(rows), sumSpend(ownUnits), sumSpend(sharedUnits)];
  const lacks = lacksOf(arm, ownUnits, rows);
  const unknown = [...rows, ...units].some(({ spendUnknown }) => spendUnknown === true);
  const counts = countRows(rows);
  const perQuestion = (total: number) => ratio(total, counts.answered + counts.unparsed);
  const perUser = (total: number) => ratio(total, ownUnits.length);
  const amounts: Amounts = {
    callsPerQuery: perQuestion(asked.calls),
    callsPerUser: perUser(prepared.calls),
    tokensPerQuery: perQuestion(asked.in + asked.out),
    tokensPerUser: perUser(prepared.in + prepared.out),
    tokens: perQuestion([asked, prepared, shared].reduce((sum, part) => sum + part.in + part.out, 0)),
    usdPrepared: dollars(arms, [ownUnits, sharedUnits], prices).usd,
    usdAnswers: dollars(arms, [rows], prices).usd,
    ...dollars(arms, [rows, ownUnits, sharedUnits], prices, repeated),
  };
  const hasCalls = asked.calls + prepared.calls + shared.calls > 0;
  return {
    task: arm.task,
    dataset: arm.dataset,
    method: arm.method,
    model: arm.model,
    settings: ownSettings(arm, peers),
    variant: variantOf(arm, peers),
    arms: repeats,
    repeats: arms.length,
    users: new Set(rows.map(({ user }) => user)).size,
    effective: effectiveOf(usersOf(answersIn(rows.filter(isScored), repeats))),
    counts,
    metrics: summarizeMetrics(metrics, repeats, rows.filter(isScored)),
    ...(unknown ? { ...NO_AMOUNTS, ...(hasCalls ? { atLeast: amounts } : {}) } : amounts),
    ...(shared.calls === 0 ? {} : { shared }),
    ...seconds,
    ...(unknown ? {} : cachedOf([...rows, ...units])),
    incidents: addCounts([...rows, ...units]),
    findings: findingsOf(arm, ownUnits, rows),
    ...(lacks.length === 0 ? {} : { lacks }),
    ...streamOf(metrics[0], repeats, rows),
    simulated: [...rows, ...units].some(({ simulated }) => simulated === true),
    ...(Object.keys(arm.options).some((name) => name.startsWith("import.")) ? { imported: true } : {}),
  };
}

const NO_AMOUNTS: Amounts = {
  ...{ callsPerQuery: undefined, callsPerUser: undefined, tokensPerQuery: undefined, tokensPerUser: undefined },
  ...{ tokens: undefined, usd: undefined, usdPrepared: undefined, usdAnswers: undefined },
};

/** Returns one summary a metric, of the scored rows of an arm; `arms`: its repeats. */
function summarizeMetrics(metrics: readonly Metric[], arms: readonly string[], rows: readonly Row[]): MetricSummary[] {
  const answers = answersIn(rows, arms);
  const repeats = pairsByRepeat(rows, arms);
  const lenient = pairsByRepeat(rows, arms, lenientPairOf);
  return metrics.map((metric) => {
    const scores = scoresOfRepeats(metric, repeats);
    return {
      name: metric.name,
      title: metric.title,
      better: metric.better,
      strict: mean(scores),
      lenient: meanOfRepeats(metric, lenient),
      interval: intervalOf(metric, usersOf(takenBy(metric, answers))),
      spread: arms.length === 1 ? undefined : deviation(scores),
    };
  });
}

/** Returns the 95 % interval of a metric over users. */
export function intervalOf(metric: Metric, users: readonly UserPairs[]): Interval | undefined {
  const scale = scaleOf(metric);
  if (scale === undefined || !hasEveryLabel(metric, users)) return undefined;
  return scoreInterval(thetaOf(metric, users), scale);
}

function countRows(rows: readonly Row[]): Counts {
  const counts = { answered: 0, unparsed: 0, failed: 0, unscored: 0 };
  for (const row of rows) {
    counts[row.outcome.kind] += 1;
    if (row.outcome.kind !== "failed" && !isScored(row)) counts.unscored += 1;
  }
  const scored = counts.answered + counts.unparsed - counts.unscored;
  return { questions: rows.length, ...counts, scored };
}

/** Returns the score of each quarter of the streams, where users' questions have places in one. */
function streamOf(
  metric: Metric | undefined,
  repeats: readonly string[],
  rows: readonly Row[],
): Pick<Summary, "stream"> {
  if (metric === undefined || !rows.some(({ position }) => position !== undefined)) return {};
  const quarters: Row[][] = [[], [], [], []];
  for (const sameUser of groupBy(rows, ({ arm, user }) => `${arm}\t${user}`).values()) {
    const length = Math.max(...sameUser.map(({ position }) => position ?? 1));
    for (const row of sameUser) quarters[Math.floor((((row.position ?? 1) - 1) * 4) / length)]?.push(row);
  }
  return { stream: quarters.map((rows) => meanOfRepeats(metric, pairsByRepeat(rows.filter(isScored), repeats))) };
}

function addCounts(records: readonly Pick<Row, "incidents">[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { incidents } of records)
    for (const [name, count] of Object.entries(incidents)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}

const ratio = (total: number, count: number): number | undefined => (count === 0 ? undefined : total / count);

/** Names an arm. Absent: any. */
export type SummaryChoice = Partial<Pick<Summary, "task" | "method" | "model" | "variant">>;

/**
 * Returns the one summary that is so: `summaryOf(summaries, { method: "rag" })`. Throws UsageError where there is none, and where
 * there are several.
 */
export function summaryOf(summaries: readonly Summary[], wanted: SummaryChoice = {}): Summary {
  const keys = Object.entries(wanted).filter(([, value]) => value !== undefined) as [keyof SummaryChoice, string][];
  const found = summaries.filter((summary) => keys.every(([key, value]) => summary[key] === value));
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const asked = keys.map(([key, value]) => `${key} ${value}`).join(", ") || "one arm";
  const all = (only === undefined ? summaries : found).map((one) => `${one.task} ${armLabel(one)} ${one.model}`);
  throw new UsageError(`${asked}: ${only === undefined ? "no such arm" : "several arms"}; arms: ${all.join("; ")}`);
}

/** Returns a metric of a summary, by default the primary one. Throws UsageError where the task is not scored by it. */
export function metricOf({ task, metrics }: Summary, name = metrics[0]?.name ?? ""): MetricSummary {
  const found = metrics.find((metric) => metric.name === name);
  if (found !== undefined) return found;
  const known = metrics.map((metric) => metric.name);
  throw new UsageError(`metric ${name}: not of ${task}${choices(name, known, "metrics")}`);
}
