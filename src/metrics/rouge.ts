import { ScoreError } from "../errors.js";
import { type NumpyLegacyRandom, numpyLegacy } from "../random/mersenne-twister.js";
import { countsOf } from "../text/count.js";
import { rougeTokens } from "../text/tokens.js";
import type { Metric, Pair } from "../types/index.js";
import { meanMetric } from "./mean.js";

export interface Overlap {
  readonly precision: number;
  readonly recall: number;
  readonly f: number;
}

interface RougeScore {
  readonly rouge1: Overlap;
  readonly rouge2: Overlap;
  readonly rougeL: Overlap;
}

/** ROUGE-1, -2 and -L of one prediction against one target, as Google's rouge_score 0.1.2 without stemming. */
export function rougeScore(target: string, prediction: string): RougeScore {
  const wanted = rougeTokens(target);
  const given = rougeTokens(prediction);
  return {
    rouge1: ngramOverlap(wanted, given, 1),
    rouge2: ngramOverlap(wanted, given, 2),
    rougeL: lcsOverlap(wanted, given),
  };
}

/** Clipped n-gram overlap. */
function ngramOverlap(target: readonly string[], prediction: readonly string[], n: number): Overlap {
  const left = countsOf(ngrams(target, n));
  let shared = 0;
  for (const gram of ngrams(prediction, n)) {
    const count = left.get(gram) ?? 0;
    if (count === 0) continue;
    shared++;
    left.set(gram, count - 1);
  }
  return overlap(shared, target.length - n + 1, prediction.length - n + 1);
}

/** Returns the overlap by longest common subsequence of the flat token lists (rougeL, not rougeLsum). */
function lcsOverlap(target: readonly string[], prediction: readonly string[]): Overlap {
  return overlap(lcsLength(target, prediction), target.length, prediction.length);
}

const ngrams = (tokens: readonly string[], n: number): string[] =>
  tokens.slice(0, Math.max(0, tokens.length - n + 1)).map((_, at) => tokens.slice(at, at + n).join(" "));

/** The order of operations is rouge_score's own, for equality to the last bit. */
function overlap(shared: number, targetSize: number, predictionSize: number): Overlap {
  const precision = shared / Math.max(predictionSize, 1);
  const recall = shared / Math.max(targetSize, 1);
  const sum = precision + recall;
  return { precision, recall, f: sum > 0 ? (2 * precision * recall) / sum : 0 };
}

function lcsLength(a: readonly string[], b: readonly string[]): number {
  const row = new Uint32Array(b.length + 1);
  for (const token of a) {
    let diagonal = 0;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!;
      row[j] = token === b[j - 1] ? diagonal + 1 : Math.max(above, row[j - 1]!);
      diagonal = above;
    }
  }
  return row[b.length]!;
}

const RESAMPLES = 1000;

/**
 * Returns the official script's result after `np.random.seed(seed)`: not the mean, but the median of 1000 bootstrap means.
 * Bit for bit; the order of the pairs counts. Source: rouge_score/scoring.py, BootstrapAggregator; evaluate metrics/rouge.
 */
export function officialRouge(pairs: readonly Pair[], seed: number): { "rouge-1": number; "rouge-L": number } {
  if (pairs.length === 0) throw new ScoreError("no pairs to score");
  const random = numpyLegacy(seed);
  const scores = pairs.map(({ gold, prediction }) => rougeScore(gold, prediction));
  const first = medianOfMeans(
    scores.map((score) => score.rouge1.f),
    random,
  );
  // rouge2 is drawn between the two: its value is not printed, its draws move the generator.
  for (let draw = 0; draw < RESAMPLES * pairs.length; draw++) random.below(pairs.length);
  const longest = medianOfMeans(
    scores.map((score) => score.rougeL.f),
    random,
  );
  return { "rouge-1": first, "rouge-L": longest };
}

function medianOfMeans(values: readonly number[], random: NumpyLegacyRandom): number {
  const means = new Float64Array(RESAMPLES);
  for (let resample = 0; resample < RESAMPLES; resample++) {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw++) sum += values[random.below(values.length)]!;
    means[resample] = sum / values.length;
  }
  means.sort();
  const low = means[RESAMPLES / 2 - 1]!;
  const high = means[RESAMPLES / 2]!;
  return high - (high - low) * 0.5; // numpy's own form of the midpoint (lerp at t >= 0.5)
}

/** Mean ROUGE-1 F-measure. */
export const rouge1 = rouge("rouge-1", "ROUGE-1", (target, prediction) => ngramOverlap(target, prediction, 1));

/** Mean ROUGE-2 F-measure. Not part of the benchmark's score. */
export const rouge2 = rouge("rouge-2", "ROUGE-2", (target, prediction) => ngramOverlap(target, prediction, 2));

/** Mean ROUGE-L F-measure (flat token lists). */
export const rougeL = rouge("rouge-l", "ROUGE-L", lcsOverlap);

/** Makes the exact mean. The official script prints a bootstrap median (`officialRouge`), whose expectation is close to it. */
function rouge(
  name: string,
  title: string,
  compare: (target: readonly string[], prediction: readonly string[]) => Overlap,
): Metric {
  const source = "Google rouge_score 0.1.2 without stemming, as LaMP eval/evaluation.py @38c9d4d";
  return meanMetric({ name, title, source }, ({ prediction, gold }) => {
    return compare(rougeTokens(gold), rougeTokens(prediction)).f;
  });
}
