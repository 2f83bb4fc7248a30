import { type CountedVerdict, verdictInterval, verdictSums } from "../../../src/report/judgements/scores.js";
import type { Interval } from "../../../src/statistics/interval.js";
import { studentDifference } from "../../../src/statistics/paired-difference.js";
import type { Random } from "../../../src/types/index.js";
import { beta, type Size, sampleOf, size } from "../simulation/losses.js";
import { type Cell, Tally } from "./cell.js";

/**
 * Means of a judge's verdicts, net win rates and differences of two judged arms: how often their intervals hold the population's own.
 * Users are alike within and of different sizes, and far verdicts are rare.
 */
export const verdictCells = (): Cell[] =>
  scales.flatMap((scale) =>
    sizes.flatMap((at) => [
      ...[0, 0.3, 0.8].map((likeness) => meanCell(scale, at, likeness)),
      ...(scale.other === undefined ? [] : [0, 0.5].map((likeness) => differenceCell(scale, at, likeness))),
    ]),
  );

const sizes = [size(10, 5), size(10, 1, 12), size(20, 5), size(30, 1, 12), size(100, 5)];

/** How a judge's verdicts come about: each user has a chance of its own, with this mean. */
interface Scale {
  readonly name: string;
  readonly range: readonly [number, number];
  readonly mean: number;
  /** Of the arm beside it; absent: no differences are asked for. */
  readonly other?: number;
  verdict(chance: number, random: Random): number;
  /** The mean verdict of all users. */
  truth(mean: number): number;
}

/** Differences that few verdicts make are told, not promised: a set may lack them. */
const RARE = "5, rarely 1";

const scales: readonly Scale[] = [
  {
    name: "1 to 5",
    range: [1, 5],
    mean: 0.7,
    other: 0.6,
    verdict: (chance, random) => 1 + [1, 2, 3, 4].filter(() => random.next() < chance).length,
    truth: (mean) => 1 + 4 * mean,
  },
  {
    name: "0 or 1, mostly 1",
    range: [0, 1],
    mean: 0.9,
    other: 0.8,
    verdict: (chance, random) => (random.next() < chance ? 1 : 0),
    truth: (mean) => mean,
  },
  {
    name: RARE,
    range: [1, 5],
    mean: 0.05,
    other: 0.1,
    verdict: (chance, random) => (random.next() < chance ? 1 : 5),
    truth: (mean) => 5 - 4 * mean,
  },
  {
    name: "1, rarely 5",
    range: [1, 5],
    mean: 0.05,
    verdict: (chance, random) => (random.next() < chance ? 5 : 1),
    truth: (mean) => 1 + 4 * mean,
  },
  {
    name: "net wins",
    range: [-1, 1],
    mean: 0.55,
    verdict(chance, random) {
      if (random.next() < 0.5) return 0;
      return random.next() < chance ? 1 : -1;
    },
    truth: (mean) => (2 * mean - 1) / 2,
  },
];

function meanCell(scale: Scale, at: Size, likeness: number): Cell {
  return heldCell(`${scale.name}, ${at.name}, alike ${likeness}`, promised("mean held", at), (random) => {
    const verdicts = drawn(scale, at, random, () => beta(scale.mean, likeness, random));
    return holds(verdictInterval(verdicts, scale.range), scale.truth(scale.mean));
  });
}

/** Two arms, each with a chance of its own for a user, as with a persona made once a user and arm. */
function differenceCell(scale: Scale, at: Size, likeness: number): Cell {
  const name = `${scale.name}, two arms, ${at.name}, alike ${likeness}`;
  const other = scale.other ?? scale.mean;
  const rate = scale.name === RARE ? { what: "difference held, rare far verdicts" } : promised("difference held", at);
  return heldCell(name, rate, (random) => {
    const first = drawn(scale, at, random, () => beta(scale.mean, likeness, random));
    const chances = new Map<string, number>();
    const pairs = first.map((verdict) => {
      const chance = chances.get(verdict.user) ?? beta(other, likeness, random);
      chances.set(verdict.user, chance);
      return { user: verdict.user, a: verdict.value, b: scale.verdict(chance, random) };
    });
    const found = studentDifference(verdictSums(pairs))!.interval;
    return holds(found, scale.truth(other) - scale.truth(scale.mean));
  });
}

interface Rate {
  readonly what: string;
  readonly least?: number;
}

const promised = (what: string, at: Size): Rate =>
  at.users >= 20 ? { what: `${what}, 20 users or more`, least: 0.9 } : { what: `${what}, 10 users`, least: 0.88 };

/** How often a sample's interval holds the truth. */
function heldCell(name: string, rate: Rate, isHeld: (random: Random) => boolean): Cell {
  return {
    part: "verdicts",
    name,
    run(samples) {
      const tally = new Tally();
      for (let sample = 0; sample < samples; sample++) tally.add("held", isHeld(sampleOf(`verdicts ${name}`, sample)));
      return [{ ...rate, hits: tally.of("held"), of: samples }];
    },
  };
}

function drawn(
  { verdict }: Scale,
  { users, questions: [low, high] }: Size,
  random: Random,
  chanceOf: () => number,
): CountedVerdict[] {
  return Array.from({ length: users }, (_, u) => {
    const chance = chanceOf();
    const count = low + random.below(high - low + 1);
    return Array.from({ length: count }, (_, q) => ({
      user: `u${u}`,
      question: `${u}/${q}`,
      value: verdict(chance, random),
    }));
  }).flat();
}

/** A dash says nothing that could be wrong. */
const holds = (interval: Interval | undefined, truth: number): boolean =>
  interval === undefined || (interval.low <= truth + ROUNDING && interval.high >= truth - ROUNDING);

const ROUNDING = 1e-9;
