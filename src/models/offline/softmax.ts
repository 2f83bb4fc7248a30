/** Probabilities from log-scores, in the order of `options`. Sums to one. */
export function softmax(options: readonly string[], score: (option: string) => number): Map<string, number> {
  const scores = options.map(score);
  const top = Math.max(...scores);
  const odds = scores.map((value) => Math.exp(value - top));
  const total = odds.reduce((sum, value) => sum + value, 0);
  return new Map(options.map((option, i) => [option, (odds[i] ?? 0) / total]));
}
