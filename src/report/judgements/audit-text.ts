import { countOf } from "../../text/count.js";
import type { Cell } from "../../types/index.js";
import { armLabel, armsOf, ofArm, variantOf } from "../arms.js";
import { groupBy } from "../grouped.js";
import { mean } from "../pairs.js";
import { headingMark } from "../simulated.js";
import type { Table } from "../table.js";
import { type Audit, auditOf, type JudgeSetting } from "./audit.js";
import type { JudgedRun, Judgement } from "./judgement.js";
import { type CountedVerdict, countedAs, countedRange, verdictInterval } from "./scores.js";
import { ruleOf, twoDigits } from "./text.js";

export interface AuditRecords {
  readonly cells: readonly Cell[];
  /** The first is the headline. */
  readonly settings: readonly JudgedRun[];
  /** The headline's setting once more. */
  readonly again: JudgedRun;
  /** Of each setting, its verdicts on one answer to all questions, in place of the first arm's replies. */
  readonly constants: readonly JudgedRun[];
}

/** The audit of these judgements, and its table: a row an arm, a column a setting. */
export function auditTable({ cells, settings, again, constants }: AuditRecords): { audit: Audit; table: Table } {
  const arms = armsOf(cells).filter((arm) => settings.some(({ judgements }) => isJudged(judgements, arm)));
  const named = arms.map(([cell]) => ({
    task: cell!.task, // no arm is empty
    label: armLabel({ method: cell!.method, variant: variantOf(cell!, cells) }),
  }));
  const label = ({ facts }: JudgedRun) => `${facts.judge} ${facts.model}`;
  const settingOf = (one: JudgedRun): JudgeSetting => ({
    label: label(one),
    arms: arms.map((arm) => verdictsOf(one, arm)),
  });
  const judged = settings.map(settingOf);
  const repeat = settingOf(again);
  const audit = auditOf({ arms: named, settings: judged, again: repeat, seed: cells[0]?.seed ?? 0 });
  const facts = [...settings, again].map((one) => one.facts);
  const hasOneScale = new Set(facts.map(({ range }) => range.join())).size === 1;
  const rowOf = (head: readonly string[], of: readonly (readonly [JudgedRun, readonly Cell[]])[]) => {
    const scores = of.map(([one, arm]) => {
      const verdicts = verdictsOf(one, arm);
      const isReference = ofArm(one.judgements, arm).length === 0; // 0 by its definition
      const interval = isReference
        ? undefined
        : verdictInterval(verdicts, countedRange(one.facts.range, ruleOf(one.facts)));
      return { value: mean(verdicts.map(({ value }) => value)), interval };
    });
    const known = scores.slice(0, settings.length).flatMap(({ value }) => value ?? []);
    return [...head, ...scores, hasOneScale && known.length > 1 ? Math.max(...known) - Math.min(...known) : undefined];
  };
  const table: Table = {
    title: `${sentenceOf(audit, judged)}${headingMark(facts)}`,
    warnings: [...new Set(settings.flatMap((one) => warningsOf(one, label(one))))],
    keys: 2,
    columns: [
      { title: "task" },
      { title: "method" },
      ...[...judged.map((one) => one.label), `${judged[0]!.label}, again`].map((title) => ({
        title,
        format: twoDigits,
        interval: true,
      })),
      { title: "spread", format: twoDigits },
    ],
    rows: [
      ...named.map(
        ({ task, label }, a) =>
          rowOf(
            [task, label],
            [...settings, again].map((one) => [one, arms[a]!] as const),
          ), // one each
      ),
      ...[...new Set(named.map(({ task }) => task))].map((task) => {
        const asked = ({ judgements }: JudgedRun) =>
          cells.filter(({ id, task: of }) => of === task && judgements.some(({ cell }) => cell === id));
        return rowOf([task, "(constant answer)"], [...constants.map((one) => [one, asked(one)] as const), [again, []]]);
      }),
    ],
    notes: notesOf(audit),
    legend: [
      "Spread: the highest less the lowest mean of an arm over the settings. Constant answer: one sentence in place of every reply.",
    ],
  };
  return { audit, table };
}

const share = (value: number | undefined): string => (value === undefined ? "-" : value.toFixed(2));

function sentenceOf({ verdict, reversals, shown, pairs }: Audit, settings: readonly JudgeSetting[]): string {
  const [reversal] = reversals;
  if (reversal !== undefined) {
    const [better, worse] = reversal.arms;
    const more = reversals.length === 1 ? "" : `; ${countOf(reversals.length - 1, "more pair")} likewise`;
    return `${verdict}: on ${reversal.task} ${better} is better than ${worse} by ${reversal.settings[0]} and worse by ${reversal.settings[1]}, both shown${more}`;
  }
  const first = `${settings[0]!.label} shows ${shown} of ${countOf(pairs, "pair")} of arms to differ`;
  if (shown === 0) return `${verdict}: ${first}, so there is no order that could change`;
  return verdict === "ORDER HOLDS"
    ? `${verdict}: ${first}, in the same order under all ${settings.length} settings`
    : `${verdict}: ${first}; not every setting has that order, but none shows another one`;
}

function warningsOf({ facts, judgements }: JudgedRun, label: string): string[] {
  const unread = judgements.filter(({ judged }) => judged.kind !== "judged").length;
  return [
    ...(unread === 0 ? [] : [`${label}: ${unread} of ${countOf(judgements.length, "verdict")} unjudged or failed`]),
    ...(facts.ownReplies ? [`${facts.model} judges replies that it wrote itself: take them with care`] : []),
  ];
}

function notesOf({ tau, tauAgain, flips, flipsAgain }: Audit): string[] {
  const shown = ({ share: value, interval }: Audit["flips"]) =>
    `${share(value)} [${interval === undefined ? "-" : `${share(interval.low)}, ${share(interval.high)}`}]`;
  return [
    `Kendall's tau-b of the orders: median ${share(tau.median)}, lowest ${share(tau.lowest)}; of the first setting and its repeat ${share(tauAgain)}`,
    `pairs of arms in another order than in the first setting: ${shown(flips)}; in its repeat, which is noise alone: ${shown(flipsAgain)} [95 %, users drawn anew]`,
  ];
}

const isJudged = (judgements: readonly Judgement[], arm: readonly Cell[]): boolean =>
  ofArm(judgements, arm).length > 0 || comparedWith(judgements, arm).length > 0;

const comparedWith = (judgements: readonly Judgement[], arm: readonly Cell[]): Judgement[] =>
  judgements.filter(({ against }) => arm.some(({ id }) => id === against?.cell));

/** One verdict a question, the mean of its repeats. Of a comparison 0 where the order decided, and for the arm compared with. */
function verdictsOf({ facts, judgements }: JudgedRun, arm: readonly Cell[]): CountedVerdict[] {
  const own = [...groupBy(ofArm(judgements, arm), ({ cell, question }) => `${cell} ${question}`).values()];
  const values = own.flatMap((showings): CountedVerdict[] => {
    const { user, question } = showings[0]!; // no group is empty
    const found = showings.map((one) => {
      const value = countedAs(one, ruleOf(facts));
      return value === undefined ? undefined : one.against?.shownFirst === true ? -value : value;
    });
    const [value] = found;
    if (value === undefined || found.includes(undefined)) return [];
    return [{ user, question, value: found.every((one) => one === value) ? value : 0 }];
  });
  const others = comparedWith(judgements, arm).map(({ user, question }) => ({ user, question, value: 0 }));
  return [...groupBy([...values, ...others], ({ question }) => question).values()].map((of) => ({
    ...of[0]!,
    value: mean(of.map(({ value }) => value))!, // no group is empty
  }));
}
