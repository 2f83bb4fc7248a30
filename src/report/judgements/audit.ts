import { seeded } from "../../random/seeded.js";
import { holm, isSignificant } from "../../statistics/holm.js";
import { type Interval, MIN_USERS } from "../../statistics/interval.js";
import { pairedDifference } from "../../statistics/paired-difference.js";
import { median, quantile } from "../../statistics/quantile.js";
import { type CountedVerdict, verdictSums } from "./scores.js";

/** One judge with one model, over every arm. */
export interface JudgeSetting {
  /** `dialogue-score · openai/gpt-5`. */
  readonly label: string;
  /** The verdicts of each arm, one a question. */
  readonly arms: readonly (readonly CountedVerdict[])[];
}

export interface AuditMaterial {
  /** The task of each arm: arms of one task are compared. */
  readonly arms: readonly { readonly task: string; readonly label: string }[];
  /** The first is the headline. */
  readonly settings: readonly JudgeSetting[];
  /** The headline's setting, asked once more. */
  readonly again: JudgeSetting;
  readonly seed: number;
}

/** A share of pairs of arms. Undefined where no pair has an order in both settings. */
interface Flips {
  readonly share: number | undefined;
  /** 95 %, users drawn with replacement. */
  readonly interval: Interval | undefined;
}

/** Two arms whose order two settings show the other way round. */
interface Reversal {
  readonly task: string;
  readonly arms: readonly [string, string];
  /** The setting that shows the first arm better, and the one that shows the second better. */
  readonly settings: readonly [string, string];
}

export interface Audit {
  readonly verdict: "ORDER DEPENDS ON THE JUDGE" | "ORDER HOLDS" | "NOT SHOWN";
  /** Kendall's tau-b over all pairs of settings. */
  readonly tau: { readonly median: number | undefined; readonly lowest: number | undefined };
  /** The same of the headline and its repeat. */
  readonly tauAgain: number | undefined;
  /** Pairs of arms that another setting orders the other way round than the headline does. */
  readonly flips: Flips;
  /** The same of its repeat: noise alone. */
  readonly flipsAgain: Flips;
  readonly reversals: readonly Reversal[];
  /** Pairs of arms that the headline shows to differ, of all pairs. */
  readonly shown: number;
  readonly pairs: number;
}

/**
 * Whether the order of the arms depends on who judges. Differences are paired by user; Holm over pairs times settings. A reversal is
 * a pair that two settings show with opposite signs; the order holds where every pair that the headline shows keeps its sign in all.
 */
export function auditOf({ arms, settings, again, seed }: AuditMaterial): Audit {
  const pairs = arms.flatMap(({ task }, b) =>
    arms.slice(0, b).flatMap((other, a) => (other.task === task ? [[a, b] as const] : [])),
  );
  const users = [...new Set([...settings, again].flatMap((one) => one.arms.flat().map(({ user }) => user)))];
  const ordered = settings.map((setting) => pairs.map((pair) => orderOf(setting, pair, users, seed)));
  const orderedAgain = pairs.map((pair) => orderOf(again, pair, users, seed));
  const corrected = holm(ordered.flat().map(({ p }) => p));
  const isShown = (setting: number, pair: number) => isSignificant(corrected[setting * pairs.length + pair]);
  const signs = ordered.map((of) => signsOf(of));
  const [headline = [], ...others] = ordered;
  const reversals = pairs.flatMap(([a, b], pair): Reversal[] => {
    const shownBy = (sign: number) => settings.find((_, s) => isShown(s, pair) && signs[s]![pair] === sign)?.label;
    const [first, second] = [shownBy(1), shownBy(-1)];
    if (first === undefined || second === undefined) return [];
    return [{ task: arms[a]!.task, arms: [arms[a]!.label, arms[b]!.label], settings: [first, second] }];
  });
  const shown = pairs.flatMap((_, pair) => (isShown(0, pair) ? [pair] : []));
  const holds = shown.length > 0 && shown.every((pair) => new Set(signs.map((of) => of[pair])).size === 1);
  const taus = signs.flatMap((one, s) => signs.slice(s + 1).flatMap((other) => tauOf(one, other) ?? []));
  return {
    verdict: reversals.length > 0 ? "ORDER DEPENDS ON THE JUDGE" : holds ? "ORDER HOLDS" : "NOT SHOWN",
    tau: { median: median(taus), lowest: taus.length === 0 ? undefined : Math.min(...taus) },
    tauAgain: tauOf(signsOf(headline), signsOf(orderedAgain)),
    flips: flipsOf(headline, others, users.length, seed),
    flipsAgain: flipsOf(headline, [orderedAgain], users.length, seed),
    reversals,
    shown: shown.length,
    pairs: pairs.length,
  };
}

/** What one setting says of two arms, over the questions that have a verdict in both. */
interface Order {
  /** By user, sums of the first arm's verdicts less the second's. */
  readonly gains: Float64Array;
  /** 1 where nothing can be tested. */
  readonly p: number;
}

function orderOf(
  { arms }: JudgeSetting,
  [a, b]: readonly [number, number],
  users: readonly string[],
  seed: number,
): Order {
  const second = new Map(arms[b]!.map(({ question, value }) => [question, value]));
  const both = arms[a]!.flatMap(({ user, question, value }) => {
    const other = second.get(question);
    return other === undefined ? [] : [{ user, a: value, b: other }];
  });
  const byUser = new Map<string, number>();
  for (const pair of both) byUser.set(pair.user, (byUser.get(pair.user) ?? 0) + pair.a - pair.b);
  const p = both.length === 0 ? undefined : pairedDifference({ ...verdictSums(both), seed })?.p;
  return { gains: Float64Array.from(users, (user) => byUser.get(user) ?? 0), p: p ?? 1 };
}

/** Of each pair, 1 where the first arm is better, -1 where the second is. `times`: how often each user is drawn. */
const signsOf = (orders: readonly Order[], times?: Float64Array): number[] =>
  orders.map(({ gains }) => {
    let sum = 0;
    for (let u = 0; u < gains.length; u += 1) sum += gains[u]! * (times?.[u] ?? 1);
    return Math.abs(sum) < SMALLEST ? 0 : Math.sign(sum);
  });

/** Below it a sum of verdicts is the rounding of 0. */
const SMALLEST = 1e-9;

/** Kendall's tau-b (Kendall 1945) by the signs of the pairs; undefined where one of the two orders nothing. */
function tauOf(one: readonly number[], other: readonly number[]): number | undefined {
  const untied = Math.sqrt(one.filter(Boolean).length * other.filter(Boolean).length);
  return untied === 0 ? undefined : one.reduce((sum, sign, pair) => sum + sign * other[pair]!, 0) / untied;
}

function flipsOf(
  headline: readonly Order[],
  others: readonly (readonly Order[])[],
  users: number,
  seed: number,
): Flips {
  const shareOf = (times?: Float64Array): number | undefined => {
    const first = signsOf(headline, times);
    const products = others.flatMap((other) => signsOf(other, times).map((sign, pair) => sign * first[pair]!));
    const untied = products.filter(Boolean);
    return untied.length === 0 ? undefined : untied.filter((product) => product < 0).length / untied.length;
  };
  const random = seeded(`flips ${seed}`);
  const drawn = Array.from({ length: DRAWS }, () => {
    const times = new Float64Array(users);
    for (let u = 0; u < users; u += 1) times[random.below(users)]! += 1;
    return shareOf(times);
  });
  const sorted = Float64Array.from(drawn.filter((share) => share !== undefined)).sort();
  const [low, high] = [0.025, 0.975].map((share) => quantile(sorted, share));
  return {
    share: shareOf(),
    interval: users < MIN_USERS || sorted.length === 0 ? undefined : { low: low!, high: high! },
  };
}

const DRAWS = 1000;
