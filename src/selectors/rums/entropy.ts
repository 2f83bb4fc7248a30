import { countsOf } from "../../text/count.js";
import type { TokenLogprob } from "../../types/index.js";

/** Returns entropy of probabilities that sum to one, in nats. */
export function entropy(probabilities: Iterable<number>): number {
  let sum = 0;
  for (const probability of probabilities) if (probability > 0) sum -= probability * Math.log(probability);
  return Math.max(0, sum);
}

/**
 * Returns the entropy of a distribution of which only the likeliest alternatives are known, the unknown rest r = 1 - sum p taken as one token
 * (METHODS 9.2): -sum p ln p - r ln r, a lower bound.
 */
export function tokenEntropy(logprobs: readonly number[]): Estimate {
  const raw = logprobs.map((logprob) => Math.exp(logprob));
  const sum = raw.reduce((a, b) => a + b, 0);
  const probabilities = sum > 1 ? raw.map((probability) => probability / sum) : raw; // rounded logprobs may pass one
  const mass = probabilities.reduce((a, b) => a + b, 0);
  const unseen = mass > 1 - ROUNDING ? 0 : 1 - mass;
  return { entropy: entropy(probabilities) + (unseen > 0 ? -unseen * Math.log(unseen) : 0), unseen };
}

/** An entropy estimated from sampled continuations. */
export interface Estimate {
  /** Nats: per token of a sequence, of the whole for labels and samples. */
  readonly entropy: number;
  /** Mean probability mass that was not returned. */
  readonly unseen: number;
}

/**
 * Returns the mean over samples of the mean over their tokens (RUMS, section 3.3). A sample without a token is left out; where
 * all are, the entropy is 0 (METHODS 9.2).
 */
export function sequenceEntropy(samples: readonly (readonly TokenLogprob[])[]): Estimate {
  const nonEmpty = samples.filter((tokens) => tokens.length > 0);
  const perSample = nonEmpty.map((tokens) => {
    const each = tokens.map(({ top }) => tokenEntropy(top.map(({ logprob }) => logprob)));
    return { entropy: mean(each.map((one) => one.entropy)), unseen: mean(each.map(({ unseen }) => unseen)) };
  });
  return { entropy: mean(perSample.map((one) => one.entropy)), unseen: mean(perSample.map(({ unseen }) => unseen)) };
}

/** Returns entropy of sampled answers by their counts, with the correction of Miller and Madow 1955: + (kinds - 1) / 2n. */
export function sampledEntropy(answers: readonly string[]): number {
  if (answers.length === 0) return 0;
  const counts = countsOf(answers);
  const shares = [...counts.values()].map((count) => count / answers.length);
  return entropy(shares) + (counts.size - 1) / (2 * answers.length);
}

/** Sums of probabilities miss one by so little. */
const ROUNDING = 1e-12;

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;

/** Probabilities of labels, as far as the returned tokens give them. */
export interface LabelProbabilities {
  /** Probabilities by label, without those in `shared`. */
  readonly probabilities: ReadonlyMap<string, number>;
  /** Prefixes that several labels share and that no later token tells apart, with their common probability. */
  readonly shared: readonly {
    readonly prefix: string;
    readonly probability: number;
    readonly labels: readonly string[];
  }[];
  /** Probability of texts that are no label, or that were not returned. */
  readonly unassigned: number;
}

/**
 * Reads the probabilities of labels from the first tokens of an answer. A beginning that one label alone has is that label; one that
 * several have is followed along the tokens of the reply, and what branches off is left in `shared`. `from`: what stands in
 * front of the tokens, and its probability.
 */
export function labelProbabilities(
  tokens: readonly TokenLogprob[],
  labels: readonly string[],
  from: { readonly prefix: string; readonly probability: number } = { prefix: "", probability: 1 },
): LabelProbabilities {
  const probabilities = new Map<string, number>();
  const shared: { prefix: string; probability: number; labels: readonly string[] }[] = [];
  let { prefix, probability: mass } = from;
  let assigned = 0;
  for (const [at, token] of tokens.entries()) {
    let next: { readonly prefix: string; readonly probability: number } | undefined;
    for (const { token: text, logprob } of alternativesOf(token)) {
      const beginning = prefix + text;
      const probability = mass * Math.exp(logprob);
      const fitting = labelsBeginning(beginning, labels);
      if (fitting.length === 0) continue;
      assigned += probability;
      const [one, ...others] = fitting;
      if (one !== undefined && others.length === 0) probabilities.set(one, (probabilities.get(one) ?? 0) + probability);
      else if (text === token.token && at + 1 < tokens.length) next = { prefix: beginning, probability };
      else shared.push({ prefix: beginning, probability, labels: fitting });
    }
    if (next === undefined) break;
    assigned -= next.probability;
    [prefix, mass] = [next.prefix, next.probability];
  }
  return { probabilities, shared, unassigned: Math.max(0, from.probability - assigned) };
}

/** Returns probabilities over the labels alone, made to sum to one. Undefined where no label has any. */
export function normalizedProbabilities(probabilities: ReadonlyMap<string, number>): number[] | undefined {
  const sum = [...probabilities.values()].reduce((a, b) => a + b, 0);
  return sum > 0 ? [...probabilities.values()].map((probability) => probability / sum) : undefined;
}

/** The sampled token is among the likeliest, or stands beside them. */
function alternativesOf({ token, logprob, top }: TokenLogprob): TokenLogprob["top"] {
  return top.some((one) => one.token === token) ? top : [...top, { token, logprob }];
}

/** Models write blanks and quotes in front of labels, and letters of either case. */
const folded = (text: string): string => text.toLowerCase().replace(/^[\s"'`*]+/, "");

/** Returns the labels that an answer with this beginning may mean: those that continue it, else the longest that it starts with. */
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
