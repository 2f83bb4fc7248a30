import { judgeOptions } from "../judges/options.js";
import type { ArmSpec, JudgedRun, Judgement, Metric, Row } from "../types/index.js";
import { armLabel, armsOf, ofArm, variantOf } from "./arms.js";
import { type Interval, scoreInterval } from "./inference.js";
import { groupBy, mean } from "./samples.js";

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
}

/** Of a judge: its scale, and its options, which say what an unjudged reply counts as. */
type Scale = Pick<JudgedRun["facts"], "range" | "options">;

/** True where an unjudged reply counts as 0 (`judge.onParseFail`), as the assistant paper has it; else it is in no mean. */
export const countsUnjudged = ({ options }: Pick<Scale, "options">): boolean => options["judge.onParseFail"] === "zero";

/** Returns the scores of the judged arms, in their order. */
export function scoresOf(judgements: readonly Judgement[], specs: readonly ArmSpec[], scale: Scale): ArmScore[] {
  const [least, most] = scale.range;
  const range = [countsUnjudged(scale) ? Math.min(0, least) : least, most] as const;
  const arms = armsOf(specs.filter(({ id }) => judgements.some(({ arm: armId }) => armId === id)));
  return arms.map((arm) => {
    const ofOne = ofArm(judgements, arm);
    const spec = arm[0]!; // no arm is empty
    const verdicts = ofOne.flatMap((one) => verdictOf(one, countedAs(one, scale)));
    const count = (kind: Judgement["judged"]["kind"]) => ofOne.filter(({ judged }) => judged.kind === kind).length;
    return {
      task: spec.task,
      arm: nameOf(spec, specs),
      mean: mean(verdicts.map(({ value }) => value)),
      interval: intervalOf(verdicts, range),
      users: new Set(verdicts.map(({ user }) => user)).size,
      judged: count("judged"),
      unjudged: count("unjudged"),
      failed: count("failed"),
    };
  });
}

/** A verdict that is in a mean. */
type Verdict = Pick<Judgement, "user" | "question"> & { readonly value: number };

const verdictOf = ({ user, question }: Omit<Verdict, "value">, value: number | undefined): Verdict[] =>
  value === undefined ? [] : [{ user, question, value }];

/** Returns the number that a judgement counts as; undefined where it counts as none. */
function countedAs({ judged }: Judgement, scale: Scale): number | undefined {
  if (judged.kind === "judged") return judged.value;
  return judged.kind === "unjudged" && countsUnjudged(scale) ? 0 : undefined;
}

/** Returns what a judge said of the answers, by arm and question: of two replies 1, 0 or -1, and 0 for the one compared with. */
function valuesOf({ facts, judgements }: JudgedRun): Map<string, Map<string, number>> {
  const values = new Map<string, Map<string, number>>();
  const set = (arm: string, question: string, value: number | undefined): void => {
    if (value !== undefined) values.set(arm, (values.get(arm) ?? new Map<string, number>()).set(question, value));
  };
  for (const [arm, own] of groupBy(judgements, ({ arm }) => arm)) {
    const other = own[0]?.against?.arm;
    if (other === undefined) for (const one of own) set(arm, one.question, countedAs(one, facts));
    else
      for (const { question, result } of pairsOf(own)) {
        set(arm, question, GAIN[result]);
        set(other, question, 0);
      }
  }
  return values;
}

/** Returns the metric of each judge, and the rows with what the judges said of them. */
export function withVerdicts(judges: readonly JudgedRun[], rows: readonly Row[]) {
  const read = judges.map((one) => ({
    metric: judgedMetric(one.facts),
    judge: one.facts.judge,
    values: valuesOf(one),
  }));
  const joined = rows.map((row): Row => {
    const known = read.flatMap(({ metric: { name }, values }): [string, number][] => {
      const value = values.get(row.arm)?.get(row.question);
      return value === undefined ? [] : [[name, value]];
    });
    return known.length === 0 ? row : { ...row, verdicts: Object.fromEntries(known) };
  });
  const judged = read.map(({ metric, judge }, at) => ({ metric, judge, note: costNote(metric, judges[at]!) })); // one each
  return { judged, rows: joined };
}

/** Says what a judge took, which is in no cost of a method. */
function costNote({ name }: Metric, { judgements }: JudgedRun): string {
  const total = (of: (one: Judgement) => number) => judgements.reduce((sum, one) => sum + of(one), 0);
  const tokens = total((one) => one.tokens.in + one.tokens.out);
  const unjudged = total(({ judged }) => Number(judged.kind !== "judged"));
  const without = unjudged === 0 ? "" : `; ${unjudged} without a verdict`;
  return `${name}: ${total(({ calls }) => calls)} judge calls, ${tokens} tokens, in no column above${without}`;
}

/** Makes the metric of a judge: the mean of its verdicts. Another model, reference or rule is another metric, by its name. */
function judgedMetric({ judge, model, simulated, range, options, against }: JudgedRun["facts"]): Metric {
  const [least, most] = countsUnjudged({ options }) ? [Math.min(0, range[0]), range[1]] : range;
  const changed = Object.entries(judgeOptions).filter(([name, { default: usual }]) => options[name] !== String(usual));
  const how = [
    ...[model.split("/").at(-1) ?? model, ...(simulated ? ["SIMULATED"] : [])],
    ...[
      ...(against === undefined ? [] : [`over ${against}`]),
      ...changed.map(([name]) => `${name.slice(6)}=${options[name]}`),
    ],
  ];
  const name = `${judge} (${how.join(", ")})`;
  return {
    ...{ name, title: name, better: "higher", source: `lamp-eval judge --judge ${judge}`, sumCount: 1 },
    ...{ minPerPair: least, maxPerPair: most },
    takes: ({ verdicts }) => verdicts?.[name] !== undefined,
    add({ verdicts }, sums, offset = 0) {
      sums[offset]! += verdicts?.[name] ?? Number.NaN; // it takes no others
    },
    value: (sums, count) => sums[0]! / count,
  };
}

/** Returns the 95 % interval of the mean of verdicts over users. */
function intervalOf(verdicts: readonly Verdict[], range: Scale["range"]): Interval | undefined {
  const sum = (of: readonly Verdict[]): number => of.reduce((total, { value }) => total + value, 0);
  const users = [...groupBy(verdicts, ({ user }) => user).values()];
  const [total, count] = [sum(verdicts), verdicts.length];
  const theta = {
    value: total / count,
    without: Float64Array.from(users, (own) => (total - sum(own)) / (count - own.length)),
    questions: users.map((own) => new Set(own.map(({ question }) => question)).size),
  };
  return scoreInterval(theta, range);
}

const nameOf = (arm: ArmSpec, arms: readonly ArmSpec[]): string =>
  armLabel({ method: arm.method, variant: variantOf(arm, arms) });

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

/** Returns the wins of every compared arm. */
export function winsOf(judgements: readonly Judgement[], arms: readonly ArmSpec[]): ArmWins[] {
  const specOf = new Map(arms.map((arm) => [arm.id, arm]));
  const compared = judgements.filter(({ against }) => against !== undefined);
  return [...groupBy(compared, ({ arm, against }) => `${arm} ${against?.arm}`).values()].flatMap((ofArm) => {
    const [{ arm: id, against }] = ofArm as [Judgement]; // no group is empty
    const [arm, other] = [specOf.get(id), specOf.get(against?.arm ?? "")];
    if (arm === undefined || other === undefined) return [];
    const pairs = pairsOf(ofArm);
    const count = (result: PairResult) => pairs.filter((pair) => pair.result === result).length;
    const verdicts = pairs.flatMap((pair) => verdictOf(pair, GAIN[pair.result]));
    return [
      {
        task: arm.task,
        arm: nameOf(arm, arms),
        against: nameOf(other, arms),
        pairs: pairs.length,
        wins: count("win"),
        losses: count("loss"),
        ties: count("tie"),
        turned: count("first") + count("turned"),
        unjudged: count("unjudged"),
        net: mean(verdicts.map(({ value }) => value)),
        interval: intervalOf(verdicts, [-1, 1]),
        firstPreferred: verdicts.length === 0 ? undefined : count("first") / verdicts.length,
      },
    ];
  });
}

/** `first`: turned, and the reply shown first was preferred both times. */
type PairResult = "win" | "loss" | "tie" | "first" | "turned" | "unjudged";

const GAIN: Readonly<Record<PairResult, number | undefined>> = {
  win: 1,
  loss: -1,
  tie: 0,
  first: 0,
  turned: 0,
  unjudged: undefined,
};

interface PairOfOrders extends Pick<Judgement, "user" | "question"> {
  /** The least confidence of its orders; 0 of a judge that tells none. */
  readonly sure: number;
  readonly result: PairResult;
}

/** Returns what both orders of each pair of replies come to. */
const pairsOf = (judgements: readonly Judgement[]): PairOfOrders[] =>
  [...groupBy(judgements, ({ question }) => question).values()].map((both) => {
    const { user, question } = both[0]!; // no group is empty
    const isFirst = both.every(({ judged }) => judged.kind === "judged" && judged.value === 1);
    const result = resultOf(both.map(ownGain));
    const sure = Math.min(...both.map(sureness));
    return { user, question, sure, result: result === "turned" && isFirst ? "first" : result };
  });

function resultOf([one, two, ...more]: readonly (number | undefined)[]): PairResult {
  if (one === undefined || two === undefined || more.length > 0) return "unjudged";
  if (one !== two) return "turned";
  return one === 0 ? "tie" : one > 0 ? "win" : "loss";
}

/** Returns how much better the arm's own reply was found in one order; undefined where that was not judged. */
const ownGain = ({ judged, against }: Judgement): number | undefined =>
  judged.kind === "judged" ? (against?.shownFirst === true ? 0 - judged.value : judged.value) : undefined;

/** H3 of RUMS: (wins - losses) / pairs of an arm. */
export interface WinRates {
  /** Both orders, by the less sure of them: a win counts where they agree, so that a judge who likes one place decides nothing. */
  readonly both: number | undefined;
  readonly pairs: number;
  /** As published: the own answer shown first alone. */
  readonly published: number | undefined;
  readonly kept: number;
}

const PUBLISHED_PERCENTILE = 0.7;

/** Returns the win rates of one arm's comparisons, over the surest verdicts (RUMS F.7). Verdicts without confidence are in none. */
export function winRates(judgements: readonly Judgement[]): WinRates {
  const told = judgements.filter(({ judged }) => judged.kind === "judged" && judged.confidence !== undefined);
  const pairs = surest(pairsOf(told).filter(({ result }) => GAIN[result] !== undefined));
  const kept = surest(
    told.flatMap((one) => (one.against?.shownFirst === false ? [{ gain: ownGain(one), sure: sureness(one) }] : [])),
  );
  return {
    ...{ both: mean(pairs.map(({ result }) => GAIN[result] ?? 0)), pairs: pairs.length },
    ...{ published: mean(kept.map(({ gain = 0 }) => gain)), kept: kept.length },
  };
}

const sureness = ({ judged }: Judgement): number => (judged.kind === "judged" ? (judged.confidence ?? 0) : 0);

/** Returns those at the 70th percentile of confidence or above. */
function surest<T extends { readonly sure: number }>(of: readonly T[]): T[] {
  const sorted = of.map(({ sure }) => sure).sort((a, b) => a - b);
  const least = sorted[Math.floor(PUBLISHED_PERCENTILE * sorted.length)] ?? 0;
  return of.filter(({ sure }) => sure >= least);
}

/** What one judge said of a run, and the judged arms. */
interface OneJudge extends JudgedRun {
  readonly specs: readonly ArmSpec[];
}

/** How far two judges agree on which of two methods answered better. */
export interface Agreement {
  readonly judges: readonly [string, string];
  /** Pairs of replies to one question that both judged, and those on which both say the same. */
  readonly pairs: number;
  readonly same: number;
  /** Pairs of methods that the two put in opposite orders; first the one that the first judge prefers. */
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

/** Returns gains by question and the two arms. */
function gainsOf({ facts, judgements, specs }: OneJudge): Map<string, Gain> {
  const gains = new Map<string, Gain>();
  for (const [question, said] of groupBy(judgements, (one) => one.question))
    for (const [at, a] of specs.entries())
      for (const b of specs.slice(at + 1)) {
        if (a.task !== b.task || a.repeat !== b.repeat || a.model !== b.model) continue;
        const value = facts.against === undefined ? difference(said, [a, b], facts) : preference(said, a, b);
        if (value === undefined) continue;
        const methods = [nameOf(a, specs), nameOf(b, specs)] as const;
        gains.set([question, a.id, b.id].join("\t"), { task: a.task, methods, value });
      }
  return gains;
}

function difference(said: readonly Judgement[], arms: readonly ArmSpec[], scale: Scale): number | undefined {
  const [own, theirs] = arms.map(({ id }) => {
    const judgement = said.find(({ arm }) => arm === id);
    return judgement && countedAs(judgement, scale);
  });
  return own === undefined || theirs === undefined ? undefined : own - theirs;
}

/** Either of the two may have been compared with the other. */
function preference(said: readonly Judgement[], a: ArmSpec, b: ArmSpec): number | undefined {
  const gainOf = (own: ArmSpec, other: ArmSpec): number | undefined => {
    const [pair] = pairsOf(said.filter(({ arm, against }) => arm === own.id && against?.arm === other.id));
    return pair && GAIN[pair.result];
  };
  const reverse = gainOf(b, a);
  return gainOf(a, b) ?? (reverse === undefined ? undefined : -reverse);
}
