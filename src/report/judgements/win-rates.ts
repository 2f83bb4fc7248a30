import { groupBy } from "../../results/grouped.js";
import type { Judgement } from "./judgement.js";

/** A judge's word on two answers to one question. */
export interface PairVerdict {
  readonly question: string;
  /** `1`: the answer shown first is better; `2`: the second; `0`: neither. */
  readonly winner: 0 | 1 | 2;
  /** 1 to 100. */
  readonly confidence: number;
  /** Whether the own method's answer stood first. */
  readonly ownFirst: boolean;
}

/** H3 of RUMS: (wins - losses) / pairs, of the method whose answers are called own. */
export interface WinRates {
  /** Both orders: a win counts where both orders agree, so that a judge who likes one place decides nothing. */
  readonly both: number | undefined;
  readonly pairs: number;
  /** As published: the own answer first alone, only verdicts of the 70th percentile of confidence or above. */
  readonly published: number | undefined;
  readonly kept: number;
}

export function winRates(verdicts: readonly PairVerdict[]): WinRates {
  const pairs = [...groupBy(verdicts, ({ question }) => question).values()].flatMap((orders) => {
    const [first, second] = [orders.find(({ ownFirst }) => ownFirst), orders.find(({ ownFirst }) => !ownFirst)];
    return first === undefined || second === undefined ? [] : [[ownGain(first), ownGain(second)] as const];
  });
  const both = pairs.map(([a, b]) => (a === b ? a : 0)).reduce((sum, gain) => sum + gain, 0);
  const single = verdicts.filter(({ ownFirst }) => ownFirst);
  const least = percentile(
    single.map(({ confidence }) => confidence),
    PUBLISHED_PERCENTILE,
  );
  const kept = single.filter(({ confidence }) => confidence >= least);
  const gained = kept.reduce((sum, verdict) => sum + ownGain(verdict), 0);
  return {
    both: pairs.length === 0 ? undefined : both / pairs.length,
    pairs: pairs.length,
    published: kept.length === 0 ? undefined : gained / kept.length,
    kept: kept.length,
  };
}

/** The verdicts of comparisons, the compared cell's answers as the own ones. What is unjudged is in none; so is what has no confidence. */
export function pairVerdicts(judgements: readonly Judgement[]): PairVerdict[] {
  return judgements.flatMap(({ question, judged, against }) =>
    against === undefined || judged.kind !== "judged" || judged.confidence === undefined
      ? []
      : [{ question, winner: winnerOf(judged.value), confidence: judged.confidence, ownFirst: !against.shownFirst }],
  );
}

const PUBLISHED_PERCENTILE = 0.7;

const winnerOf = (value: number): PairVerdict["winner"] => (value === 0 ? 0 : value > 0 ? 1 : 2);

/** 1 where the own answer wins, -1 where the other does. */
const ownGain = ({ winner, ownFirst }: PairVerdict): number =>
  winner === 0 ? 0 : (winner === 1) === ownFirst ? 1 : -1;

/** The value that a share of the others lie below; none of them: minus infinity. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NEGATIVE_INFINITY;
}
