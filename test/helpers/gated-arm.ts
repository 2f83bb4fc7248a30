import { accuracy } from "../../src/metrics/index.js";
import { gateLines } from "../../src/report/gate/gate.js";
import type { GatedArm } from "../../src/report/gate/pairs.js";
import type { PairedQuestion } from "../../src/report/paired.js";

export const yesNo = accuracy(["yes", "no"]);
export const gateSettings = { claim: "set" as const, alpha: 0.05, noise: 0.1, margin: (_metric: string) => 0.05 };

/** A reply a repeat, 1 for right. */
export const replies = (...hits: readonly number[]) =>
  hits.map((hit) => ({ prediction: hit === 1 ? "yes" : "no", gold: "yes" }));

/** Ratings whose gold is 3, a reply a repeat. */
export const rated = (...given: readonly string[]) => given.map((prediction) => ({ prediction, gold: "3" }));

export const gatedSide: GatedArm["baseline"] = {
  task: "t",
  dataset: "d",
  method: "m",
  model: "x/y",
  options: {},
  seed: 0,
  repeats: 1,
  data: { files: [], units: "", wording: "" },
  requests: [],
  questions: [],
};

export const gatedArm = (questions: readonly PairedQuestion[], more: Partial<GatedArm> = {}): GatedArm => ({
  baseline: gatedSide,
  candidate: gatedSide,
  questions,
  lost: [],
  leftOut: { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 },
  failedShare: 0,
  ...more,
});

/** As many questions as replies in `now`, of one user each unless told otherwise. */
export const gatedQuestions = (
  before: readonly PairedQuestion["baseline"][],
  now: readonly PairedQuestion["candidate"][],
  perUser = 1,
): PairedQuestion[] =>
  now.map((candidate, q) => ({
    id: `q${q}`,
    user: `u${Math.floor(q / perUser)}`,
    baseline: before[q] ?? [],
    candidate,
  }));

/** Questions of 40 users, two each; the candidate loses those below `lost` and gains those from `gained` on. */
export const changed = (lost: number, gained = 80): PairedQuestion[] =>
  Array.from({ length: 80 }, (_, q) => ({
    id: `q${q}`,
    user: `u${q >> 1}`,
    baseline: replies(q < 60 ? 1 : 0),
    candidate: replies(q >= lost && (q < 60 || q >= gained) ? 1 : 0),
  }));

/** The one line of these questions by accuracy. */
export const gateOf = (questions: readonly PairedQuestion[], more: Partial<Parameters<typeof gateLines>[1]> = {}) =>
  gateLines([{ arm: gatedArm(questions), metrics: [yesNo] }], { ...gateSettings, ...more })[0]!;
