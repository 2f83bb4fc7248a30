import { seeded } from "../../../src/random/seeded.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Pair, Random } from "../../../src/types/index.js";

/** Users and their numbers of questions. */
export interface Size {
  readonly name: string;
  readonly users: number;
  /** Questions per user, both ends included. */
  readonly questions: readonly [low: number, high: number];
}

export const size = (users: number, low: number, high = low): Size => ({
  name: low === high ? `${users}x${low}` : `${users}x${low}-${high}`,
  users,
  questions: [low, high],
});

/** Draws the answers of one user before and after: 1 for right. Its users lose `loss` on average, by question. */
export interface LossProcess {
  readonly name: string;
  user(questions: number, loss: number, random: Random): { readonly before: number[]; readonly after: number[] };
}

const ACCURACY = 0.6;

/**
 * Where a loss can sit. Everything but the flips breaks what a test over questions assumes: whole users fail, users that are
 * large, or strong, or everything at once.
 */
export const processes: readonly LossProcess[] = [
  { name: "users fail wholly", user: (n, loss, random) => failing(n, loss / ACCURACY, random) },
  {
    name: "only strong users fail",
    user(n, loss, random) {
      const chance = random.next() < 0.5 ? 0.9 : 0.3;
      const before = answers(n, chance, random);
      return { before, after: chance === 0.9 && random.next() < loss / 0.45 ? zeros(n) : before };
    },
  },
  {
    name: "users fail, 20 % re-rolled",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      const after = random.next() < loss / ACCURACY ? zeros(n) : rerolled(before, 0.2, ACCURACY, random);
      return { before, after };
    },
  },
  {
    name: "all gain a little, few fail",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      const fails = random.next() < (loss + 0.02) / (ACCURACY + 0.02);
      return { before, after: fails ? zeros(n) : before.map((hit) => (hit === 1 || random.next() < 0.05 ? 1 : 0)) };
    },
  },
  {
    name: "independent flips",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      return { before, after: flipped(before, loss / ACCURACY, random) };
    },
  },
  {
    name: "20 % re-rolled and flips",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      return { before, after: flipped(rerolled(before, 0.2, ACCURACY, random), loss / ACCURACY, random) };
    },
  },
  {
    name: "new persona for each user and run",
    user: (n, loss, random) => ({
      before: answers(n, beta(ACCURACY, 0.3, random), random),
      after: answers(n, beta(ACCURACY - loss, 0.3, random), random),
    }),
  },
  {
    name: "users fail on half of their questions",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      const fails = random.next() < (2 * loss) / ACCURACY;
      return { before, after: fails ? before.map((hit) => (random.next() < 0.5 ? 0 : hit)) : before };
    },
  },
  {
    name: "few perfect users, all of whom fail",
    user(n, loss, random) {
      if (random.next() < loss) return { before: ones(n), after: zeros(n) };
      const before = answers(n, ACCURACY, random);
      return { before, after: before };
    },
  },
  {
    name: "users alike (.5), flips",
    user(n, loss, random) {
      const chance = beta(ACCURACY, 0.5, random);
      const before = answers(n, chance, random);
      return { before, after: flipped(before, loss / ACCURACY, random) };
    },
  },
  {
    name: "heavy-tailed losses",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      return { before, after: flipped(before, beta(loss / ACCURACY, 0.5, random), random) };
    },
  },
  {
    name: "losses drift over a user's questions",
    user(n, loss, random) {
      const before = answers(n, ACCURACY, random);
      const chance = (q: number) => ((loss / ACCURACY) * 2 * (q + 0.5)) / n;
      return { before, after: before.map((hit, q) => (hit === 1 && random.next() < chance(q) ? 0 : hit)) };
    },
  },
];

/** The large users fail more: with a chance that grows with their questions. */
export const largeFail = (most: number): LossProcess => ({
  name: "large users fail",
  user(n, loss, random) {
    // Mean of n over mean of n weighted by n, for n from 1 to most: so that the loss by question is right.
    const [mean, square] = [(most + 1) / 2, ((most + 1) * (2 * most + 1)) / 6];
    return failing(n, ((loss / ACCURACY) * n * mean) / square, random);
  },
});

/** One sample of both runs. */
export function pairedAnswers(
  process: LossProcess,
  { users, questions: [low, high] }: Size,
  loss: number,
  random: Random,
): PairedQuestion[] {
  return Array.from({ length: users }, (_, u) => {
    const { before, after } = process.user(low + random.below(high - low + 1), loss, random);
    return before.map((hit, q) => ({
      id: `${u}/${q}`,
      user: `u${u}`,
      baseline: [answer(hit)],
      candidate: [answer(after[q]!)],
    }));
  }).flat();
}

/** Noise that all answers of a run share, as of an outage or another version of a model: standard deviation, repeats of each side. */
export interface SharedNoise {
  readonly sd: number;
  readonly repeats: { readonly baseline: number; readonly run: number };
}

/** Both sides run on the same users, each repeat moved as a whole; users are alike (.1), and the run is worse by `loss`. */
export function sharedNoise(
  { sd, repeats }: SharedNoise,
  { users, questions: [low, high] }: Size,
  loss: number,
  random: Random,
): PairedQuestion[] {
  const moves = (count: number) => Array.from({ length: count }, () => sd * normal(random));
  const [before, after] = [moves(repeats.baseline), moves(repeats.run)];
  return Array.from({ length: users }, (_, u) => {
    const chance = 0.2 + 0.6 * beta((ACCURACY - 0.2) / 0.6, 0.1, random);
    const replies = (shifts: readonly number[]) =>
      shifts.map((shift) => answer(random.next() < chance + shift ? 1 : 0));
    return Array.from({ length: low + random.below(high - low + 1) }, (_, q) => ({
      id: `${u}/${q}`,
      user: `u${u}`,
      baseline: replies(before),
      candidate: replies(after.map((shift) => shift - loss)),
    }));
  }).flat();
}

export const answer = (hit: number): Pair => (hit === 1 ? RIGHT : WRONG);

const answers = (count: number, chance: number, random: Random): number[] =>
  Array.from({ length: count }, () => (random.next() < chance ? 1 : 0));

/** A share of the answers drawn anew. */
const rerolled = (before: readonly number[], share: number, chance: number, random: Random): number[] =>
  before.map((hit) => (random.next() < share ? (random.next() < chance ? 1 : 0) : hit));

/** Right answers that become wrong with this chance. */
const flipped = (before: readonly number[], chance: number, random: Random): number[] =>
  before.map((hit) => (hit === 1 && random.next() < chance ? 0 : hit));

/** Beta with this mean, and correlation 1 / (1 + a + b) of two draws with it. */
export function beta(mean: number, likeness: number, random: Random): number {
  if (likeness === 0) return mean;
  const whole = (1 - likeness) / likeness;
  const hits = gamma(mean * whole, random);
  return hits / (hits + gamma((1 - mean) * whole, random));
}

/** The streams of a cell's samples: the same at every run. */
export const sampleOf = (cell: string, sample: number): Random => seeded(`${cell} ${sample}`);

const RIGHT: Pair = { prediction: "yes", gold: "yes" };
const WRONG: Pair = { prediction: "no", gold: "yes" };

const zeros = (count: number): number[] => Array<number>(count).fill(0);
const ones = (count: number): number[] => Array<number>(count).fill(1);

function failing(count: number, chance: number, random: Random) {
  const before = answers(count, ACCURACY, random);
  return { before, after: random.next() < chance ? zeros(count) : before };
}

/** Source: Marsaglia and Tsang, ACM Trans. Math. Software 26(3), 2000. */
function gamma(shape: number, random: Random): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random.next()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random.next()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

export const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
