import {
  boundBeyond,
  jackknifeVariance,
  lossBeyond,
  lossP,
  lowerBound,
  type Parts,
  type Shock,
  shockReach,
  studentLower,
  studentP,
} from "../../statistics/loss.js";
import { median } from "../../statistics/median.js";
import { normalQuantile } from "../../statistics/normal.js";
import type { Metric } from "../../types.js";
import { FEWEST_USERS } from "./claims.js";
import { influencesOf } from "./influence.js";
import { type PairedLoss, pairedLoss } from "./paired-loss.js";
import type { GatedQuestion } from "./pairs.js";
import { scoredQuestions } from "./scored.js";

export interface PlanSettings {
  readonly alpha: number;
  /** Share of answers that a new run of the same draws anew, assumed where the baseline has one repeat. */
  readonly noise: number;
}

/** Margins that an unchanged run passes in about 80 of 100 cases, in units of the metric. */
export interface PlannedMargins {
  readonly set: number;
  readonly users: number;
}

/** One try of an unchanged run: the gains that noise alone makes, centred. */
interface Draw {
  readonly users: Parts;
  readonly questions: Parts;
  /** Of a baseline of two repeats: how much they differ. One such difference says so little of noise that runs share that every bound
   * pays dearly for it; what more repeats cost is less than what their means gain, and is not planned for. */
  readonly shock?: Shock | undefined;
}

/** A baseline's noise: what margins and needed users are planned from. Undefined where the metric cannot be tested. */
export interface Plan {
  readonly margins: PlannedMargins | undefined;
  /** The smallest margin that a run without any changed answer passes under each claim. */
  readonly smallest: PlannedMargins;
  /** Users like these that let an unchanged run pass at the margin in about 80 of 100 cases. Undefined above MOST_USERS. */
  neededUsers(claim: "set" | "users", margin: number): number | undefined;
}

/**
 * Plans from a baseline alone, so before any candidate exists. Noise: the differences of its repeats; of one repeat, a share of
 * answers drawn anew. An unchanged run that is unlucky as one in seven (UNLUCKY standard errors) must still pass.
 */
export function planOf(metric: Metric, baseline: readonly GatedQuestion[], settings: PlanSettings): Plan | undefined {
  const still = pairedLoss(
    metric,
    baseline.map((question) => ({ ...question, candidate: question.baseline })),
    [],
  );
  if (still === undefined) return undefined;
  const draws = drawsOf(metric, baseline, still, settings.noise);
  const { alpha } = settings;
  const printed = (loss: number) => -still.toPrinted(-loss);
  const marginOf = (claim: "set" | "users") => median(draws.map((draw) => margin80(claim, draw, still.range, alpha)));
  const [set, users] = [marginOf("set"), marginOf("users")];
  const step = STEP * (metric.most ?? 1);
  const whole = (loss: number) => Math.ceil(printed(loss) / step - ROUNDING) * step;
  const unchanged = { users: still.users.down, questions: still.questions.down };
  return {
    margins: set === undefined || users === undefined ? undefined : { set: whole(set), users: whole(users) },
    get smallest() {
      return {
        set: printed(-lowerBound(unchanged.questions, still.range, alpha)),
        users: printed(-lowerBound(unchanged.users, still.range, alpha)),
      };
    },
    neededUsers: (claim, margin) =>
      fewest((count) => {
        const passing = draws.filter((draw) => passes(claim, times(draw, count, still), still.toJudged(margin), alpha));
        return 2 * passing.length >= draws.length;
      }),
  };
}

// --- internal ---

/** One-sided normal quantile of .85. */
const UNLUCKY = 1.0364;
/** Margins are rounded up to this share of the metric's range. */
const STEP = 0.005;
const ROUNDING = 1e-9;
const MOST_USERS = 5_000;
/** A prime: spreads noise over users in a fixed, uneven order. */
const SPREAD = 7919;

function drawsOf(metric: Metric, baseline: readonly GatedQuestion[], still: PairedLoss, noise: number): Draw[] {
  const repeats = baseline.reduce((most, question) => Math.max(most, question.baseline.length), 0);
  const found: Draw[] = [];
  for (let one = 0; one < repeats; one++)
    for (let other = one + 1; other < repeats; other++) {
      const both = baseline.flatMap((question) => {
        const [a, b] = [question.baseline[one], question.baseline[other]];
        return a === undefined || b === undefined ? [] : [{ ...question, baseline: [a], candidate: [b] }];
      });
      const loss = pairedLoss(metric, both, []);
      if (loss !== undefined) found.push({ users: loss.users.down, questions: loss.questions.down });
    }
  if (repeats === 2) return found.map((draw) => ({ ...draw, shock: still.shock }));
  return found.length > 0 ? found : [assumedDraw(metric, baseline, still, noise)];
}

function assumedDraw(metric: Metric, baseline: readonly GatedQuestion[], still: PairedLoss, noise: number): Draw {
  const values = valuesOf(metric, baseline);
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  const perQuestion = 2 * noise * variance;
  const users = still.users.down;
  const total = users.shares.length;
  const gains = users.shares.map(
    (share, u) =>
      (Math.sqrt(perQuestion * share * count) * normalQuantile((((SPREAD * u) % total) + 0.5) / total)) / count,
  );
  const answers = values.every((value) => value === 0 || value === 1);
  const [size, pairs] = answers
    ? [1, Math.round((perQuestion * count) / 2)]
    : [Math.sqrt(2 * variance), Math.round((noise * count) / 2)];
  const questions = still.questions.down;
  const ofQuestions = questions.gains.map((_, q) => (q < pairs ? size / count : q < 2 * pairs ? -size / count : 0));
  return { users: { ...users, gains }, questions: { ...questions, gains: ofQuestions } };
}

/** The first repeat's value of each question; of a mean over labels what each contributes to it, on the scale of the score. */
function valuesOf(metric: Metric, baseline: readonly GatedQuestion[]): number[] {
  const scored = scoredQuestions(metric, baseline, []);
  if (scored !== undefined)
    return scored.questions.flatMap((question) => question.baseline.find((v) => v !== undefined) ?? []);
  const { contributions } = influencesOf(
    metric,
    baseline.map((question) => question.baseline),
  );
  return [...contributions].map((value) => value * contributions.length);
}

/** Centred, then moved down by UNLUCKY standard errors of the jackknife. */
function unlucky({ users, questions }: Draw): Draw & { readonly gain: number; readonly variance: number } {
  const total = (parts: Parts) => parts.gains.reduce((sum, gain) => sum + gain, 0);
  const gain = total(users);
  const withoutOne = users.gains.map((part, u) => (gain - part) / (1 - users.shares[u]!));
  const variance = users.gains.length < 2 ? 0 : jackknifeVariance(gain, withoutOne);
  const down = -UNLUCKY * Math.sqrt(variance);
  const moved = (parts: Parts): Parts => {
    const by = down - total(parts);
    return { ...parts, gains: parts.gains.map((part, u) => part + by * parts.shares[u]!) };
  };
  return { users: moved(users), questions: moved(questions), gain: down, variance };
}

function margin80(claim: "set" | "users", draw: Draw, range: number, alpha: number): number {
  const { users, questions, gain, variance } = unlucky(draw);
  const set = Math.min(
    lowerBound(questions, range, alpha),
    studentLower(gain, variance, Math.max(1, users.gains.length - 1), alpha),
  );
  const bound = claim === "set" ? set : Math.min(set, lowerBound(users, range, alpha));
  return -boundBeyond(gain, bound, reachOf(draw.shock, variance, alpha));
}

/** What a run of two repeats pays for noise that it may share: by the repeats seen, or by what noise of single answers makes them differ. */
function reachOf(shock: Shock | undefined, variance: number, alpha: number): number {
  return shock === undefined ? 0 : shockReach({ ...shock, sd: Math.max(shock.sd, Math.sqrt(variance / 2)) }, alpha);
}

function passes(claim: "set" | "users", draw: Draw, margin: number, alpha: number): boolean {
  const { users, questions, gain, variance } = unlucky(draw);
  if (users.gains.length < FEWEST_USERS) return false;
  const beyond = lossBeyond(gain, margin, reachOf(draw.shock, variance, alpha));
  if (beyond === undefined) return false;
  if (claim === "users" && lossP(users, beyond) > alpha + ROUNDING) return false;
  const set = Math.max(lossP(questions, beyond), studentP(gain, -beyond, variance, users.gains.length - 1));
  return set <= alpha + ROUNDING;
}

/** The same with the users, and as many questions each, repeated in turn. */
function times(draw: Draw, users: number, still: PairedLoss): Draw {
  const perUser = still.questions.down.gains.length / still.users.down.gains.length;
  return { ...draw, users: cycled(draw.users, users), questions: cycled(draw.questions, Math.round(perUser * users)) };
}

function cycled({ gains, shares, most }: Parts, count: number): Parts {
  const at = (values: Float64Array) => Float64Array.from({ length: count }, (_, i) => values[i % values.length]!);
  const all = at(shares);
  const whole = all.reduce((sum, share) => sum + share, 0);
  const scaled = (values: Float64Array) => values.map((value) => value / whole);
  return { gains: scaled(at(gains)), shares: scaled(all), most: scaled(at(most)) };
}

/** The smallest count from which on `holds`, by doubling and halving. */
function fewest(holds: (count: number) => boolean): number | undefined {
  let [low, high] = [0, FEWEST_USERS];
  while (!holds(high)) {
    if (high >= MOST_USERS) return undefined;
    [low, high] = [high, Math.min(MOST_USERS, 2 * high)];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
