import type { TokenLogprob } from "../../types/index.js";

/** Entropy of shares that sum to one, in nats. */
export function entropy(shares: Iterable<number>): number {
  let sum = 0;
  for (const share of shares) if (share > 0) sum -= share * Math.log(share);
  return Math.max(0, sum);
}

/**
 * The entropy of a distribution of which only the likeliest alternatives are told, the untold rest r = 1 - sum p taken as one token
 * (METHODS 9.2): -sum p ln p - r ln r, a lower bound.
 */
export function tokenEntropy(logprobs: readonly number[]): Estimate {
  const raw = logprobs.map((logprob) => Math.exp(logprob));
  const sum = raw.reduce((a, b) => a + b, 0);
  const shares = sum > 1 ? raw.map((share) => share / sum) : raw; // rounded logprobs may pass one
  const mass = shares.reduce((a, b) => a + b, 0);
  const rest = mass > 1 - ROUNDING ? 0 : 1 - mass;
  return { entropy: entropy(shares) + (rest > 0 ? -rest * Math.log(rest) : 0), rest };
}

/** What sampled continuations say of an entropy. */
export interface Estimate {
  /** Nats: per token of a sequence, of the whole for labels and samples. */
  readonly entropy: number;
  /** Mean share of probability that was not told. */
  readonly rest: number;
}

/**
 * Mean over the samples of the mean over their tokens (RUMS, section 3.3). A sample without a token is left out; where
 * all are, the entropy is 0 (METHODS 9.2).
 */
export function sequenceEntropy(samples: readonly (readonly TokenLogprob[])[]): Estimate {
  const told = samples.filter((tokens) => tokens.length > 0);
  const perSample = told.map((tokens) => {
    const each = tokens.map(({ top }) => tokenEntropy(top.map(({ logprob }) => logprob)));
    return { entropy: mean(each.map((one) => one.entropy)), rest: mean(each.map(({ rest }) => rest)) };
  });
  return { entropy: mean(perSample.map((one) => one.entropy)), rest: mean(perSample.map(({ rest }) => rest)) };
}

/** Entropy of sampled answers by their counts, with the correction of Miller and Madow 1955: + (kinds - 1) / 2n. */
export function sampledEntropy(answers: readonly string[]): number {
  if (answers.length === 0) return 0;
  const counts = new Map<string, number>();
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1);
  const shares = [...counts.values()].map((count) => count / answers.length);
  return entropy(shares) + (counts.size - 1) / (2 * answers.length);
}

/** Sums of shares miss one by so little. */
const ROUNDING = 1e-12;

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
