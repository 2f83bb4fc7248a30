import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Random } from "../../../src/types/index.js";
import { answer, beta, type Size, size } from "./losses.js";

/** A set that stays: the chance of a right answer to each question, before and now; what is random is the answering. */
export interface FixedProcess {
  readonly name: string;
  /** The chances of one user's questions; over the whole set they fall by `loss`. */
  chances(
    user: { readonly index: number; readonly of: number; readonly questions: number },
    loss: number,
    random: Random,
  ): {
    readonly before: readonly number[];
    readonly after: readonly number[];
  };
  /** Standard deviation of what a user's chances share in one run, as of a persona made once per user and run; for this share of users. */
  readonly shared?: { readonly sd: number; readonly share: number };
}

const ACCURACY = 0.6;

export const fixedProcesses: readonly FixedProcess[] = [
  { name: "loss spread evenly", chances: ({ questions }, loss, random) => evenly(questions, loss, random) },
  {
    name: "loss in a fifth of the users",
    chances({ index, of, questions }, loss, random) {
      const losing = Math.max(1, Math.round(of / 5));
      return evenly(questions, index < losing ? (loss * of) / losing : 0, random, 0.8);
    },
  },
  {
    name: "rare losses of sure answers",
    chances: ({ questions }, loss) => ({
      before: Array<number>(questions).fill(1),
      after: Array<number>(questions).fill(1 - loss),
    }),
  },
  {
    name: "new persona for every user and run",
    chances: ({ questions }, loss, random) => evenly(questions, loss, random),
    shared: { sd: 0.15, share: 1 },
  },
  {
    name: "new persona for a tenth of the users",
    chances: ({ questions }, loss, random) => evenly(questions, loss, random),
    shared: { sd: 0.3, share: 0.1 },
  },
];

/** Fixes users and questions, and returns how to run both sides on them. */
export function fixedSet(
  { chances, shared }: FixedProcess,
  { users, questions: [low, high] }: Size,
  loss: number,
  random: Random,
): (run: Random) => PairedQuestion[] {
  const set = Array.from({ length: users }, (_, index) =>
    chances({ index, of: users, questions: low + random.below(high - low + 1) }, loss, random),
  );
  return (run) =>
    set.flatMap(({ before, after }, u) => {
      const hasShared = shared !== undefined && u < Math.ceil(shared.share * users);
      const [was, is] = [0, 0].map(() => (hasShared ? (run.next() < 0.5 ? shared.sd : -shared.sd) : 0));
      return before.map((chance, q) => ({
        id: `${u}/${q}`,
        user: `u${u}`,
        baseline: [answer(run.next() < chance + was! ? 1 : 0)],
        candidate: [answer(run.next() < after[q]! + is! ? 1 : 0)],
      }));
    });
}

/** Users and questions stay; each user is struck anew in a run with this chance, and then has nothing right. */
export interface Struck {
  readonly size: Size;
  readonly chance: number;
  /** Share of answers drawn anew besides. */
  readonly anew: number;
}

/** Accuracy before; the loss is this times the chance. */
export const STRUCK_ACCURACY = 0.8;

/** One run beside its baseline. */
export function struckUsers({ size: at, chance, anew }: Struck, random: Random): PairedQuestion[] {
  const answers = () => (random.next() < STRUCK_ACCURACY ? 1 : 0);
  return Array.from({ length: at.users }, (_, u) => {
    const isStruck = random.next() < chance;
    return Array.from({ length: at.questions[0] }, (_, q) => {
      const before = answers();
      const again = random.next() < anew ? answers() : before;
      return {
        id: `${u}/${q}`,
        user: `u${u}`,
        baseline: [answer(before)],
        candidate: [answer(isStruck ? 0 : again)],
      };
    });
  }).flat();
}

/** A set of 200 questions in CI, and the share of answers that any two runs of it draw apart. */
export interface CiCell {
  readonly size: Size;
  readonly anew: number;
}

export const ciCells: readonly CiCell[] = [size(200, 1), size(40, 5), size(20, 10)].flatMap((one) =>
  [0.05, 0.1, 0.2].map((anew) => ({ size: one, anew })),
);

/** Baseline and candidate of one set: users alike (.2), a share of answers drawn anew, .10 lost evenly or by a fifth of the users. */
export function ciQuestions(
  { size: at, anew }: CiCell,
  loss: "none" | "even" | "fifth",
  random: Random,
  commit = random,
): PairedQuestion[] {
  const fifth = Math.round(at.users / 5);
  const set = Array.from({ length: at.users }, (_, u) => {
    const chance = beta(ACCURACY, 0.2, random);
    return { chance, u, before: Array.from({ length: at.questions[0] }, () => (random.next() < chance ? 1 : 0)) };
  });
  return set.flatMap(({ chance, u, before }) => {
    const spoiled = loss === "even" ? 0.1 / ACCURACY : loss === "fifth" && u < fifth ? 0.5 / ACCURACY : 0;
    return before.map((hit, q) => {
      const again = commit.next() < anew ? (commit.next() < chance ? 1 : 0) : hit;
      const now = commit.next() < spoiled ? 0 : again;
      return { id: `${u}/${q}`, user: `u${u}`, baseline: [answer(hit)], candidate: [answer(now)] };
    });
  });
}

/** Chances around the accuracy, wide enough apart that every one can fall by the loss. */
function evenly(count: number, loss: number, random: Random, mean = ACCURACY) {
  const before = Array.from({ length: count }, () => mean + (random.next() - 0.5) * 0.1);
  return { before, after: before.map((chance) => chance - loss) };
}
