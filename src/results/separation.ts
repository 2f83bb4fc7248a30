/** Two samples of scores: of cases that should be high, and of those that should be low. */
export interface TwoSamples {
  readonly high: readonly number[];
  readonly low: readonly number[];
}

/** The cut that tells two samples apart best, and how well: Youden's J = true positives - false positives, as shares. */
export interface Cut {
  readonly threshold: number;
  readonly j: number;
  /** Share of `high` at or above the threshold. */
  readonly recall: number;
  /** Share of `low` below it. */
  readonly specificity: number;
}

/** Youden 1950. Of equal cuts the lowest threshold: between two scores, or below all where none separates. Undefined where a sample is empty. */
export function youdenCut({ high, low }: TwoSamples): Cut | undefined {
  if (high.length === 0 || low.length === 0) return undefined;
  return cutsOf([...high, ...low])
    .map((threshold) => cutAt({ high, low }, threshold))
    .reduce((best, cut) => (cut.j > best.j ? cut : best));
}

/** Recall and specificity of one threshold. */
export function cutAt({ high, low }: TwoSamples, threshold: number): Cut {
  const recall = shareOf(high, (score) => score >= threshold);
  const specificity = shareOf(low, (score) => score < threshold);
  return { threshold, j: recall + specificity - 1, recall, specificity };
}

/** Below the least score, between each two neighbours, above the largest; rising. */
function cutsOf(scores: readonly number[]): number[] {
  const sorted = [...new Set(scores)].sort((a, b) => a - b);
  const first = sorted[0] ?? 0;
  return [first - 1, ...sorted.slice(1).map((score, at) => (score + sorted[at]!) / 2), (sorted.at(-1) ?? 0) + 1];
}

/** Area under the ROC curve: how often a high case is above a low one, ties half. Undefined where a sample is empty. */
export function areaUnderRoc({ high, low }: TwoSamples): number | undefined {
  if (high.length === 0 || low.length === 0) return undefined;
  const all = [...high.map((score) => ({ score, isHigh: true })), ...low.map((score) => ({ score, isHigh: false }))];
  all.sort((a, b) => a.score - b.score);
  let ranks = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end]!.score === all[start]!.score) end += 1;
    const rank = (start + 1 + end) / 2; // ties share the mean of their ranks
    for (let at = start; at < end; at++) if (all[at]!.isHigh) ranks += rank;
    start = end;
  }
  const n = high.length;
  return (ranks - (n * (n + 1)) / 2) / (n * low.length);
}

/** The two-sample test of Kolmogorov and Smirnov. */
export interface Kolmogorov {
  /** Largest distance of the two empirical distributions. */
  readonly statistic: number;
  /** Asymptotic, two-sided (Smirnov 1948). */
  readonly p: number;
}

/** Undefined where a sample is empty. */
export function kolmogorovSmirnov({ high, low }: TwoSamples): Kolmogorov | undefined {
  if (high.length === 0 || low.length === 0) return undefined;
  const statistic = [...new Set([...high, ...low])].reduce((largest, at) => {
    const below = (sample: readonly number[]): number => shareOf(sample, (score) => score <= at);
    return Math.max(largest, Math.abs(below(high) - below(low)));
  }, 0);
  const size = Math.sqrt((high.length * low.length) / (high.length + low.length));
  return { statistic, p: smirnovTail((size + 0.12 + 0.11 / size) * statistic) };
}

/** Jensen-Shannon divergence of two samples over equal bins, in nats: between 0 and ln 2. */
export interface Divergence {
  readonly nats: number;
  readonly bits: number;
  /** How the scores were binned: equal bins from `from` to `to`. */
  readonly bins: { readonly count: number; readonly from: number; readonly to: number };
}

/** Bins run from the least to the largest score of both samples. Undefined where a sample is empty. */
export function jensenShannon({ high, low }: TwoSamples, count = 20): Divergence | undefined {
  if (high.length === 0 || low.length === 0) return undefined;
  const all = [...high, ...low];
  const [from, to] = [Math.min(...all), Math.max(...all)];
  const width = (to - from) / count;
  const binOf = (score: number): number => (width === 0 ? 0 : Math.min(count - 1, Math.floor((score - from) / width)));
  const sharesOf = (sample: readonly number[]): number[] => {
    const shares = new Array<number>(count).fill(0);
    for (const score of sample) shares[binOf(score)]! += 1 / sample.length;
    return shares;
  };
  const [p, q] = [sharesOf(high), sharesOf(low)];
  const nats = p.reduce((sum, share, bin) => sum + half(share, q[bin]!) + half(q[bin]!, share), 0);
  return { nats, bits: nats / Math.LN2, bins: { count, from, to } };
}

const shareOf = (sample: readonly number[], fits: (score: number) => boolean): number =>
  sample.filter(fits).length / sample.length;

/** One bin's part of half the divergence of p from the mean of p and q. */
const half = (p: number, q: number): number => (p === 0 ? 0 : (p / 2) * Math.log((2 * p) / (p + q)));

/** Q_KS of Press et al., Numerical Recipes 14.3. */
function smirnovTail(lambda: number): number {
  if (lambda < 0.2) return 1;
  let [sum, sign] = [0, 1];
  for (let k = 1; k <= 100; k++) {
    const term = Math.exp(-2 * k * k * lambda * lambda);
    sum += sign * term;
    if (term < 1e-12) break;
    sign = -sign;
  }
  return Math.min(1, Math.max(0, 2 * sum));
}
