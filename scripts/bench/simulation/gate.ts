import { accuracy } from "../../../src/metrics/index.js";
import { seeded } from "../../../src/random/seeded.js";
import { type GateLine, gateLines } from "../../../src/report/gate/gate.js";
import type { GatedArm, GatedQuestion, GatedReplies } from "../../../src/report/gate/pairs.js";
import { normalQuantile } from "../../../src/statistics/normal.js";
import type { Pair, Random } from "../../../src/types.js";
import { type Population, simulateUsers } from "./clustered-users.js";

export interface GateSimulation {
  readonly population: Population;
  /** Share of questions on which the candidate only repeats the baseline's answer; on the others it answers anew. */
  readonly repeated: number;
  /** Planted: how much lower the candidate's true accuracy is. */
  readonly loss: number;
  readonly margin: number;
  readonly alpha: number;
  /** Tasks that are gated together, all of the same kind. */
  readonly tasks: number;
}

/** Shares of gates by verdict; of several tasks, `regress` when any does and `pass` when all do. */
export interface GateRates {
  readonly pass: number;
  readonly regress: number;
}

export function gateRates(simulation: GateSimulation, samples: number, seed: string, resamples = 1000): GateRates {
  const metrics = [accuracy(["yes", "no"])];
  let [pass, regress] = [0, 0];
  for (let sample = 0; sample < samples; sample++) {
    const random = seeded(`${seed} ${sample}`);
    const arms = Array.from({ length: simulation.tasks }, () => ({ arm: armOf(simulation, random), metrics }));
    const settings = { alpha: simulation.alpha, margin: () => simulation.margin, seed: sample, resamples };
    const verdicts = gateLines(arms, settings).map(({ verdict }: GateLine) => verdict);
    if (verdicts.includes("regress")) regress += 1;
    if (verdicts.every((verdict) => verdict === "pass")) pass += 1;
  }
  return { pass: pass / samples, regress: regress / samples };
}

/** The margin at which an unchanged candidate passes with this power, by the spread of the gain over many samples. */
export function marginFor(simulation: Unplanned, power: number, samples: number): number {
  return distance(simulation, power) * errorOfGain({ ...simulation, loss: 0 }, samples);
}

/** The loss that is found to be beyond the margin with this power. A larger loss spreads more, so this goes in steps. */
export function lossFor(simulation: Unplanned & { readonly margin: number }, power: number, samples: number): number {
  let loss = 2 * simulation.margin;
  for (let step = 0; step < LOSS_STEPS; step++)
    loss = simulation.margin + distance(simulation, power) * errorOfGain({ ...simulation, loss }, samples);
  return loss;
}

// --- internal ---

type Unplanned = Omit<GateSimulation, "margin" | "loss">;
const LOSS_STEPS = 4;

const distance = ({ alpha }: { alpha: number }, power: number): number =>
  normalQuantile(1 - alpha) + normalQuantile(power);

function errorOfGain(simulation: Omit<GateSimulation, "margin">, samples: number): number {
  const random = seeded("margin");
  const gains = Array.from({ length: samples }, () => gainOf(questionsOf(simulation, random)));
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / samples;
  return Math.sqrt(gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / (samples - 1));
}

const answer = (hit: boolean): readonly Pair[] => [{ prediction: hit ? "yes" : "no", gold: "yes" }];
const isHit = ([pair]: GatedReplies): boolean => pair?.prediction === pair?.gold;

function questionsOf({ population, repeated, loss }: Omit<GateSimulation, "margin">, random: Random): GatedQuestion[] {
  const spoiled = loss / population.chance;
  return simulateUsers(population, random).flatMap(({ chance, questions }, u) =>
    Array.from({ length: questions }, (_, q) => {
      const before = random.next() < chance;
      const unspoiled = random.next() < repeated ? before : random.next() < chance;
      const after = unspoiled && random.next() >= spoiled;
      return { id: `${u}/${q}`, user: `u${u}`, baseline: answer(before), candidate: answer(after) };
    }),
  );
}

const gainOf = (questions: readonly GatedQuestion[]): number =>
  questions.reduce((sum, { baseline, candidate }) => sum + Number(isHit(candidate)) - Number(isHit(baseline)), 0) /
  questions.length;

function armOf(simulation: GateSimulation, random: Random): GatedArm {
  const side = {
    task: "simulated",
    dataset: "simulated",
    method: "simulated",
    model: "simulated",
    options: {},
    seed: 0,
    repeats: 1,
    data: { files: [], units: "", wording: "" },
    requests: [],
    questions: [],
  };
  return {
    baseline: side,
    candidate: side,
    questions: questionsOf(simulation, random),
    leftOut: { absent: 0, added: 0, failed: 0, noGold: 0 },
    failedShare: 0,
  };
}
