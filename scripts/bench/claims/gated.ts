import { accuracy } from "../../../src/metrics/index.js";
import { type ClaimPs, claimPs, shownLossP } from "../../../src/report/gate/claims.js";
import { type PairedLoss, pairedLoss } from "../../../src/report/gate/paired-loss.js";
import type { PairedQuestion } from "../../../src/report/paired.js";
import { sparseLabels } from "../../../src/report/sparse-labels.js";
import type { Metric } from "../../../src/types/index.js";
import { ALPHA, Tally } from "./cell.js";

export const yesNo = accuracy(["yes", "no"]);

/** What a gate finds at this margin. Each claim is held by its own test alone; labels too rare hold none. Questions without an answer of the run are lost. */
export class Gated {
  readonly #loss: PairedLoss | undefined;
  readonly #margin: number;
  readonly #ps: ClaimPs | undefined;

  constructor(metric: Metric, questions: readonly PairedQuestion[], margin: number) {
    const answered = questions.filter(({ candidate }) => candidate.some((pair) => pair !== undefined));
    const lost = questions.filter(({ candidate }) => candidate.every((pair) => pair === undefined));
    const golds = () => answered.map(({ baseline }) => baseline[0]!.gold);
    const isRare = sparseLabels(metric, golds).sparseLabels !== undefined;
    this.#loss = isRare ? undefined : pairedLoss(metric, answered, lost);
    this.#margin = this.#loss?.toJudged(margin) ?? margin;
    this.#ps = this.#loss && claimPs(this.#loss, this.#margin, ALPHA);
  }

  get users(): boolean {
    return (this.#ps?.users ?? 1) <= ALPHA;
  }

  get set(): boolean {
    return (this.#ps?.set ?? 1) <= ALPHA;
  }

  get regress(): boolean {
    return this.#loss !== undefined && (shownLossP(this.#loss, this.#margin, ALPHA) ?? 1) <= ALPHA;
  }
}

export interface GatedSamples {
  readonly metric: Metric;
  readonly margin: number;
  readonly samples: number;
  draw(sample: number): readonly PairedQuestion[];
}

/** In how many samples each holds. */
export function gatedCounts<What extends "users" | "set" | "regress">(
  wanted: readonly What[],
  { metric, margin, samples, draw }: GatedSamples,
): Record<What, number> {
  const tally = new Tally();
  for (let sample = 0; sample < samples; sample++) {
    const questions = draw(sample);
    const found = new Gated(metric, questions, margin);
    for (const what of wanted) tally.add(what, found[what]);
  }
  return Object.fromEntries(wanted.map((what) => [what, tally.of(what)])) as Record<What, number>;
}

/** A loss above 0, shown on this set. */
export const isWorse = (questions: readonly PairedQuestion[]): boolean =>
  (shownLossP(pairedLoss(yesNo, questions, [])!, 0, ALPHA) ?? 1) <= ALPHA;
