import { ScoreError } from "../errors.js";
import { type NumpyLegacyRandom, numpyLegacy } from "../random/numpy-mt19937.js";
import type { Pair } from "../types.js";
import { rougeScore } from "./rouge-score.js";

const RESAMPLES = 1000;

/**
 * What the official script prints after `np.random.seed(seed)`: not the mean, but the median of 1000 bootstrap means.
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
