import { scoreAll } from "../../metrics/score-all.js";
import { repeatSums } from "../../statistics/cluster-sums.js";
import { holm } from "../../statistics/holm.js";
import { isMean, isRootOfMean } from "../../statistics/mean-metric.js";
import { deviation } from "../../statistics/quantile.js";
import { type Trend, trend } from "../../statistics/trend.js";
import type { Metric, OptionValue, Pair, Row } from "../../types/index.js";
import { groupBy } from "../grouped.js";
import { type Answers, answersIn, byRepeat, known, otherData, pairAnswers } from "../paired.js";
import { scoresOfRepeats } from "../pairs.js";
import { formatP, formatScore } from "../tables/format.js";
import { TOO_NARROW } from "./compare.js";

/** One metric of one method along an axis. */
export interface MetricTrend extends Trend {
  readonly metric: string;
  /** p after Holm over all trends that are printed together. Filled in by `correctTrends`. */
  readonly holm: number;
}

/** The arms of one method along an axis, in its order. */
interface TrendMaterial {
  readonly steps: readonly (readonly Row[])[];
  readonly metrics: readonly Metric[];
  readonly seed: number;
}

/**
 * Every metric's change a step, on the questions that were answered at every step. Empty below 10 users and without such questions.
 * Throws UsageError on steps of different data.
 */
export function trendsOf({ steps, metrics, seed }: TrendMaterial): MetricTrend[] {
  const answers = commonAnswers(steps);
  const byUser = answers.map((ofStep) => groupBy(ofStep, ({ user }) => user));
  const users = [...(byUser[0]?.keys() ?? [])];
  if (users.length === 0) return [];
  return metrics.flatMap((metric) => {
    const found = trend({
      steps: byUser.map((ofUsers) =>
        repeatSums(
          metric,
          users.map((user) => repeatsIn(ofUsers.get(user) ?? [])),
        ),
      ),
      questions: answers[0]!.length, // there are users, and so steps
      repeats: answers.map((ofStep) => {
        const scores = scoresOfRepeats(metric, repeatsIn(ofStep));
        return { sd: deviation(scores) ?? 0, count: scores.length };
      }),
      ...(isMean(metric) ? { userSums: byUser.map((ofUsers) => sumsByUser(metric, ofUsers, users)) } : {}),
      isRoot: isRootOfMean(metric),
      seed,
    });
    return found === undefined ? [] : [{ ...found, metric: metric.name, holm: found.p }];
  });
}

const repeatsIn = (answers: readonly Answers[]): Pair[][] => byRepeat(answers.map(({ replies }) => replies));

/** Holm's correction over all trends that are printed together. */
export function correctTrends(lines: readonly (readonly MetricTrend[])[]): MetricTrend[][] {
  const corrected = holm(lines.flatMap((line) => line.map(({ p }) => p))).values();
  return lines.map((line) => line.map((one) => ({ ...one, holm: corrected.next().value ?? one.p })));
}

/** Each user's sum of its questions' values, each the mean over its repeats. */
const sumsByUser = (
  metric: Metric,
  ofUsers: ReadonlyMap<string, readonly Answers[]>,
  users: readonly string[],
): number[] =>
  users.map((user) =>
    (ofUsers.get(user) ?? []).reduce((sum, { replies }) => sum + scoreAll(metric, known(replies)), 0),
  );

/** The answers of each step to the questions that every step has scored. */
function commonAnswers(steps: readonly (readonly Row[])[]): Answers[][] {
  const answers = steps.map(answersIn);
  const [first = [], ...others] = answers;
  const seen = new Map<string, number>();
  for (const step of others)
    for (const { id } of pairAnswers(first, step, otherData).questions) seen.set(id, (seen.get(id) ?? 0) + 1);
  return answers.map((ofStep) => ofStep.filter(({ id }) => seen.get(id) === others.length));
}

/** What stands on one axis of a sweep: each line is one method with one model. */
export interface TrendLines {
  readonly knob: string;
  readonly lines: readonly {
    readonly name: string;
    readonly steps: readonly { readonly value: OptionValue | undefined; readonly rows: readonly Row[] }[];
  }[];
  readonly metrics: readonly Metric[];
  readonly seed: number;
}

/**
 * A line of text for each metric and line of the axis that has three numbers or more, and what they say; p after Holm over all of them.
 * Empty where there is none, and below 10 users.
 */
export function trendNotes({ knob, lines, metrics, seed }: TrendLines): string[] {
  const known = lines.flatMap(({ name, steps }) => {
    const ordered = inOrder(steps);
    return ordered === undefined ? [] : [{ name, ordered }];
  });
  const found = correctTrends(
    known.map(({ ordered }) => trendsOf({ steps: ordered.map(({ rows }) => rows), metrics, seed })),
  );
  const shown = known.flatMap(({ name, ordered }, l) => {
    const values = ordered.map(({ value }) => value).join(", ");
    const head = `trend along ${knob} (${values})${known.length > 1 ? `, ${name}` : ""}: `;
    return found[l]!.map((one) => `${head}${trendText(one)}`);
  });
  const tests = found.flat().length;
  return tests === 0 ? [] : [...shown, `${TREND_LEGEND}; p Holm over ${tests} trend${tests === 1 ? "" : "s"}`];
}

/** Of two steps the difference says it all. */
const FEWEST_STEPS = 3;

const TREND_LEGEND = `trend: slope of the least-squares line, steps equally far apart, 95 % interval over users, ${TOO_NARROW}; it does not say that every step changes as much`;

interface Step {
  readonly value: number;
  readonly rows: readonly Row[];
}

/** Ascending. Undefined where a step is no number, two are the same, or there are too few. */
function inOrder(steps: TrendLines["lines"][number]["steps"]): Step[] | undefined {
  const numbers = steps.flatMap(({ value, rows }) => (typeof value === "number" ? [{ value, rows }] : []));
  const different = new Set(numbers.map(({ value }) => value)).size;
  if (different < FEWEST_STEPS || different < steps.length) return undefined;
  return numbers.sort((a, b) => a.value - b.value);
}

const trendText = ({ metric, slope, interval, holm }: MetricTrend): string =>
  `${metric} ${signed(slope)} a step [${signed(interval.low)}, ${signed(interval.high)}], p Holm ${formatP(holm)}`;

const signed = (value: number): string => `${value > 0 ? "+" : ""}${formatScore(value)}`;
