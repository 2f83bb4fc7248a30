import type { UtilitiesNote } from "../notes/note.js";
import type { PhaseTotals, Spend } from "../types/index.js";
import { mean, meanOf } from "./samples.js";
import { cutAt } from "./separation.js";

/** What was chosen for a question, and what people say of it. */
export interface Choice {
  /** `q12@p3`: question q12 asked for profile p3. */
  readonly question: string;
  readonly label: QuestionLabel;
  /** Ids of the events that were shown. */
  readonly events: readonly string[];
  readonly utilities: UtilitiesNote | undefined;
  readonly spend: Spend;
  /** Prompt tokens of the answer to the same question with nothing of the past; undefined where no arm showed nothing. */
  readonly plainTokens: number | undefined;
  /** Of the question, preparation left out; undefined where it was answered from the store. */
  readonly seconds?: number | undefined;
}

interface QuestionLabel {
  /** True where the question gains from what is known of the user. */
  readonly personal: boolean;
  /** Events that people chose. */
  readonly items?: readonly string[] | undefined;
  /** The data set that the question comes from. */
  readonly dataset?: string | undefined;
}

/** Means over some questions of an arm. What nothing tells is undefined. */
export interface SelectionMeans {
  readonly questions: number;
  /** Events shown. */
  readonly chosen: number;
  /** The cost of memory: prompt tokens of the answer beyond those without any past. */
  readonly extraTokens: number | undefined;
  /** What choosing cost besides: its calls, and their tokens in and out. */
  readonly selectCalls: number;
  readonly selectTokens: number;
  /** H2 of RUMS, over questions for which people named items. */
  readonly items: SetScores | undefined;
  /** The same of what a filter let through, over questions that gain. */
  readonly filtered: SetScores | undefined;
}

interface SetScores {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly questions: number;
}

export function selectionMeans(choices: readonly Choice[]): SelectionMeans {
  const costs = choices.map(({ spend }) => selectionSpend(spend));
  return {
    questions: choices.length,
    chosen: meanOf(choices.map(({ events }) => events.length)),
    extraTokens: mean(
      choices.flatMap(({ spend, plainTokens }) =>
        plainTokens === undefined ? [] : [(spend.answer?.in ?? 0) - plainTokens],
      ),
    ),
    selectCalls: meanOf(costs.map(({ calls }) => calls)),
    selectTokens: meanOf(costs.map(({ tokens }) => tokens)),
    items: meanScores(choices, ({ events }) => events),
    filtered: meanScores(
      choices.filter(({ label, utilities }) => label.personal && utilities !== undefined),
      ({ utilities }) => utilities?.candidates ?? [],
    ),
  };
}

/** All questions, those that gain, the others, and those of each data set that the labels name, with their names. */
export function splitsOf(choices: readonly Choice[]): ReadonlyMap<string, readonly Choice[]> {
  const sets = [...new Set(choices.flatMap(({ label }) => label.dataset ?? []))];
  return new Map([
    ["all", choices],
    ["personal", choices.filter(({ label }) => label.personal)],
    ["other", choices.filter(({ label }) => !label.personal)],
    ...sets.map((name) => [name, choices.filter(({ label }) => label.dataset === name)] as const),
  ]);
}

/** H1' of RUMS: a question counts as personalized where anything was chosen. NaN without questions of a kind. */
export function agreementOf(choices: readonly Choice[]): { readonly recall: number; readonly specificity: number } {
  const decided = (personal: boolean): number[] =>
    choices.flatMap(({ label, events }) => (label.personal === personal ? [events.length > 0 ? 1 : 0] : []));
  const { recall, specificity } = cutAt({ high: decided(true), low: decided(false) }, 0.5);
  return { recall, specificity };
}

/** H2 by sample: equal empty sets are right. */
export function setScores(chosen: readonly string[], wanted: readonly string[]): Omit<SetScores, "questions"> {
  if (chosen.length === 0 && wanted.length === 0) return { precision: 1, recall: 1, f1: 1 };
  const hits = chosen.filter((id) => wanted.includes(id)).length;
  const [precision, recall] = [ratio(hits, chosen.length), ratio(hits, wanted.length)];
  return { precision, recall, f1: hits === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}

function meanScores(choices: readonly Choice[], of: (choice: Choice) => readonly string[]): SetScores | undefined {
  const scores = choices.flatMap((choice) =>
    choice.label.items === undefined ? [] : [setScores(of(choice), choice.label.items)],
  );
  if (scores.length === 0) return undefined;
  const part = (name: "precision" | "recall" | "f1"): number => meanOf(scores.map((one) => one[name]));
  return { precision: part("precision"), recall: part("recall"), f1: part("f1"), questions: scores.length };
}

/** How far the utility of sets is from the sum of their items' (RUMS A.4, table 5). */
export interface Gaps {
  /** Mean of (U(S) - sum U(i)) / U(S): the paper calls it normalized and does not say by what. */
  readonly subset: number;
  /** Mean over the items behind the first of U(S_i) - U(S_i-1) - U(i), nats. */
  readonly sequential: number;
  /** Chosen sets of two items or more whose parts were scored too. */
  readonly sets: number;
}

/** Of the best set of each question, where it has two items or more and its beginnings and items were scored by themselves. */
export function gapsOf(measured: readonly UtilitiesNote[]): Gaps | undefined {
  const found = measured.flatMap((one) => gapOf(one) ?? []);
  const [subset, sequential] = [mean(found.map((one) => one.subset)), mean(found.map((one) => one.sequential))];
  return subset === undefined || sequential === undefined ? undefined : { subset, sequential, sets: found.length };
}

function gapOf({ scored, best }: UtilitiesNote): Omit<Gaps, "sets"> | undefined {
  const chosen = scored.find(({ utility }) => utility === best)?.events;
  if (best === null || best <= 0 || chosen === undefined || chosen.length < 2) return undefined;
  const byKey = new Map(scored.map(({ events, utility }) => [keyOf(events), utility]));
  const order = scoredOrder(chosen, byKey);
  if (order === undefined) return undefined;
  const utilityOf = (events: readonly string[]): number => byKey.get(keyOf(events)) ?? Number.NaN;
  let [sum, before] = [0, 0];
  const steps = order.map((event, at) => {
    const [alone, together] = [utilityOf([event]), utilityOf(order.slice(0, at + 1))];
    const step = together - before - alone;
    sum += alone;
    before = together;
    return step;
  });
  return Number.isNaN(sum) ? undefined : { subset: (best - sum) / best, sequential: meanOf(steps.slice(1)) };
}

/** Returns the items in an order of which each prefix was scored: as given, else removing the item whose rest is best. */
function scoredOrder(chosen: readonly string[], byKey: ReadonlyMap<string, number>): readonly string[] | undefined {
  if (chosen.every((_, at) => byKey.has(keyOf(chosen.slice(0, at + 1))))) return chosen;
  const order: string[] = [];
  let left = [...chosen];
  while (left.length > 1) {
    const shorter = left
      .map((last) => ({ last, rest: left.filter((event) => event !== last) }))
      .filter(({ rest }) => byKey.has(keyOf(rest)))
      .sort((one, other) => byKey.get(keyOf(other.rest))! - byKey.get(keyOf(one.rest))!);
    const [best] = shorter;
    if (best === undefined) return undefined;
    order.unshift(best.last);
    left = best.rest;
  }
  return [...left, ...order];
}

const keyOf = (events: readonly string[]): string => JSON.stringify([...events].sort());

/** Calls of choosing, of whichever model, with their tokens. */
function selectionSpend(spend: Spend): { readonly calls: number; readonly tokens: number } {
  const phases = Object.entries(spend).flatMap(([phase, totals]): PhaseTotals[] =>
    phase.split("@")[0] === "select" && totals !== undefined ? [totals] : [],
  );
  return {
    calls: phases.reduce((sum, { calls }) => sum + calls, 0),
    tokens: phases.reduce((sum, one) => sum + one.in + one.out, 0),
  };
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
