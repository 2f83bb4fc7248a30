import { countsOf } from "../../text/count.js";
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
  const counts = countsOf(answers);
  const shares = [...counts.values()].map((count) => count / answers.length);
  return entropy(shares) + (counts.size - 1) / (2 * answers.length);
}

/** Sums of shares miss one by so little. */
const ROUNDING = 1e-12;

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;

/** Shares of labels as far as tokens tell them. */
export interface LabelShares {
  /** By label; what several labels with one beginning have in common is in none of them. */
  readonly shares: ReadonlyMap<string, number>;
  /** Beginnings that several labels share and no token behind them tells apart, with their common share. */
  readonly shared: readonly { readonly prefix: string; readonly share: number; readonly labels: readonly string[] }[];
  /** What belongs to no label, or was not told. */
  readonly rest: number;
}

/**
 * Reads the shares of labels from the first tokens of an answer. A beginning that one label alone has is that label; one that
 * several have is followed along the tokens of the reply, and what branches off is left in `shared`. `from`: what stands in
 * front of the tokens, and its share.
 */
export function labelShares(
  tokens: readonly TokenLogprob[],
  labels: readonly string[],
  from: { readonly prefix: string; readonly share: number } = { prefix: "", share: 1 },
): LabelShares {
  const shares = new Map<string, number>();
  const shared: { prefix: string; share: number; labels: readonly string[] }[] = [];
  let { prefix, share: mass } = from;
  let told = 0;
  for (const [at, token] of tokens.entries()) {
    let next: { readonly prefix: string; readonly share: number } | undefined;
    for (const { token: text, logprob } of alternativesOf(token)) {
      const beginning = prefix + text;
      const share = mass * Math.exp(logprob);
      const fitting = labelsBeginning(beginning, labels);
      if (fitting.length === 0) continue;
      told += share;
      const [one, ...others] = fitting;
      if (one !== undefined && others.length === 0) shares.set(one, (shares.get(one) ?? 0) + share);
      else if (text === token.token && at + 1 < tokens.length) next = { prefix: beginning, share };
      else shared.push({ prefix: beginning, share, labels: fitting });
    }
    if (next === undefined) break;
    told -= next.share;
    [prefix, mass] = [next.prefix, next.share];
  }
  return { shares, shared, rest: Math.max(0, from.share - told) };
}

/** Shares over the labels alone, made to sum to one. Undefined where no label has any. */
export function overLabels(shares: ReadonlyMap<string, number>): number[] | undefined {
  const sum = [...shares.values()].reduce((a, b) => a + b, 0);
  return sum > 0 ? [...shares.values()].map((share) => share / sum) : undefined;
}

/** The sampled token is among the likeliest, or stands beside them. */
function alternativesOf({ token, logprob, top }: TokenLogprob): TokenLogprob["top"] {
  return top.some((one) => one.token === token) ? top : [...top, { token, logprob }];
}

/** Models write blanks and quotes in front of labels, and letters of either case. */
const folded = (text: string): string => text.toLowerCase().replace(/^[\s"'`*]+/, "");

/** The labels that an answer with this beginning may mean: those that go on from it, else the longest that it has got past. */
function labelsBeginning(beginning: string, labels: readonly string[]): string[] {
  const start = folded(beginning);
  const going = labels.filter((label) => folded(label).startsWith(start) || folded(label) === start.trimEnd());
  if (going.length > 0) return going;
  const ended = labels.filter((label) => endsLabel(start, folded(label)));
  return ended.sort((a, b) => b.length - a.length).slice(0, 1);
}

/** `comedy.` and `comedy<end>` are `comedy`; `comedyland` is not. */
const endsLabel = (text: string, label: string): boolean =>
  text.startsWith(label) && !/^[\p{L}\p{N}]/u.test(text.slice(label.length));
