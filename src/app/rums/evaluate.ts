import { resolve } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { notesOf } from "../../notes/read-note.js";
import {
  cutAt,
  type Divergence,
  jensenShannon,
  type Kolmogorov,
  kolmogorovSmirnov,
} from "../../statistics/separation.js";
import { openRunFolder } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type HumanLabels, readLabels } from "./labels.js";

export interface EvaluateSettings {
  readonly run: string;
  readonly labels: string;
  /** Verdicts of a judge over pairs of answers, JSON Lines. */
  readonly verdicts?: string | undefined;
}

/** H1 to H2 of papers/002 for one method of a run. */
export interface SelectionReport {
  readonly name: string;
  /** Questions that people call personal, and others. */
  readonly personal: number;
  readonly others: number;
  /** H1, where utilities were measured: mean of the largest utility over the users of a question. */
  readonly divergence: Divergence | undefined;
  readonly test: Kolmogorov | undefined;
  /** H1': a question counts as personalized where anything was chosen. */
  readonly recall: number;
  readonly specificity: number;
  /** H2, over questions for which people named items; undefined where they named none. */
  readonly items:
    | { readonly precision: number; readonly recall: number; readonly f1: number; readonly questions: number }
    | undefined;
  /** Mean number of chosen items. */
  readonly chosen: number;
}

/** Selections of a finished run beside what people said. Only reads. Throws UsageError where nothing was selected. */
export function evaluateSelections({ run, labels }: EvaluateSettings, io: Pick<Io, "cwd">): SelectionReport[] {
  const folder = openRunFolder(run, io.cwd);
  const known = readLabels(labels, io.cwd);
  const groups = new Map<string, Choice[]>();
  for (const { cell: id, question, notes } of folder.traces) {
    const cell = folder.cell(id);
    if (cell === undefined || question === undefined || cell.repeat > 0) continue;
    const label = labelOf(question, known);
    const [events] = notesOf(notes, "retrieved");
    if (label === undefined || events === undefined) continue;
    const name = `${cell.method}${cell.options.select === undefined ? "" : ` select=${cell.options.select}`}`;
    const [utilities] = notesOf(notes, "utilities");
    const choice = { question, label, events, best: utilities?.best ?? undefined };
    groups.set(name, [...(groups.get(name) ?? []), choice]);
  }
  if (groups.size === 0) throw new UsageError(`${run}: no question of --labels ${labels} was selected for`);
  return [...groups].map(([name, choices]) => reportOf(name, choices));
}

/** H2 by sample: equal empty sets are right. */
export function setScores(
  chosen: readonly string[],
  wanted: readonly string[],
): { precision: number; recall: number; f1: number } {
  if (chosen.length === 0 && wanted.length === 0) return { precision: 1, recall: 1, f1: 1 };
  const hits = chosen.filter((id) => wanted.includes(id)).length;
  const [precision, recall] = [ratio(hits, chosen.length), ratio(hits, wanted.length)];
  return { precision, recall, f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

/** A judge's word on two answers to one question. */
export interface PairVerdict {
  readonly question: string;
  /** `1`: the answer shown first is better; `2`: the second; `0`: neither. */
  readonly winner: 0 | 1 | 2;
  /** 1 to 100. */
  readonly confidence: number;
  /** Whether the own method's answer stood first. */
  readonly ownFirst: boolean;
}

/** H3: (wins - losses) / pairs, of the method whose answers are called own. */
export interface WinRates {
  /** Both orders: a win counts where both orders agree, so that a judge who likes one place decides nothing. */
  readonly both: number | undefined;
  readonly pairs: number;
  /** As published: the own answer first alone, only verdicts of the 70th percentile of confidence or above. */
  readonly published: number | undefined;
  readonly kept: number;
}

export function winRates(verdicts: readonly PairVerdict[]): WinRates {
  const byQuestion = new Map<string, PairVerdict[]>();
  for (const one of verdicts) byQuestion.set(one.question, [...(byQuestion.get(one.question) ?? []), one]);
  const pairs = [...byQuestion.values()].flatMap((orders) => {
    const [first, second] = [orders.find(({ ownFirst }) => ownFirst), orders.find(({ ownFirst }) => !ownFirst)];
    return first === undefined || second === undefined ? [] : [[ownGain(first), ownGain(second)] as const];
  });
  const both = pairs.map(([a, b]) => (a === b ? a : 0)).reduce((sum, gain) => sum + gain, 0);
  const single = verdicts.filter(({ ownFirst }) => ownFirst);
  const least = percentile(
    single.map(({ confidence }) => confidence),
    PUBLISHED_PERCENTILE,
  );
  const kept = single.filter(({ confidence }) => confidence >= least);
  const gained = kept.reduce((sum, verdict) => sum + ownGain(verdict), 0);
  return {
    both: pairs.length === 0 ? undefined : both / pairs.length,
    pairs: pairs.length,
    published: kept.length === 0 ? undefined : gained / kept.length,
    kept: kept.length,
  };
}

/** Reads verdicts, one JSON object a line. Throws UsageError naming the line. */
export function readVerdicts(path: string, cwd: string): PairVerdict[] {
  const lines = readText(resolve(cwd, path)).split("\n");
  return lines.flatMap((line, at) => {
    if (line.trim() === "") return [];
    const verdict = verdictOf(line);
    if (verdict === undefined)
      throw new UsageError(
        `--verdicts ${path}: line ${at + 1}: expected {"question": "q1", "winner": 0, "confidence": 80, "ownFirst": true}`,
      );
    return [verdict];
  });
}

/** One block a method. */
export function renderSelections(reports: readonly SelectionReport[], rates?: WinRates): string {
  const blocks = reports.map(({ name, personal, others, divergence, test, recall, specificity, items, chosen }) =>
    [
      `${name}: ${personal} personal questions, ${others} others, ${chosen.toFixed(2)} items chosen on average`,
      ...(divergence === undefined || test === undefined
        ? []
        : [
            `  H1   JS ${divergence.nats.toFixed(3)} nats = ${divergence.bits.toFixed(3)} bits (${divergence.bins.count} equal bins from ${divergence.bins.from.toFixed(3)} to ${divergence.bins.to.toFixed(3)}), KS ${test.statistic.toFixed(3)}, p ${test.p.toPrecision(2)}`,
          ]),
      `  H1'  recall ${recall.toFixed(3)}, specificity ${specificity.toFixed(3)}`,
      ...(items === undefined
        ? []
        : [
            `  H2   precision ${items.precision.toFixed(3)}, recall ${items.recall.toFixed(3)}, F1 ${items.f1.toFixed(3)}: means over ${items.questions} samples, none against none is 1`,
          ]),
    ].join("\n"),
  );
  const judged =
    rates === undefined
      ? []
      : [
          `  H3   win rate ${shown(rates.both)} over ${rates.pairs} pairs in both orders; published rule, one order and confident verdicts alone: ${shown(rates.published)} over ${rates.kept}`,
        ];
  return [...blocks, ...judged].join("\n\n");
}

// --- internal ---

const PUBLISHED_PERCENTILE = 0.7;

interface Choice {
  readonly question: string;
  readonly label: HumanLabels[string];
  readonly events: readonly string[];
  readonly best: number | undefined;
}

/** `q12@p3` is question q12 asked for profile p3. */
const labelOf = (question: string, known: HumanLabels): HumanLabels[string] | undefined =>
  known[question] ?? known[question.split("@")[0] ?? ""];

function reportOf(name: string, choices: readonly Choice[]): SelectionReport {
  const personal = choices.filter(({ label }) => label.personal);
  const others = choices.filter(({ label }) => !label.personal);
  const samples = { high: meansOf(personal), low: meansOf(others) };
  const decided = (of: readonly Choice[]): number[] => of.map(({ events }) => (events.length > 0 ? 1 : 0));
  const { recall, specificity } = cutAt({ high: decided(personal), low: decided(others) }, 0.5);
  const named = choices.filter(({ label }) => label.items !== undefined);
  const scores = named.map(({ events, label }) => setScores(events, label.items ?? []));
  const mean = (part: "precision" | "recall" | "f1"): number =>
    scores.reduce((sum, score) => sum + score[part], 0) / scores.length;
  return {
    name,
    personal: personal.length,
    others: others.length,
    divergence: jensenShannon(samples),
    test: kolmogorovSmirnov(samples),
    recall,
    specificity,
    items:
      scores.length === 0
        ? undefined
        : { precision: mean("precision"), recall: mean("recall"), f1: mean("f1"), questions: scores.length },
    chosen: choices.reduce((sum, { events }) => sum + events.length, 0) / choices.length,
  };
}

/** The largest utility of each question, averaged over the users that it was asked for. */
function meansOf(choices: readonly Choice[]): number[] {
  const byQuestion = new Map<string, number[]>();
  for (const { question, best } of choices) {
    const key = question.split("@")[0] ?? question;
    if (best !== undefined && best !== null) byQuestion.set(key, [...(byQuestion.get(key) ?? []), best]);
  }
  return [...byQuestion.values()].map((values) => values.reduce((sum, value) => sum + value, 0) / values.length);
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

/** 1 where the own answer wins, -1 where the other does. */
const ownGain = ({ winner, ownFirst }: PairVerdict): number =>
  winner === 0 ? 0 : (winner === 1) === ownFirst ? 1 : -1;

/** The value that a share of the others lie below; none of them: minus infinity. */
function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NEGATIVE_INFINITY;
}

function verdictOf(line: string): PairVerdict | undefined {
  let value: Partial<PairVerdict>;
  try {
    value = JSON.parse(line) as Partial<PairVerdict>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { question, winner, confidence, ownFirst } = value;
  if (typeof question !== "string" || typeof confidence !== "number" || typeof ownFirst !== "boolean") return undefined;
  return winner === 0 || winner === 1 || winner === 2 ? { question, winner, confidence, ownFirst } : undefined;
}

const shown = (rate: number | undefined): string => (rate === undefined ? "unknown" : rate.toFixed(3));
