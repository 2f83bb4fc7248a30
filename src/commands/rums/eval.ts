import type { Command } from "commander";
import { UsageError } from "../../errors.js";
import { type ColumnOf, dash, rowsOfItems } from "../../report/table.js";
import { renderText } from "../../report/tables/text.js";
import { groupBy } from "../../results/grouped.js";
import { type WinRates, winRates } from "../../results/judge-scores.js";
import {
  agreementOf,
  type Choice,
  type Gaps,
  gapsOf,
  type SelectionMeans,
  selectionMeans,
  splitsOf,
} from "../../results/selections.js";
import { type Apart, apartOf } from "../../results/utilities.js";
import type { Io } from "../../run/io.js";
import { readJudgements } from "../../run/judgements.js";
import { openRunFolder } from "../../run/stored-run.js";
import type { Terminal } from "../terminal.js";
import { labelOf, readLabels } from "./labels.js";
import { armName, choicesOf } from "./material.js";

/** `lamp-eval rums eval RUN`: a run's choices beside what people said, H1 to H3 of RUMS. Only reads. */
export function addEval(rums: Command, io: Terminal): void {
  rums
    .command("eval")
    .description("set a run's choices beside what people said: hypotheses H1, H1', H2 and H3 of the RUMS paper")
    .argument("<run>", "run folder")
    .option("--labels <file.json>", "what people said, by question id (default: the labels of the built-in data)")
    .option("--json", "print as JSON")
    .action((run: string, { labels, json }: { readonly labels?: string; readonly json?: boolean }) => {
      const reports = evaluateSelections({ run, labels }, io);
      const wins = judgedWins(run, labels, io);
      const blocks = [renderSelections(reports), ...(wins.length === 0 ? [] : [renderWins(wins)])];
      io.out(json === true ? JSON.stringify({ reports, wins }, undefined, 2) : blocks.join("\n\n"));
    });
}

/** H1 to H2 of RUMS for one arm of a run. */
interface SelectionReport {
  readonly name: string;
  /** Over all questions, those that gain, the others, and the data sets that the labels name. */
  readonly splits: readonly (SelectionMeans & { readonly name: string })[];
  /** H1; undefined where no utility was measured. */
  readonly utilities: Apart | undefined;
  /** H1': a question counts as personalized where anything was chosen. NaN, in JSON null, without questions of that kind. */
  readonly recall: number;
  readonly specificity: number;
  /** Over the personal questions; undefined where no chosen set was scored with its parts (rums.search=exhaustive and greedy do). */
  readonly gaps: Gaps | undefined;
}

/** Sets the selections of a run beside what people said. Throws UsageError where nothing was selected for a question with labels. */
export function evaluateSelections(
  { run, labels }: { readonly run: string; readonly labels?: string | undefined },
  io: Pick<Io, "cwd">,
): SelectionReport[] {
  const arms = choicesOf(openRunFolder(run, io.cwd), readLabels(labels, io.cwd));
  if (arms.length > 0) return arms.map(({ name, choices }) => reportOf(name, choices));
  throw new UsageError(
    `${run}: no question has both labels${labels === undefined ? "" : ` in ${labels}`} and a record of what was chosen; are these the labels of this run's questions? (--labels FILE)`,
  );
}

function reportOf(name: string, choices: readonly Choice[]): SelectionReport {
  const splits = [...splitsOf(choices)].filter(([, of]) => of.length > 0);
  const personal = choices.flatMap(({ label, utilities }) => (label.personal ? (utilities ?? []) : []));
  return {
    name,
    splits: splits.map(([split, of]) => ({ name: split, ...selectionMeans(of) })),
    utilities: apartOf(choices),
    ...agreementOf(choices),
    gaps: gapsOf(personal),
  };
}

type Line = SelectionReport["splits"][number] & { readonly arm: string };

const two = (value: number): string => value.toFixed(2);
const three = (value: number): string => (Number.isNaN(value) ? dash : value.toFixed(3));

/** Prints a table of all arms by kind of question and data set, then what utilities say of each. */
export function renderSelections(reports: readonly SelectionReport[]): string {
  const lines = reports.flatMap(({ name, splits }) => splits.map((split): Line => ({ ...split, arm: name })));
  return renderText(
    { ...rowsOfItems(filled(SPLITS, lines), lines), keys: 2, legend: LEGEND },
    { ...rowsOfItems(filled(DECISIONS, reports), reports), legend: DECISIONS_LEGEND },
  );
}

/** The columns that have a value. */
const filled = <T>(columns: readonly ColumnOf<T>[], items: readonly T[]): ColumnOf<T>[] =>
  columns.filter(({ cell }) => items.some((item) => cell(item) !== undefined));

const SPLITS: readonly ColumnOf<Line>[] = [
  { title: "arm", cell: ({ arm }) => arm },
  { title: "questions", cell: ({ name }) => name },
  { title: "n", format: String, cell: ({ questions }) => questions },
  { title: "items", format: two, cell: ({ chosen }) => chosen },
  { title: "extra tokens", format: two, cell: ({ extraTokens }) => extraTokens },
  { title: "select calls", format: two, cell: ({ selectCalls }) => selectCalls },
  { title: "select tokens", format: two, cell: ({ selectTokens }) => selectTokens },
  { title: "precision", format: three, cell: ({ items }) => items?.precision },
  { title: "recall", format: three, cell: ({ items }) => items?.recall },
  { title: "F1", format: three, cell: ({ items }) => items?.f1 },
  { title: "filter recall", format: three, cell: ({ filtered }) => filtered?.recall },
];

const LEGEND = [
  "items: events shown a question; extra tokens: prompt tokens of the answer beyond those of an arm that shows nothing (select=none); select: calls and tokens of choosing itself",
  "precision, recall, F1 (H2): means over questions for which people named items, none against none is 1; filter recall: of the candidates that rums.filter let through, over personal questions",
];

const DECISIONS: readonly ColumnOf<SelectionReport>[] = [
  { title: "arm", cell: ({ name }) => name },
  { title: "personal", format: three, cell: ({ utilities }) => utilities?.personal.mean },
  { title: "SD", format: three, cell: ({ utilities }) => utilities?.personal.deviation },
  { title: "other", format: three, cell: ({ utilities }) => utilities?.others.mean },
  { title: "SD of other", format: three, cell: ({ utilities }) => utilities?.others.deviation },
  { title: "not measured", format: String, cell: ({ utilities }) => utilities?.unmeasured },
  { title: "JS nats", format: three, cell: ({ utilities }) => utilities?.divergence?.nats },
  { title: "KS", format: three, cell: ({ utilities }) => utilities?.test?.statistic },
  { title: "recall", format: three, cell: ({ recall }) => recall },
  { title: "specificity", format: three, cell: ({ specificity }) => specificity },
  { title: "recall by mean", format: three, cell: ({ utilities }) => utilities?.decided?.recall },
  { title: "specificity by mean", format: three, cell: ({ utilities }) => utilities?.decided?.specificity },
  { title: "gap of sets", format: three, cell: ({ gaps }) => gaps?.subset },
  { title: "gap of steps", format: three, cell: ({ gaps }) => gaps?.sequential },
];

const DECISIONS_LEGEND = [
  "personal, other (H1): mean over questions of the largest utility, nats, those not measured left out; JS: divergence of the two over 20 equal bins; KS: distance of Kolmogorov and Smirnov",
  "recall, specificity (H1'): a question counts as personalized where anything was chosen; by mean: where its mean utility over users is at the threshold or above",
  "gaps (A.4), of chosen sets of two items or more: |U(S) - sum of U(i)| as a share of U(S); |step - U(i)| in nats",
];

/** H3 of RUMS: what a judge said of one method's answers against another's. */
interface JudgedWins {
  readonly name: string;
  readonly against: string;
  /** `provider/model`; a simulated one says so. */
  readonly judge: string;
  readonly all: WinRates;
  /** Of the questions that people call personal, and of the others. */
  readonly personal: WinRates;
  readonly others: WinRates;
}

/** Reads H3 of every judge with confidence that compared answers of a run (`judge --judge profile-pair --against METHOD`). */
export function judgedWins(run: string, labels: string | undefined, io: Pick<Io, "cwd">): JudgedWins[] {
  const folder = openRunFolder(run, io.cwd);
  const known = readLabels(labels, io.cwd);
  return readJudgements(folder.path).flatMap(({ facts: { against, model, simulated }, judgements }) =>
    [...groupBy(judgements, ({ cell }) => cell)].flatMap(([id, ofCell]): JudgedWins[] => {
      const [cell, all] = [folder.cell(id), winRates(ofCell)];
      if (cell === undefined || against === undefined || all.kept === 0) return [];
      const ratesOf = (personal: boolean): WinRates =>
        winRates(ofCell.filter(({ question }) => labelOf(question, known)?.personal === personal));
      const judge = `${model}${simulated ? " (SIMULATED)" : ""}`;
      const name = armName(cell, folder.manifest.plan.cells);
      return [{ name, against, judge, all, personal: ratesOf(true), others: ratesOf(false) }];
    }),
  );
}

/** Prints a line a comparison and kind of question. */
export function renderWins(wins: readonly JudgedWins[]): string {
  const lines = wins.flatMap((one) =>
    (["all", "personal", "others"] as const).map((kind): WinLine => ({ ...one, kind, rates: one[kind] })),
  );
  const legend = [
    "net win rate (H3): (wins - losses) / pairs, from -1 to 1, each pair asked in both orders; published: own reply first, confidence at the 70th percentile or above",
  ];
  return renderText({ ...rowsOfItems(WINS, lines), keys: 4, legend });
}

type WinLine = JudgedWins & { readonly kind: string; readonly rates: WinRates };

const WINS: readonly ColumnOf<WinLine>[] = [
  { title: "arm", cell: ({ name }) => name },
  { title: "against", cell: ({ against }) => against },
  { title: "judge", cell: ({ judge }) => judge },
  { title: "questions", cell: ({ kind }) => kind },
  { title: "net win rate", format: three, cell: ({ rates }) => rates.both },
  { title: "pairs", format: String, cell: ({ rates }) => rates.pairs },
  { title: "published", format: three, cell: ({ rates }) => rates.published },
  { title: "kept", format: String, cell: ({ rates }) => rates.kept },
];
