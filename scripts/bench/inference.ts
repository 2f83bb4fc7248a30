import { accuracy } from "../../src/metrics/accuracy.js";
import { macroF1 } from "../../src/metrics/macro.js";
import { mae } from "../../src/metrics/mae.js";
import { rmse } from "../../src/metrics/rmse.js";
import { seeded } from "../../src/random/seeded.js";
import type { BaselineArm } from "../../src/results/baseline.js";
import { type GatedArm, gateArms } from "../../src/results/gate.js";
import { combined, inferenceOf, scaleOf, scoreInterval, thetaOf, type UserPairs } from "../../src/results/inference.js";
import type { Metric, Pair, Random } from "../../src/types/index.js";

const RATINGS = ["1", "2", "3", "4", "5"];
const LABELS = ["yes", "no"];

/**
 * `npm run bench -- inference [SAMPLES] [USERS,USERS...] [WORDS OF ROWS]`: simulated percentages of docs/STATISTICS.md by effective users, lowest to highest arm of
 * each row: coverage of 95 % intervals, p <= .05, verdicts of the gate.
 */
export async function main([samples = "500", sizes = "10,24,50,100", words = ""]: readonly string[]): Promise<void> {
  const counts = sizes.split(",").map(Number);
  console.log(`${samples} samples a cell; effective users: ${counts.join(", ")}`);
  for (const { name, specs } of rows.filter(({ name: one }) => new RegExp(words, "i").test(one))) {
    const shown = counts.map((users) => {
      const shares = specs.map((arm, c) => percent(arm, { users, samples: Number(samples), seed: `${name} ${c}` }));
      const [low, high] = [Math.min(...shares), Math.max(...shares)].map((share) => share.toFixed(0));
      return (low === high ? low! : `${low}-${high}`).padStart(9);
    });
    console.log(name.padEnd(48) + shown.join(""));
  }
}

/** Whether something happens in a sample; undefined where the sample has a dash. */
type ArmSpec = (users: number, random: Random) => boolean | undefined;

function percent(arm: ArmSpec, { users, samples, seed }: { users: number; samples: number; seed: string }): number {
  const found = Array.from({ length: samples }, (_, s) => arm(users, seeded(`${seed} ${users} ${s}`)));
  const known = found.filter((one) => one !== undefined);
  return (100 * known.filter((one) => one).length) / known.length;
}

const share = (random: Random): number => random.below(2 ** 30) / 2 ** 30;
const happens = (chance: number, random: Random): boolean => share(random) < chance;

/** A user's chance around a mean; some users are alike in all their answers. */
function chanceOf(mean: number, random: Random): number {
  const width = Math.min(mean, 1 - mean) * 0.6;
  return mean + (2 * share(random) - 1) * width;
}

/** Questions of a user: as many for all, or 1 to so many. */
type Questions = { readonly most: number; readonly equal: boolean };
const FEW: readonly Questions[] = [
  { most: 1, equal: true },
  { most: 5, equal: true },
  { most: 10, equal: false },
];
const MANY: readonly Questions[] = [{ most: 100, equal: true }];

/** So many users are `effective` ones: the sum of m squared over the square of the sum of m, for m from 1 to `most`. */
const countFor = (effective: number, { most, equal }: Questions): number =>
  equal ? effective : Math.round((effective * (4 * most + 2)) / (3 * most + 3));

const sizeOf = ({ most, equal }: Questions, random: Random): number => (equal ? most : 1 + random.below(most));

/** Users whose answers are right with a chance of their own; wrong answers are the next label. */
function usersOf(effective: number, random: Random, at: { mean: number; labels: readonly string[]; per: Questions }) {
  const { mean, labels, per } = at;
  return Array.from({ length: countFor(effective, per) }, (): UserPairs => {
    const chance = chanceOf(mean, random);
    const pairs = Array.from({ length: sizeOf(per, random) }, (): Pair => {
      const place = random.below(labels.length);
      const shift = happens(chance, random) ? 0 : place === labels.length - 1 && labels === RATINGS ? -1 : 1;
      return { gold: labels[place]!, prediction: labels[(place + shift) % labels.length]! };
    });
    return { questions: pairs.length, repeats: [pairs] };
  });
}

const covers =
  (metric: Metric, truth: number, at: { mean: number; labels: readonly string[]; per: Questions }): ArmSpec =>
  (count, random) => {
    const interval = scoreInterval(thetaOf(metric, usersOf(count, random, at)), scaleOf(metric)!);
    return interval && interval.low <= truth && truth <= interval.high;
  };

const yesNo = accuracy(LABELS);
const accuracyArms = (means: readonly number[], per: readonly Questions[]): ArmSpec[] =>
  means.flatMap((mean) => per.map((one) => covers(yesNo, mean, { mean, labels: LABELS, per: one })));

/** Baseline and run of users who are right with .8; a share of users loses everything, the others `gain` of the rest. */
function pairOf(count: number, random: Random, { lost, gain, per }: { lost: number; gain: number; per: Questions }) {
  const answer = (right: boolean): Pair => ({ gold: "yes", prediction: right ? "yes" : "no" });
  return Array.from({ length: countFor(count, per) }, () => {
    const chance = chanceOf(0.7, random);
    const loses = happens(lost, random);
    const size = sizeOf(per, random);
    const of = (right: number): UserPairs => ({
      questions: size,
      repeats: [Array.from({ length: size }, () => answer(happens(right, random)))],
    });
    return { a: of(chance), b: of(loses ? 0 : Math.min(1, chance + gain)) };
  });
}

function inferred(users: ReturnType<typeof pairOf>) {
  const [a, b] = [users.map((user) => user.a), users.map((user) => user.b)].map((side) => thetaOf(yesNo, side));
  return inferenceOf(
    combined([
      [1, b!],
      [-1, a!],
    ]),
  ); // both are there
}

/** Coverage of the mean gain -.7 `lost`, or p <= .05 where the other users make up for it. */
const gains = (per: readonly Questions[], losses: readonly number[], what: "covers" | "equal"): ArmSpec[] =>
  losses.flatMap((lost) =>
    per.map(
      (one): ArmSpec =>
        (count, random) => {
          const gain = what === "equal" ? (0.7 * lost) / (1 - lost) : 0;
          const found = inferred(pairOf(count, random, { lost, gain, per: one }));
          if (what === "equal") return found?.interval !== undefined && found.p <= 0.05;
          return found?.interval && found.interval.low <= -0.7 * lost && -0.7 * lost <= found.interval.high;
        },
    ),
  );

/** An arm of a gate whose replies all count as new. */
function armOf(users: readonly UserPairs[], side: string): BaselineArm {
  const questions = users.flatMap(({ repeats: [pairs = []] }, u) =>
    pairs.map(({ prediction, gold }, q) => ({
      ...{ id: `${u}-${q}`, user: String(u), replies: [`${side}${prediction}`] },
      terms: [[prediction === gold ? 1 : 0]],
    })),
  );
  const facts = { task: "t", dataset: "d", method: "m", model: "x/y", options: {}, seed: 0, failed: 0, unparsed: 0 };
  return {
    ...facts,
    data: { files: [], units: "", wording: "" },
    metrics: [{ name: "accuracy", score: null }],
    questions,
  };
}

/** An arm of which a share of answers is drawn anew, and each is lost with a chance. */
function redrawn(count: number, random: Random, { margin, loss, per }: Lost & { per: Questions }): GatedArm {
  const users = usersOf(count, random, { mean: 0.7, labels: LABELS, per });
  const run = users.map(({ questions, repeats: [pairs = []] }) => ({
    questions,
    repeats: [
      pairs.map(({ gold, prediction }): Pair => {
        const again = happens(0.2, random) ? (happens(0.7, random) ? gold : "none") : prediction;
        return { gold, prediction: again === gold && happens(loss / 0.7, random) ? "none" : again };
      }),
    ],
  }));
  return { name: "a", baseline: armOf(users, "a"), run: armOf(run, "b"), metric: yesNo, margin };
}

interface Lost {
  readonly margin: number;
  readonly loss: number;
}

/** How often one of the arms has a verdict: the first loses; the others are drawn anew alike, or untouched. */
const gated = (verdict: "pass" | "fail", lost: Lost, { alike = 0, untouched = 0 } = {}): ArmSpec[] =>
  FEW.map(
    (per): ArmSpec =>
      (count, random) => {
        const made = Array.from({ length: 1 + alike }, () => redrawn(count, random, { ...lost, per }));
        const same = { ...made[0]!, run: made[0]!.baseline };
        const arms = [...made, ...Array.from({ length: untouched }, () => same)];
        const verdicts = gateArms(arms, 0.01).map((arm) => arm.verdict);
        return verdicts.slice(0, 1 + alike).includes(verdict);
      },
  );

const wrongOne = (mean: number): number => 1 - mean;
const rows: readonly { readonly name: string; readonly specs: readonly ArmSpec[] }[] = [
  { name: "coverage: accuracy .6-.8", specs: accuracyArms([0.6, 0.8], FEW) },
  { name: "accuracy .95", specs: accuracyArms([0.95], FEW) },
  { name: ".95-.98, 100 questions a user", specs: accuracyArms([0.95, 0.98], MANY) },
  {
    name: "MAE, RMSE",
    specs: FEW.flatMap((per) => [
      covers(mae, wrongOne(0.6), { mean: 0.6, labels: RATINGS, per }),
      covers(rmse, Math.sqrt(wrongOne(0.6)), { mean: 0.6, labels: RATINGS, per }),
    ]),
  },
  { name: "macro-F1", specs: FEW.map((per) => covers(macroF1(LABELS), 0.7, { mean: 0.7, labels: LABELS, per })) },
  { name: "gain, 5-10 % of users lose all, 1-5 questions", specs: gains(FEW.slice(0, 2), [0.05, 0.1], "covers") },
  { name: "same, 100 questions", specs: gains(MANY, [0.05, 0.1], "covers") },
  { name: "p <= .05: equal methods", specs: gains(FEW, [0], "equal") },
  { name: "equal means, 5-20 % lose all, 1-5 questions", specs: gains(FEW.slice(0, 2), [0.05, 0.2], "equal") },
  { name: "same, 100 questions", specs: gains(MANY, [0.05, 0.2], "equal") },
  { name: "PASS at loss = margin .05", specs: gated("pass", { margin: 0.05, loss: 0.05 }) },
  { name: "PASS unchanged (20 % redrawn), margin .05", specs: gated("pass", { margin: 0.05, loss: 0 }) },
  { name: "margin .1", specs: gated("pass", { margin: 0.1, loss: 0 }) },
  { name: "FAIL unchanged", specs: gated("fail", { margin: 0.05, loss: 0 }) },
  { name: "FAIL unchanged, any of ten arms", specs: gated("fail", { margin: 0.05, loss: 0 }, { alike: 9 }) },
  { name: "FAIL at loss .1, margin .05", specs: gated("fail", { margin: 0.05, loss: 0.1 }) },
  {
    name: "FAIL at loss .15, beside nine untouched arms",
    specs: gated("fail", { margin: 0.05, loss: 0.15 }, { untouched: 9 }),
  },
];
