import { resolve } from "node:path";
import { readText } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import type { UtilitiesNote } from "../../notes/note.js";
import { notesOf } from "../../notes/read-note.js";
import type { PairVerdict, WinRates } from "../../report/judgements/win-rates.js";
import { cutAt } from "../../statistics/separation.js";
import { countOf, nounOf } from "../../text/count.js";
import { withoutMark } from "../../text/file-trouble.js";
import { openRunFolder } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { type HumanLabels, labelOf, readLabels } from "./labels.js";
import { armName } from "./material.js";
import { type Apart, apartLines, apartOf, decidedLines, share } from "./utilities.js";
import { ratesText } from "./wins.js";

export { winRates } from "../../report/judgements/win-rates.js";

interface EvaluateSettings {
  readonly run: string;
  readonly labels: string;
  /** Verdicts of a judge over pairs of answers, JSON Lines. */
  readonly verdicts?: string | undefined;
}

/** H1 to H2 of RUMS for one arm of a run. */
interface SelectionReport {
  readonly name: string;
  /** Questions that people call personal, and others; one that was asked for several users counts for each. */
  readonly personal: number;
  readonly others: number;
  /** H1; undefined where no utility was measured. */
  readonly utilities: Apart | undefined;
  /** H1': a question counts as personalized where anything was chosen. NaN, in JSON null, without questions of that kind. */
  readonly recall: number;
  readonly specificity: number;
  /** H2, over questions for which people named items; undefined where they named none. */
  readonly items:
    | { readonly precision: number; readonly recall: number; readonly f1: number; readonly questions: number }
    | undefined;
  /** Mean number of chosen items. */
  readonly chosen: number;
  /** Over the personal questions; undefined where no chosen set was scored with its parts (rums.search=exhaustive does). */
  readonly gaps: Gaps | undefined;
}

/** Selections of a finished run beside what people said. Only reads. Throws UsageError where nothing was selected. */
export function evaluateSelections({ run, labels }: EvaluateSettings, io: Pick<Io, "cwd">): SelectionReport[] {
  const folder = openRunFolder(run, io.cwd);
  const known = readLabels(labels, io.cwd);
  const { cells } = folder.manifest.plan;
  const groups = new Map<string, Choice[]>(cells.map((cell) => [armName(cell, cells), []])); // in the order of the plan
  for (const { cell: id, question, notes } of folder.traces) {
    const cell = folder.cell(id);
    if (cell === undefined || question === undefined || cell.repeat > 0) continue;
    const label = labelOf(question, known);
    const [events] = notesOf(notes, "retrieved");
    if (label === undefined || events === undefined) continue;
    const name = armName(cell, cells);
    const [utilities] = notesOf(notes, "utilities");
    const choice = { question, label, events, utilities };
    groups.set(name, [...(groups.get(name) ?? []), choice]);
  }
  const chosen = [...groups].filter(([, choices]) => choices.length > 0);
  if (chosen.length === 0)
    throw new UsageError(
      `${run}: for no question of --labels ${labels} are the chosen past items on record; are they labels of this run's questions?`,
    );
  return chosen.map(([name, choices]) => reportOf(name, choices));
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

/** Reads verdicts, one JSON object a line. Throws UsageError naming the line. */
export function readVerdicts(path: string, cwd: string): PairVerdict[] {
  const lines = withoutMark(readText(resolve(cwd, path))).split("\n");
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

/** One block an arm. */
export function renderSelections(reports: readonly SelectionReport[], rates?: WinRates): string {
  const blocks = reports.map(({ name, personal, others, utilities, recall, specificity, items, chosen, gaps }) =>
    [
      `${name}: ${personal} ${nounOf(personal, "personal question")}, ${others} ${nounOf(others, "other")}, ${chosen.toFixed(2)} items chosen on average`,
      ...(utilities === undefined ? [] : apartLines(utilities)),
      `  H1'  something was chosen: recall ${share(recall)}, specificity ${share(specificity)}`,
      ...(utilities === undefined ? [] : decidedLines(utilities)),
      ...(items === undefined
        ? []
        : [
            `  H2   precision ${items.precision.toFixed(3)}, recall ${items.recall.toFixed(3)}, F1 ${items.f1.toFixed(3)}: means over ${countOf(items.questions, "sample")}, none against none is 1`,
          ]),
      ...(gaps === undefined ? [] : [`  A.4  ${gapsText(gaps)}`]),
    ].join("\n"),
  );
  const judged = rates === undefined ? [] : [`  H3   ${ratesText(rates)}`];
  return [...blocks, ...judged].join("\n\n");
}

interface Choice {
  readonly question: string;
  readonly label: HumanLabels[string];
  readonly events: readonly string[];
  readonly utilities: UtilitiesNote | undefined;
}

function reportOf(name: string, choices: readonly Choice[]): SelectionReport {
  const personal = choices.filter(({ label }) => label.personal);
  const others = choices.filter(({ label }) => !label.personal);
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
    utilities: apartOf(
      choices.map(({ question, label, utilities }) => ({
        question,
        isPersonal: label.personal,
        best: utilities?.best,
        threshold: utilities?.threshold,
      })),
    ),
    recall,
    specificity,
    items:
      scores.length === 0
        ? undefined
        : { precision: mean("precision"), recall: mean("recall"), f1: mean("f1"), questions: scores.length },
    gaps: gapsOf(personal.flatMap(({ utilities }) => utilities ?? [])),
    chosen: choices.reduce((sum, { events }) => sum + events.length, 0) / choices.length,
  };
}

const ratio = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

function verdictOf(line: string): PairVerdict | undefined {
  let value: Partial<PairVerdict> | null;
  try {
    value = JSON.parse(line) as Partial<PairVerdict> | null;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  const { question, winner, confidence, ownFirst } = value ?? {};
  if (typeof question !== "string" || typeof confidence !== "number" || typeof ownFirst !== "boolean") return undefined;
  return winner === 0 || winner === 1 || winner === 2 ? { question, winner, confidence, ownFirst } : undefined;
}

/** How far the utility of sets is from the sum of their items' (RUMS A.4, table 5). */
interface Gaps {
  /** Mean of |U(S) - sum U(i)| / U(S): the paper calls it normalized and does not say by what. */
  readonly subset: number;
  /** Mean over the items behind the first of |U(S_i) - U(S_i-1) - U(i)|, nats. */
  readonly sequential: number;
  /** Chosen sets of two items or more whose parts were scored too. */
  readonly sets: number;
}

/** Of the best set of each question, where it has two items or more and its beginnings and items were scored by themselves. */
export function gapsOf(measured: readonly UtilitiesNote[]): Gaps | undefined {
  const found = measured.flatMap((one) => gapOf(one) ?? []);
  if (found.length === 0) return undefined;
  const mean = (part: "subset" | "sequential"): number => found.reduce((sum, one) => sum + one[part], 0) / found.length;
  return { subset: mean("subset"), sequential: mean("sequential"), sets: found.length };
}

/** In one line. */
export const gapsText = ({ subset, sequential, sets }: Gaps): string =>
  `sets and their items: |U(S) - sum of U(i)| is ${subset.toFixed(3)} of U(S), |step - U(i)| is ${sequential.toFixed(3)} nats; means over ${countOf(sets, "chosen set")} of two items or more`;

function gapOf({ scored, best }: UtilitiesNote): Omit<Gaps, "sets"> | undefined {
  const chosen = scored.find(({ utility }) => utility === best)?.events;
  if (best === null || best <= 0 || chosen === undefined || chosen.length < 2) return undefined;
  const byKey = new Map(scored.map(({ events, utility }) => [keyOf(events), utility]));
  const steps: number[] = [];
  let [sum, before] = [0, 0];
  for (const [at, event] of chosen.entries()) {
    const [alone, together] = [byKey.get(keyOf([event])), byKey.get(keyOf(chosen.slice(0, at + 1)))];
    if (alone === undefined || together === undefined) return undefined;
    if (at > 0) steps.push(Math.abs(together - before - alone));
    sum += alone;
    before = together;
  }
  return {
    subset: Math.abs(best - sum) / best,
    sequential: steps.reduce((all, step) => all + step, 0) / steps.length,
  };
}

const keyOf = (events: readonly string[]): string => JSON.stringify(events); // in the order of the candidates
