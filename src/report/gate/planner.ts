import { cappedStudentLower, type OverUsers } from "../../statistics/capped-student.js";
import {
  boundBeyond,
  jackknifeVariance,
  lowerBound,
  type Parts,
  type Shock,
  shockReach,
} from "../../statistics/loss.js";
import { normalQuantile } from "../../statistics/normal.js";
import { meanOf, median } from "../../statistics/quantile.js";
import type { Metric } from "../../types/index.js";
import type { PairedQuestion } from "../paired.js";
import { claimPs, FEWEST_USERS, shownLossP } from "./claims.js";
import { influencesOf, type PairedLoss, pairedLoss, type TestedLoss } from "./paired-loss.js";
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
  /** How much the baseline's repeats differ: what every bound pays for noise that runs share. */
  readonly shock?: Shock | undefined;
  /** The share of the variance of `users` that repeats which share no noise differ by. */
  readonly apart?: number;
  /** Standard errors by which the run is unlucky. */
  readonly unlucky: number;
}

/** A baseline's noise: what margins and needed users are planned from. Undefined where the metric cannot be tested. */
export interface Plan {
  readonly margins: PlannedMargins | undefined;
  /** The loss that is shown on this set in about 80 of 100 runs that have it; undefined where no test is made, or none is. */
  readonly detects: number | undefined;
  /** The smallest margin that a run without any changed answer passes under each claim. */
  readonly smallest: PlannedMargins;
  /** Users like these that let an unchanged run pass at the margin in about 80 of 100 cases. Undefined above MOST_USERS. */
  neededUsers(claim: "set" | "users", margin: number): number | undefined;
}

/**
 * Plans from a baseline alone, so before any candidate exists. Noise: the differences of its repeats; of one repeat, a share of
 * answers drawn anew. An unchanged run that is unlucky as one in five must still pass, as one in seven where its noise is measured.
 */
export function planOf(metric: Metric, baseline: readonly PairedQuestion[], settings: PlanSettings): Plan | undefined {
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
    get detects() {
      const found = draws.map((draw) => detected(draw, changeOf(metric, baseline).size, alpha));
      const loss = median(found.map((one) => one ?? Number.POSITIVE_INFINITY));
      return loss === undefined || loss === Number.POSITIVE_INFINITY ? undefined : printed(loss);
    },
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

/** One-sided normal quantiles: of .80 where the noise is given, of .85 where it is itself measured with an error. */
const UNLUCKY = { assumed: 0.8416, measured: 1.0364 };
/** Margins are rounded up to this share of the metric's range. */
const STEP = 0.005;
const ROUNDING = 1e-9;
const MOST_USERS = 5_000;
/** A prime: spreads noise over users in a fixed, uneven order. */
const SPREAD = 7919;

function drawsOf(metric: Metric, baseline: readonly PairedQuestion[], still: PairedLoss, noise: number): Draw[] {
  const repeats = baseline.reduce((most, question) => Math.max(most, question.baseline.length), 0);
  const found: Draw[] = [];
  for (let one = 0; one < repeats; one++)
    for (let other = one + 1; other < repeats; other++) {
      const both = baseline.flatMap((question) => {
        const [a, b] = [question.baseline[one], question.baseline[other]];
        return a === undefined || b === undefined ? [] : [{ ...question, baseline: [a], candidate: [b] }];
      });
      const loss = pairedLoss(metric, both, []);
      if (loss !== undefined)
        found.push({ users: loss.users.down, questions: loss.questions.down, unlucky: UNLUCKY.measured });
    }
  if (found.length === 0) return [assumedDraw(metric, baseline, still, noise)];
  // One difference says too little of the noise to count on what a mean of two gains.
  return repeats === 2
    ? found.map((draw) => ({ ...draw, shock: still.shock, apart: 1 / 2 }))
    : found.map((draw) => meanDraw(repeats, draw, still.shock));
}

/** The difference of two means of so many repeats, from one of two repeats. */
function meanDraw(repeats: number, draw: Draw, shock: Shock | undefined): Draw {
  const calmer = (parts: Parts): Parts => ({ ...parts, gains: parts.gains.map((gain) => gain / Math.sqrt(repeats)) });
  return { ...draw, users: calmer(draw.users), questions: calmer(draw.questions), shock, apart: 1 };
}

function assumedDraw(metric: Metric, baseline: readonly PairedQuestion[], still: PairedLoss, noise: number): Draw {
  const { count, variance, size, isAnswers } = changeOf(metric, baseline);
  const perQuestion = 2 * noise * variance;
  const users = still.users.down;
  const all = users.shares.length;
  const gains = users.shares.map(
    (share, u) => (Math.sqrt(perQuestion * share * count) * normalQuantile((((SPREAD * u) % all) + 0.5) / all)) / count,
  );
  const pairs = Math.round(((isAnswers ? perQuestion : noise) * count) / 2);
  const questions = still.questions.down;
  const ofQuestions = questions.gains.map((_, q) => (q < pairs ? size / count : q < 2 * pairs ? -size / count : 0));
  return { users: { ...users, gains }, questions: { ...questions, gains: ofQuestions }, unlucky: UNLUCKY.assumed };
}

/** How much a question changes that is answered otherwise: right or wrong answers by 1, others by what two of them differ. */
function changeOf(metric: Metric, baseline: readonly PairedQuestion[]) {
  const values = valuesOf(metric, baseline);
  const count = values.length;
  const mean = meanOf(values);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  const isAnswers = values.every((value) => value === 0 || value === 1);
  return { count, variance, isAnswers, size: isAnswers ? 1 : Math.sqrt(2 * variance) };
}

/** The first repeat's value of each question; of a mean over labels what each contributes to it, on the scale of the score. */
function valuesOf(metric: Metric, baseline: readonly PairedQuestion[]): number[] {
  const scored = scoredQuestions(metric, baseline, []);
  if (scored !== undefined)
    return scored.questions.flatMap((question) => question.baseline.find((v) => v !== undefined) ?? []);
  const { contributions } = influencesOf(
    metric,
    baseline.map((question) => question.baseline),
  );
  return [...contributions].map((value) => value * contributions.length);
}

/** A run whose gain is known. */
interface Run extends Draw {
  readonly overUsers: OverUsers;
  readonly variance: number;
}

/** Moved to the gain that `gainAt` names, given the standard error of the jackknife. */
function movedTo(draw: Draw, gainAt: (error: number) => number): Run {
  const { users, questions } = draw;
  const { shares } = users;
  const gain = total(users);
  const single = shares.length < 2;
  const changes = users.gains.map((part, u) => (single ? 0 : (gain * shares[u]! - part) / (1 - shares[u]!)));
  const variance = jackknifeVariance(0, changes);
  const value = gainAt(Math.sqrt(variance));
  const moved = (parts: Parts): Parts => {
    const by = value - total(parts);
    return { ...parts, gains: parts.gains.map((part, u) => part + by * parts.shares[u]!) };
  };
  return { ...draw, users: moved(users), questions: moved(questions), overUsers: { value, changes, shares }, variance };
}

const unlucky = (draw: Draw): Run => movedTo(draw, (error) => -draw.unlucky * error);

const total = ({ gains }: Parts): number => gains.reduce((sum, gain) => sum + gain, 0);

/** The smallest loss that is shown where luck hides a part of it: so many answers of `size` lost, spread evenly over the questions. */
function detected(draw: Draw, size: number, alpha: number): number | undefined {
  const { users, questions } = draw;
  const count = questions.gains.length;
  if (users.gains.length < FEWEST_USERS || size === 0) return undefined;
  const isShown = (lost: number): boolean => {
    const loss = (size * lost) / count;
    const spread = (parts: Parts): Parts => {
      let before = 0;
      const gains = parts.gains.map((gain, u) => {
        const until = before + parts.shares[u]! * lost;
        const own = Math.floor(until + ROUNDING) - Math.floor(before + ROUNDING);
        before = until;
        return gain - (own * size) / count;
      });
      return { ...parts, gains };
    };
    const hidden = (error: number) => -loss + draw.unlucky * error;
    const run = movedTo({ ...draw, users: spread(users), questions: spread(questions) }, hidden);
    return (shownLossP(lossOf(run), 0, alpha) ?? 1) <= alpha + ROUNDING;
  };
  const lost = fewest(isShown, 1, count);
  return lost === undefined ? undefined : (size * lost) / count;
}

function margin80(claim: "set" | "users", draw: Draw, range: number, alpha: number): number {
  const run = unlucky(draw);
  const { users, questions, overUsers } = run;
  const single = overUsers.shares.length < 2;
  const set = Math.min(
    lowerBound(questions, range, alpha),
    single ? overUsers.value : cappedStudentLower(overUsers, alpha),
  );
  const bound = claim === "set" ? set : Math.min(set, lowerBound(users, range, alpha));
  return -boundBeyond(overUsers.value, bound, shockReach(sharedNoise(run), alpha));
}

/** The noise that a run may share: by the repeats seen, or by what noise of single answers makes them differ. */
const sharedNoise = ({ shock, apart = 1, variance }: Run): Shock | undefined =>
  shock && { ...shock, sd: Math.max(shock.sd, Math.sqrt(apart * variance)) };

function passes(claim: "set" | "users", draw: Draw, margin: number, alpha: number): boolean {
  const { users, set } = claimPs(lossOf(unlucky(draw)), margin, alpha);
  return set !== undefined && Math.max(set, claim === "users" ? users : 0) <= alpha + ROUNDING;
}

/** The run as the tests of a gate see it. */
function lossOf(run: Run): TestedLoss {
  const bothWays = (down: Parts) => ({ down, up: { ...down, gains: down.gains.map((gain) => -gain) } });
  return {
    gain: run.overUsers.value,
    users: bothWays(run.users),
    questions: bothWays(run.questions),
    overUsers: run.overUsers,
    shock: sharedNoise(run),
  };
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
function fewest(holds: (count: number) => boolean, least = FEWEST_USERS, most = MOST_USERS): number | undefined {
  let [low, high] = [0, Math.min(least, most)];
  while (!holds(high)) {
    if (high >= most) return undefined;
    [low, high] = [high, Math.min(most, 2 * high)];
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
