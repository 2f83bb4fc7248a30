import type { TokenLogprob } from "../../types/index.js";

/** How the part of a distribution that a model does not tell is counted (METHODS 9.2). */
type Tail = "one" | "uniform" | "drop";

/** Bounds of one token's entropy, in nats, and the share of probability that was not told. */
interface TokenEntropy {
  /** The untold rest as one token. */
  readonly lower: number;
  /** The untold rest spread evenly over the rest of the vocabulary. */
  readonly upper: number;
  /** The told part alone, made to sum to one. */
  readonly told: number;
  readonly rest: number;
}

/** Entropy of shares that sum to one, in nats. */
export function entropy(shares: Iterable<number>): number {
  let sum = 0;
  for (const share of shares) if (share > 0) sum -= share * Math.log(share);
  return Math.max(0, sum);
}

/**
 * The bracket of a distribution of which only the likeliest alternatives are told (METHODS 9.2): with r = 1 - sum p,
 * -sum p ln p - r ln r <= H <= -sum p ln p - r ln(r / (V - L)). Shares are tempered by `temperature` first: p^(1/T), made to sum to one.
 */
export function tokenEntropy(logprobs: readonly number[], vocabulary: number, temperature = 1): TokenEntropy {
  const raw = logprobs.map((logprob) => Math.exp(logprob));
  const sum = raw.reduce((a, b) => a + b, 0);
  const told = sum > 1 ? raw.map((share) => share / sum) : raw; // rounded logprobs may pass one
  const shares = temperature === 1 ? told : tempered(told, Math.max(0, 1 - sum), temperature);
  const mass = shares.reduce((a, b) => a + b, 0);
  const rest = mass > 1 - ROUNDING ? 0 : 1 - mass;
  const known = entropy(shares);
  const others = Math.max(1, vocabulary - shares.length);
  return {
    lower: known + (rest > 0 ? -rest * Math.log(rest) : 0),
    upper: known + (rest > 0 ? -rest * Math.log(rest / others) : 0),
    told: mass > 0 ? entropy(shares.map((share) => share / mass)) : 0,
    rest,
  };
}

/** The number that a tail rule takes of the bracket. */
export const ofTail = ({ lower, upper, told }: TokenEntropy, tail: Tail): number =>
  ({ one: lower, uniform: upper, drop: told })[tail];

/** What sampled continuations say of an entropy. */
export interface Estimate {
  /** Nats: per token of a sequence, of the whole for labels and samples. */
  readonly entropy: number;
  /** Mean share of probability that was not told. */
  readonly rest: number;
}

interface SequenceSettings {
  readonly tail: Tail;
  readonly vocabulary: number;
  readonly temperature: number;
}

/**
 * Mean over the samples of the mean over their tokens (RUMS, section 3.3). A sample without a token is left out; where
 * all are, the entropy is 0 (METHODS 9.2).
 */
export function sequenceEntropy(
  samples: readonly (readonly TokenLogprob[])[],
  { tail, vocabulary, temperature }: SequenceSettings,
): Estimate {
  const told = samples.filter((tokens) => tokens.length > 0);
  const perSample = told.map((tokens) => {
    const each = tokens.map(({ top }) =>
      tokenEntropy(
        top.map(({ logprob }) => logprob),
        vocabulary,
        temperature,
      ),
    );
    return { entropy: mean(each.map((one) => ofTail(one, tail))), rest: mean(each.map(({ rest }) => rest)) };
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

/** The untold rest is tempered as one token. At 0 nothing is left to temper by: shares stay as they are. */
function tempered(shares: readonly number[], rest: number, temperature: number): number[] {
  const power = (share: number): number => (share > 0 ? share ** (1 / temperature) : 0);
  const sum = shares.reduce((all, share) => all + power(share), power(rest));
  return sum === 0 ? [...shares] : shares.map((share) => power(share) / sum);
}
