import { UsageError } from "../errors.js";
import { scoreAll, takes } from "../metrics/score-all.js";
import type { Metric, Pair, Row } from "../types/index.js";
import type { UserPairs } from "./inference.js";
import { groupBy, mean } from "./samples.js";

/** Tells whether a row counts in a score: it was answered, readably or not, and its gold is known or a judge has judged it. */
export const isScored = ({ gold, verdicts, outcome }: Row): boolean =>
  (gold !== undefined || verdicts !== undefined) && outcome.kind !== "failed";

/** Returns what intervals and tests draw as one: the row's cluster where its data name one, else its user. */
const clusterOf = ({ cluster, user }: Pick<Row, "cluster" | "user">): string => cluster ?? user;

/** Returns what a metric sees of a scored row. */
export const pairOf = (row: Row): Pair => pairWith(strictText(row), row);

const pairWith = (prediction: string, { gold, verdicts }: Row): Pair => ({
  ...(gold === undefined ? { prediction, gold: "", hasGold: false } : { prediction, gold }),
  ...(verdicts === undefined ? {} : { verdicts }),
});

/** Returns a metric's value of a row; undefined where it has none. */
export const scoreOfRow = (metric: Metric, row: Row): number | undefined =>
  countsIn(metric, row) ? scoreAll(metric, [pairOf(row)]) : undefined;

/** Tells whether a row counts in a metric. */
export const countsIn = (metric: Metric, row: Row): boolean => isScored(row) && takes(metric, pairOf(row));

/** Returns the same by the forgiving reading. */
export const lenientPairOf = (row: Row): Pair => pairWith(lenientText(row), row);

/**
 * Returns what the official metric sees. An unreadable reply is the empty text, which scores as unreadable under the official
 * rules too; so a reply like `nan`, on which the official script crashes, counts as unreadable here.
 */
export const strictText = ({ outcome }: Row): string => (outcome.kind === "answered" ? outcome.reply : "");

const lenientText = ({ outcome }: Row): string => (outcome.kind === "failed" ? "" : (outcome.lenient ?? ""));

/** Returns the metric with a memory: tables and charts ask for the same pairs again. Its numbers are the same. */
export function memoized(metric: Metric): Metric {
  if (metric.sumCount !== 1 || metric.takes !== undefined) return metric;
  const known = new Map<string, number>();
  return {
    ...metric,
    value: (sums, count) => metric.value(sums, count),
    add(pair, sums, offset = 0) {
      const key = `${pair.gold}\0${pair.prediction}`;
      let value = known.get(key);
      if (value === undefined) {
        const ofPair = new Float64Array(1);
        metric.add(pair, ofPair);
        value = ofPair[0]!; // one number wide
        if (known.size < MOST_KNOWN) known.set(key, value);
      }
      sums[offset]! += value;
    },
  };
}

const MOST_KNOWN = 1 << 16;

/** Returns the spec ids of these rows, one for each repeat, in order of appearance; that of `Answers.pairs`. */
export const repeatsOf = (rows: readonly Row[]): string[] => [...new Set(rows.map(({ arm }) => arm))];

/** Returns the pairs of each of these repeats; a repeat in which nothing was scored has none. */
export function pairsByRepeat(rows: readonly Row[], repeats: readonly string[], pair = pairOf): Pair[][] {
  const byArm = groupBy(rows, ({ arm }) => arm);
  return repeats.map((arm) => (byArm.get(arm) ?? []).map(pair));
}

/** Returns the score of each repeat that has pairs. */
export const scoresOfRepeats = (metric: Metric, repeats: readonly (readonly Pair[])[]): number[] =>
  repeats.filter((pairs) => pairs.some((pair) => takes(metric, pair))).map((pairs) => scoreAll(metric, pairs));

/** Returns the score of an arm: the mean of its repeats' scores. Undefined where nothing was scored. */
export const meanOfRepeats = (metric: Metric, repeats: readonly (readonly Pair[])[]): number | undefined =>
  mean(scoresOfRepeats(metric, repeats));

/** What one arm replied to one question: a place for each repeat, empty where it failed. */
export interface Answers {
  readonly id: string;
  readonly user: string;
  /** The user's cluster where the data name one, else the user. */
  readonly cluster: string;
  /** Undefined: the data hold none. */
  readonly gold: string | undefined;
  readonly pairs: readonly (Pair | undefined)[];
}

/** Returns the answers of an arm by the ids of the questions. Throws UsageError on one with two users or golds. */
export function answersIn(rows: readonly Row[], arms: readonly string[] = repeatsOf(rows)): Answers[] {
  const questions = [...groupBy(rows, ({ question }) => question)].sort(([a], [b]) => (a < b ? -1 : 1));
  return questions.map(([id, ofQuestion]) => {
    const first = ofQuestion[0]!; // groups are never empty
    const pairs: (Pair | undefined)[] = arms.map(() => undefined);
    for (const row of ofQuestion) {
      refuseOther(id, first, row);
      if (isScored(row)) pairs[arms.indexOf(row.arm)] = pairOf(row);
    }
    return { id, user: first.user, cluster: clusterOf(first), gold: first.gold, pairs };
  });
}

type Asked = Pick<Row, "cluster" | "user" | "gold">;

function refuseOther(id: string, a: Asked, b: Asked): void {
  const what = clusterOf(a) === clusterOf(b) ? "gold" : "user";
  if (what === "gold" && a.gold === b.gold) return;
  const [one, other] = [a, b].map((of) => JSON.stringify((what === "gold" ? of.gold : clusterOf(of)) ?? null));
  const differs = `its ${what} is ${one} in one arm and ${other} in the other`;
  throw new UsageError(`question ${id}: ${differs}: different data; compare runs of the same files`);
}

/** Questions that not all arms answered, by reason. */
export interface LeftOut {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly failed: number;
  readonly noGold: number;
}

/** Returns the answers of both arms to the questions that both answered. Throws UsageError on different data. */
export function answeredByBoth(a: readonly Answers[], b: readonly Answers[]) {
  const others = new Map(b.map((answers) => [answers.id, answers]));
  const both: [Answers, Answers][] = [];
  const leftOut = { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 };
  for (const one of a) {
    const other = others.get(one.id);
    others.delete(one.id);
    if (other === undefined) {
      leftOut.onlyA += 1;
      continue;
    }
    refuseOther(one.id, one, other);
    if ([one, other].every((of) => knownPairs(of).length > 0)) both.push([one, other]);
    else if (one.gold === undefined) leftOut.noGold += 1;
    else leftOut.failed += 1;
  }
  leftOut.onlyB = others.size;
  return { a: both.map(([one]) => one), b: both.map(([, other]) => other), leftOut };
}

/** Returns the pairs of the repeats that did not fail. */
export const knownPairs = ({ pairs }: Answers): Pair[] => pairs.filter((pair) => pair !== undefined);

/** Returns the answers that count in a metric, without the pairs that do not. */
export function takenBy(metric: Metric, answers: readonly Answers[]): Answers[] {
  const only = (pair: Pair | undefined) => (pair !== undefined && takes(metric, pair) ? pair : undefined);
  if (answers.every(({ pairs }) => pairs.every((pair) => pair === only(pair)))) return [...answers];
  const taken = answers.map((one) => ({ ...one, pairs: one.pairs.map(only) }));
  return taken.filter((one) => knownPairs(one).length > 0);
}

/** Returns the pairs of each user, or cluster, by repeat, in the order of their first question. */
export const usersOf = (answers: readonly Answers[]): UserPairs[] =>
  [...groupBy(answers, ({ cluster }) => cluster).values()].map((own) => ({
    questions: own.length,
    repeats: byRepeat(own),
  }));

/** Returns the pairs of each repeat: none of a repeat that failed everywhere. */
export function byRepeat(answers: readonly Answers[]): Pair[][] {
  const repeats = answers.reduce((most, { pairs }) => Math.max(most, pairs.length), 0);
  return Array.from({ length: repeats }, (_, r) => answers.flatMap(({ pairs }) => pairs[r] ?? []));
}
