import { macroF1, macroPrecision, macroRecall } from "../../../src/metrics/index.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric, Random } from "../../../src/types/index.js";
import { beta, type Size } from "./losses.js";

/** Labels whose n-th is gold in 1 / n of the first one's number (Zipf). */
export interface Labels {
  readonly names: readonly string[];
  readonly shares: readonly number[];
  readonly f1: Metric;
  readonly precision: Metric;
  readonly recall: Metric;
  draw(random: Random): number;
}

export function zipfLabels(count: number): Labels {
  const names = Array.from({ length: count }, (_, l) => `label ${l + 1}`);
  const whole = names.reduce((sum, _, l) => sum + 1 / (l + 1), 0);
  const shares = names.map((_, l) => 1 / (l + 1) / whole);
  const draw = (random: Random): number => {
    let place = random.next();
    const found = shares.findIndex((share) => {
      place -= share;
      return place < 0;
    });
    return found < 0 ? count - 1 : found;
  };
  return { names, shares, f1: macroF1(names), precision: macroPrecision(names), recall: macroRecall(names), draw };
}

/** The answer of no label at all. */
const UNREADABLE = -1;

/** How one user's answers change; `share` of them in the population. */
export interface LabelProcess {
  readonly name: string;
  after(before: readonly Answer[], share: number, random: Random): number[];
  /** What becomes of an answer in the population, as chances of what is answered instead. */
  expected(answer: number, share: number, labels: Labels): readonly (readonly [answer: number, chance: number])[];
}

interface Answer {
  readonly gold: number;
  readonly answer: number;
}

/** Losses that a mean over labels has: of users, of answers, of labels that are given up. */
export const labelProcesses = ({ draw, shares }: Labels): LabelProcess[] => [
  {
    name: "users fail",
    after: (before, share, random) =>
      random.next() < share ? before.map(() => UNREADABLE) : before.map(({ answer }) => answer),
    expected: lostOr,
  },
  {
    name: "users fail, 20 % re-rolled",
    after(before, share, random) {
      if (random.next() < share) return before.map(() => UNREADABLE);
      return before.map(({ gold, answer }) => (random.next() < 0.2 ? answerTo(gold, RIGHT, draw, random) : answer));
    },
    expected: lostOr,
  },
  {
    name: "answers are lost",
    after: (before, share, random) => before.map(({ answer }) => (random.next() < share ? UNREADABLE : answer)),
    expected: lostOr,
  },
  {
    name: "answers are lost, heavy-tailed over users",
    after(before, share, random) {
      const own = beta(share, 0.5, random);
      return before.map(({ answer }) => (random.next() < own ? UNREADABLE : answer));
    },
    expected: lostOr,
  },
  {
    name: "users give up rare labels",
    after(before, share, random) {
      const givesUp = random.next() < share;
      return before.map(({ answer }) => (givesUp && answer >= shares.length / 2 ? 0 : answer));
    },
    expected: (answer, share) =>
      answer >= shares.length / 2
        ? [
            [0, share],
            [answer, 1 - share],
          ]
        : [[answer, 1]],
  },
];

/** Losses of precision, which an unreadable answer does not lower: users, or answers, that get wrong labels. */
export const wrongLabelProcesses = ({ draw, shares }: Labels): LabelProcess[] => {
  const rarest = shares.length - 1;
  const anyOr: LabelProcess["expected"] = (answer, share) => [
    ...shares.map((chance, l) => [l, share * chance] as const),
    [answer, 1 - share],
  ];
  return [
    {
      name: "users answer any label",
      after: (before, share, random) => {
        const fails = random.next() < share;
        return before.map(({ answer }) => (fails ? draw(random) : answer));
      },
      expected: anyOr,
    },
    {
      name: "any label, heavy-tailed over users",
      after(before, share, random) {
        const own = beta(share, 0.5, random);
        return before.map(({ answer }) => (random.next() < own ? draw(random) : answer));
      },
      expected: anyOr,
    },
    {
      name: "users answer the rarest label only",
      after: (before, share, random) => {
        const fails = random.next() < share;
        return before.map(({ answer }) => (fails ? rarest : answer));
      },
      expected: (answer, share) => [
        [rarest, share],
        [answer, 1 - share],
      ],
    },
  ];
};

/** A mean over labels by what it is in a population: of one label from the chances that it is hit, gold, answered. */
export type LabelScore = (hit: number, gold: number, answered: number) => number;
export const labelScores = {
  f1: (hit, gold, answered) => (2 * hit) / (gold + answered),
  precision: (hit, _, answered) => (answered === 0 ? 0 : hit / answered),
  recall: (hit, gold) => hit / gold,
} satisfies Readonly<Record<string, LabelScore>>;

/** Draws both runs of a process whose score is worse by `loss` in the population. Undefined where it cannot lose so much. */
export function pairedLabels(
  labels: Labels,
  process: LabelProcess,
  loss: number,
  score: LabelScore = labelScores.f1,
): ((size: Size, random: Random) => PairedQuestion[]) | undefined {
  const share = shareFor(labels, process, loss, score);
  return share === undefined ? undefined : (size, random) => drawnLabels(labels, process, share, size, random);
}

/** Both runs, with this share spoiled. */
export function drawnLabels(
  labels: Labels,
  process: LabelProcess,
  share: number,
  { users, questions: [low, high] }: Size,
  random: Random,
): PairedQuestion[] {
  return Array.from({ length: users }, (_, u) => {
    const chance = beta(RIGHT, 0.2, random);
    const before = Array.from({ length: low + random.below(high - low + 1) }, () => {
      const gold = labels.draw(random);
      return { gold, answer: answerTo(gold, chance, labels.draw, random) };
    });
    const after = process.after(before, share, random);
    return before.map(({ gold, answer }, q) => ({
      id: `${u}/${q}`,
      user: `u${u}`,
      baseline: [pairOf(labels, gold, answer)],
      candidate: [pairOf(labels, gold, after[q]!)],
    }));
  }).flat();
}

/** How much a score falls in the population where this share is spoiled. */
export function labelLoss(labels: Labels, process: LabelProcess, share: number, score: LabelScore): number {
  const joint = jointOf(labels, RIGHT);
  const after = joint.map((row) => row.map(() => 0));
  for (const [g, row] of joint.entries())
    for (const [answer, chance] of row.entries())
      for (const [instead, part] of process.expected(answer, share, labels))
        if (instead !== UNREADABLE) after[g]![instead]! += chance * part;
  return scoreOf(labels, joint, score) - scoreOf(labels, after, score);
}

/** Macro-F1 of a population in which answers are right with this chance, else any label as often as it is gold. */
export const populationF1 = (labels: Labels, right: number): number =>
  scoreOf(labels, jointOf(labels, right), labelScores.f1);

const RIGHT = 0.6;
const BISECTIONS = 50;

function lostOr(answer: number, share: number): readonly (readonly [number, number])[] {
  return [
    [UNREADABLE, share],
    [answer, 1 - share],
  ];
}

const answerTo = (gold: number, chance: number, draw: (random: Random) => number, random: Random): number =>
  random.next() < chance ? gold : draw(random);

const pairOf = ({ names }: Labels, gold: number, answer: number) => ({
  gold: names[gold]!,
  prediction: names[answer] ?? "",
});

/** Chance of every gold with every answer. */
const jointOf = ({ shares }: Labels, right: number): number[][] =>
  shares.map((gold, g) => shares.map((share, l) => gold * ((1 - right) * share + (g === l ? right : 0))));

function scoreOf({ shares }: Labels, joint: readonly (readonly number[])[], score: LabelScore): number {
  const ofLabels = shares.map((gold, l) => {
    const answered = joint.reduce((sum, row) => sum + row[l]!, 0);
    return score(joint[l]![l]!, gold, answered);
  });
  return ofLabels.reduce((sum, one) => sum + one, 0) / ofLabels.length;
}

/** The share that has to be spoiled for this loss. */
function shareFor(labels: Labels, process: LabelProcess, loss: number, score: LabelScore): number | undefined {
  if (labelLoss(labels, process, 1, score) < loss) return undefined;
  let [low, high] = [0, 1];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (labelLoss(labels, process, middle, score) < loss) low = middle;
    else high = middle;
  }
  return high;
}
