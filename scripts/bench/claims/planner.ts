import { mae, rmse } from "../../../src/metrics/index.js";
import { claimPs } from "../../../src/report/gate/claims.js";
import { pairedLoss } from "../../../src/report/gate/paired-loss.js";
import { planOf } from "../../../src/report/gate/planner.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import type { Metric, Random } from "../../../src/types/index.js";
import { zipfLabels } from "../simulation/labels.js";
import { answer, beta, type Size, sampleOf, size } from "../simulation/losses.js";
import { error, rated } from "../simulation/ratings.js";
import { ALPHA, type Cell, Tally } from "./cell.js";
import { yesNo } from "./gated.js";

/** Margins planned from a baseline alone: how often a run of which nothing changed passes at them. */
export const plannerCells = (): Cell[] => [
  ...sizes.flatMap((at) => [
    ...[0, 0.05, 0.2, 1].map((anew) => cell(yesNo, "accuracy", at, anew, 1, drawHit)),
    ...[0.05, 0.2, 1].map((anew) => cell(yesNo, "accuracy", at, anew, 2, drawHit)),
    cell(yesNo, "accuracy", at, 0.2, 3, drawHit),
  ]),
  ...[size(30, 10), size(100, 3)].flatMap((at) =>
    [1, 2].flatMap((repeats) => [
      cell(mae, "MAE", at, 0.2, repeats, drawRating),
      cell(rmse, "RMSE", at, 0.2, repeats, drawRating),
      cell(labels.f1, "macro-F1, 4 labels", at, 0.2, repeats, drawLabel),
    ]),
  ),
];

const sizes = [size(24, 3), size(30, 10), size(60, 5), size(100, 3), size(100, 10), size(300, 1), size(300, 3)];
const labels = zipfLabels(4);

/** One question: how often each of its answers is given; `chance`: its user's of a right one. */
type Draw = (
  chance: number,
  random: Random,
) => (random: Random) => { readonly prediction: string; readonly gold: string };

const drawHit: Draw = (chance) => (random) => answer(random.next() < chance ? 1 : 0);
const drawRating: Draw = (chance) => (random) => rated(random.next() < chance ? 0 : Math.max(1, error(random)));
const drawLabel: Draw = (chance, set) => {
  const gold = labels.draw(set);
  return (random) => ({
    gold: labels.names[gold]!,
    prediction: labels.names[random.next() < chance ? gold : labels.draw(random)]!,
  });
};

function cell(metric: Metric, title: string, at: Size, anew: number, repeats: number, draw: Draw): Cell {
  const name = `${title}, ${at.name}, ${anew} drawn anew, ${repeats} ${repeats === 1 ? "repeat, its noise known" : "repeats"}`;
  return {
    part: "planner",
    name,
    run(samples) {
      const tally = new Tally();
      for (let sample = 0; sample < samples; sample++) {
        const questions = unchanged(at, anew, repeats, draw, sampleOf(name, sample));
        const margins = planOf(metric, questions, { alpha: ALPHA, noise: anew })?.margins;
        if (margins === undefined) continue;
        const loss = pairedLoss(metric, questions, [])!;
        for (const claim of ["set", "users"] as const) {
          const { set, users } = claimPs(loss, loss.toJudged(margins[claim]), ALPHA);
          tally.add(claim, (set ?? 1) <= ALPHA && (claim === "set" || users <= ALPHA));
        }
      }
      // Without noise nothing can fail, and margins are as small as can be. What squares of errors can lose at most makes margins of few users wide.
      const most = title === "accuracy" ? { most: 0.95 } : {};
      const promise = anew === 0 ? { least: 0.95 } : { least: 0.7, ...most };
      const kind = `${title === "accuracy" ? "" : ", other metrics"}${anew === 0 ? ", no noise" : ""}${repeats === 1 ? "" : `, ${repeats} repeats`}`;
      return (["set", "users"] as const).map((claim) => ({
        what: `unchanged passes ${claim}${kind}`,
        hits: tally.of(claim),
        of: samples,
        ...promise,
      }));
    },
  };
}

/** A share of the questions has answers that every run draws anew; the others are always answered as they were. */
function unchanged(
  { users, questions: [low, high] }: Size,
  anew: number,
  repeats: number,
  draw: Draw,
  random: Random,
): PairedQuestion[] {
  return Array.from({ length: users }, (_, u) => {
    const chance = beta(0.6, 0.2, random);
    return Array.from({ length: low + random.below(high - low + 1) }, (_, q) => {
      const reply = draw(chance, random);
      const first = reply(random);
      const isAnew = random.next() < anew;
      const replies = () => Array.from({ length: repeats }, () => (isAnew ? reply(random) : first));
      return { id: `${u}/${q}`, user: `u${u}`, baseline: replies(), candidate: replies() };
    });
  }).flat();
}
