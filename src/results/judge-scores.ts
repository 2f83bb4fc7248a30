import type { Cell, JudgedRun, Judgement } from "../types/index.js";
import { armLabel, armsOf, ofArm, variantOf } from "./arms.js";
import { groupBy } from "./grouped.js";
import { combined, type Inference, type Interval, inferenceOf, scoreInterval, type Theta } from "./inference.js";
import { mean } from "./pairs.js";

/** What a judge says of one arm. */
interface ArmScore {
  readonly task: string;
  readonly arm: string;
  /** Over the verdicts, all repeats together. Undefined: nothing of it was judged. */
  readonly mean: number | undefined;
  /** Over users (dialogues), on the judge's scale; undefined for fewer than ten. */
  readonly interval: Interval | undefined;
  readonly users: number;
  readonly judged: number;
  readonly unjudged: number;
  readonly failed: number;
  /** Against the first arm of the task, over the questions that have a verdict in both, the mean of their repeats. */
  readonly difference?: (Inference & { readonly value: number; readonly questions: number }) | undefined;
}

/** Of a judge: its scale, and its options, which say what an unjudged reply counts as. */
type Scale = Pick<JudgedRun["facts"], "range" | "options">;

/** Whether an unjudged reply counts as 0 (`judge.onParseFail`), as the assistant paper has it; else it is in no mean. */
export const countsUnjudged = ({ options }: Pick<Scale, "options">): boolean => options["judge.onParseFail"] === "zero";

/** Returns the scores of the judged arms, in their order. */
export function scoresOf(judgements: readonly Judgement[], cells: readonly Cell[], scale: Scale): ArmScore[] {
  const [least, most] = scale.range;
  const range = [countsUnjudged(scale) ? Math.min(0, least) : least, most] as const;
  const arms = armsOf(cells.filter(({ id }) => judgements.some(({ cell }) => cell === id)));
  const first = new Map<string, readonly Verdict[]>();
  return arms.map((arm) => {
    const ofOne = ofArm(judgements, arm);
    const cell = arm[0]!; // no arm is empty
    const verdicts = verdictsOf(ofOne, scale);
    const count = (kind: Judgement["judged"]["kind"]) => ofOne.filter(({ judged }) => judged.kind === kind).length;
    const before = first.get(cell.task);
    if (before === undefined) first.set(cell.task, verdicts);
    return {
      ...{ task: cell.task, arm: nameOf(cell, cells) },
      mean: mean(verdicts.map(({ value }) => value)),
      interval: verdictInterval(verdicts, range),
      users: new Set(verdicts.map(({ user }) => user)).size,
      ...{ judged: count("judged"), unjudged: count("unjudged"), failed: count("failed") },
      ...(before === undefined ? {} : { difference: differenceOf(before, verdicts) }),
    };
  });
}

/** A verdict that is in a mean. */
type Verdict = Pick<Judgement, "user" | "question"> & { readonly value: number };

const verdictsOf = (judgements: readonly Judgement[], scale: Scale): Verdict[] =>
  judgements.flatMap((one) => {
    const value = countedAs(one, scale);
    return value === undefined ? [] : [{ user: one.user, question: one.question, value }];
  });

/** The number that a judgement counts as; undefined where it counts as none. */
function countedAs({ judged }: Judgement, scale: Scale): number | undefined {
  if (judged.kind === "judged") return judged.value;
  return judged.kind === "unjudged" && countsUnjudged(scale) ? 0 : undefined;
}

function differenceOf(first: readonly Verdict[], other: readonly Verdict[]): ArmScore["difference"] {
  const [ofFirst, ofOther] = [first, other].map((all) => groupBy(all, ({ question }) => question));
  const both = [...ofOther!].filter(([question]) => ofFirst!.has(question));
  if (both.length === 0) return undefined;
  const means = (of: ReadonlyMap<string, readonly Verdict[]>): Verdict[] =>
    both.map(([question, [one]]) => ({
      ...{ question, user: one!.user }, // no group is empty
      value: mean(of.get(question)!.map(({ value }) => value))!,
    }));
  const theta = combined([
    [1, thetaOf(means(ofOther!))],
    [-1, thetaOf(means(ofFirst!))],
  ]);
  const found = inferenceOf(theta);
  return found && { ...found, value: theta.value, questions: both.length };
}

const verdictInterval = (verdicts: readonly Verdict[], range: Scale["range"]): Interval | undefined =>
  scoreInterval(thetaOf(verdicts), range);

/** The mean of verdicts, and the same without each user. */
function thetaOf(verdicts: readonly Verdict[]): Theta {
  const sum = (of: readonly Verdict[]): number => of.reduce((total, { value }) => total + value, 0);
  const users = [...groupBy(verdicts, ({ user }) => user).values()];
  const [total, count] = [sum(verdicts), verdicts.length];
  return {
    value: total / count,
    without: Float64Array.from(users, (own) => (total - sum(own)) / (count - own.length)),
    questions: users.map((own) => new Set(own.map(({ question }) => question)).size),
  };
}

const nameOf = (cell: Cell, cells: readonly Cell[]): string =>
  armLabel({ method: cell.method, variant: variantOf(cell, cells) });

/** How often an arm's reply was found better than the other's, each pair shown in both orders. */
interface ArmWins {
  readonly task: string;
  readonly arm: string;
  readonly against: string;
  readonly pairs: number;
  /** Found better, worse, or neither, the same in both orders. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** The verdict turned with the order: it counts as no preference. */
  readonly turned: number;
  /** A pair with an order that was not judged; it is in no share. */
  readonly unjudged: number;
  /** (wins - losses) / judged pairs. */
  readonly net: number | undefined;
  readonly interval: Interval | undefined;
  /** Share of the judged pairs in which the reply shown first was preferred in both orders. */
  readonly firstPreferred: number | undefined;
}

/** Returns the wins of every compared arm. A judge that always prefers the first place gives a net of 0, all pairs turned. */
export function winsOf(judgements: readonly Judgement[], cells: readonly Cell[]): ArmWins[] {
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const compared = judgements.filter(({ against }) => against !== undefined);
  return [...groupBy(compared, ({ cell, against }) => `${cell} ${against?.cell}`).values()].flatMap((ofArm) => {
    const [{ cell: id, against }] = ofArm as [Judgement]; // no group is empty
    const [cell, other] = [cellOf.get(id), cellOf.get(against?.cell ?? "")];
    if (cell === undefined || other === undefined) return [];
    const pairs = [...groupBy(ofArm, ({ question }) => question).values()].map(pairOf);
    const judged = pairs.filter(({ result }) => result !== "unjudged");
    const count = (result: PairResult) => pairs.filter((pair) => pair.result === result).length;
    const verdicts = judged.map(({ user, question, result }) => ({ user, question, value: GAIN[result] }));
    return [
      {
        ...{ task: cell.task, arm: nameOf(cell, cells), against: nameOf(other, cells), pairs: pairs.length },
        ...{ wins: count("win"), losses: count("loss"), ties: count("tie"), turned: count("turned") },
        unjudged: count("unjudged"),
        net: mean(verdicts.map(({ value }) => value)),
        interval: verdictInterval(verdicts, [-1, 1]),
        firstPreferred: mean(judged.map(({ isFirst }) => (isFirst ? 1 : 0))),
      },
    ];
  });
}

type PairResult = "win" | "loss" | "tie" | "turned" | "unjudged";

const GAIN: Readonly<Record<PairResult, number>> = { win: 1, loss: -1, tie: 0, turned: 0, unjudged: 0 };

interface PairOfOrders extends Pick<Judgement, "user" | "question"> {
  readonly result: PairResult;
  /** Whether the reply shown first was preferred in both orders. */
  readonly isFirst: boolean;
}

/** What both orders of one pair of replies come to. */
function pairOf(both: readonly Judgement[]): PairOfOrders {
  const { user, question } = both[0]!; // no group is empty
  const [one, two, ...more] = both.map(ownGain);
  if (one === undefined || two === undefined || more.length > 0)
    return { user, question, result: "unjudged", isFirst: false };
  const isFirst = both.every(({ judged }) => judged.kind === "judged" && judged.value === 1);
  const result = one !== two ? "turned" : one === 0 ? "tie" : one > 0 ? "win" : "loss";
  return { user, question, result, isFirst };
}

/** How much better the arm's own reply was found in one order; undefined where that was not judged. */
const ownGain = ({ judged, against }: Judgement): number | undefined =>
  judged.kind === "judged" ? (against?.shownFirst === true ? 0 - judged.value : judged.value) : undefined;

/** H3 of RUMS: (wins - losses) / pairs of an arm. */
export interface WinRates {
  /** Both orders: a win counts where both orders agree, so that a judge who likes one place decides nothing. */
  readonly both: number | undefined;
  readonly pairs: number;
  /** As published: the own answer first alone, only verdicts of the 70th percentile of confidence or above. */
  readonly published: number | undefined;
  readonly kept: number;
}

const PUBLISHED_PERCENTILE = 0.7;

/** Returns the win rates of one arm's comparisons. Verdicts without confidence are in none. */
export function winRates(judgements: readonly Judgement[]): WinRates {
  const sure = judgements.filter(({ judged }) => judged.kind === "judged" && judged.confidence !== undefined);
  const pairs = [...groupBy(sure, ({ question }) => question).values()].map(pairOf);
  const gains = pairs.flatMap(({ result }) => (result === "unjudged" ? [] : [GAIN[result]]));
  const ownFirst = sure.filter(({ against }) => against?.shownFirst === false);
  const confidence = ({ judged }: Judgement): number => (judged.kind === "judged" ? (judged.confidence ?? 0) : 0);
  const sorted = ownFirst.map(confidence).sort((a, b) => a - b);
  const least = sorted[Math.floor(PUBLISHED_PERCENTILE * sorted.length)] ?? 0;
  const kept = ownFirst.filter((one) => confidence(one) >= least);
  return {
    ...{ both: mean(gains), pairs: gains.length },
    ...{ published: mean(kept.map((one) => ownGain(one) ?? 0)), kept: kept.length },
  };
}

/** What one judge said of a run, and the judged arms. */
interface OneJudge extends JudgedRun {
  readonly cells: readonly Cell[];
}

/** How far two judges agree on which of two methods answered better. */
export interface Agreement {
  readonly judges: readonly [string, string];
  /** Pairs of replies to one question that both judged, and those of them on which both say the same: better, worse or equal. */
  readonly pairs: number;
  readonly same: number;
  /** Pairs of methods that the two put in opposite orders, by the mean over the questions of both; first the one that the first judge prefers. */
  readonly reversed: readonly { readonly task: string; readonly methods: readonly [string, string] }[];
}

/** Returns the agreement of each two judges of one run. */
export function agreementsOf(judges: readonly OneJudge[]): Agreement[] {
  const read = judges.map((one) => ({ name: `${one.facts.judge} (${one.facts.model})`, gains: gainsOf(one) }));
  return read.flatMap((one, at) => read.slice(at + 1).map((other) => agreementOf(one, other)));
}

/** How much better a judge finds one arm's reply to a question than another's. */
interface Gain {
  readonly task: string;
  readonly methods: readonly [string, string];
  readonly value: number;
}

type ReadJudge = { readonly name: string; readonly gains: ReadonlyMap<string, Gain> };

function agreementOf(one: ReadJudge, other: ReadJudge): Agreement {
  const both = [...one.gains].flatMap(([key, gain]) => {
    const theirs = other.gains.get(key)?.value;
    return theirs === undefined ? [] : [{ ...gain, theirs }];
  });
  const byMethods = groupBy(both, ({ task, methods }) => JSON.stringify([task, methods]));
  const reversed = [...byMethods.values()].flatMap((of) => {
    const first = of.reduce((sum, { value }) => sum + value, 0);
    const second = of.reduce((sum, { theirs }) => sum + theirs, 0);
    const { task, methods } = of[0]!; // no group is empty
    const [a, b] = methods;
    return first * second >= 0 ? [] : [{ task, methods: first > 0 ? methods : ([b, a] as const) }];
  });
  const same = both.filter(({ value, theirs }) => Math.sign(value) === Math.sign(theirs)).length;
  return { judges: [one.name, other.name], pairs: both.length, same, reversed };
}

/** Gains by question and the two cells. Of a comparison a verdict that turns with the order of the replies counts as no preference. */
function gainsOf({ facts, judgements, cells }: OneJudge): Map<string, Gain> {
  const gains = new Map<string, Gain>();
  for (const [question, said] of groupBy(judgements, (one) => one.question))
    for (const [at, a] of cells.entries())
      for (const b of cells.slice(at + 1)) {
        if (a.task !== b.task || a.repeat !== b.repeat || a.model !== b.model) continue;
        const value = facts.against === undefined ? apart(said, a, b, facts) : compared(said, a, b);
        if (value === undefined) continue;
        const methods = [nameOf(a, cells), nameOf(b, cells)] as const;
        gains.set([question, a.id, b.id].join("\t"), { task: a.task, methods, value });
      }
  return gains;
}

function apart(said: readonly Judgement[], a: Cell, b: Cell, scale: Scale): number | undefined {
  const [one, other] = [a, b].map(({ id }) => said.find(({ cell }) => cell === id));
  const [own, theirs] = [one && countedAs(one, scale), other && countedAs(other, scale)];
  return own === undefined || theirs === undefined ? undefined : own - theirs;
}

function compared(said: readonly Judgement[], a: Cell, b: Cell): number | undefined {
  const ways = [
    [a, b, 1],
    [b, a, -1],
  ] as const;
  for (const [own, other, sign] of ways) {
    const both = said.filter(({ cell, against }) => cell === own.id && against?.cell === other.id);
    const result = both.length === 0 ? "unjudged" : pairOf(both).result;
    if (result !== "unjudged") return sign * GAIN[result];
  }
  return undefined;
}
