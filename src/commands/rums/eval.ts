import type { Command } from "commander";
import { UsageError } from "../../errors.js";
import { type ColumnOf, rowsOfItems } from "../../report/table.js";
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
import { type Apart, apartLines, apartOf, decidedLines, share } from "../../results/utilities.js";
import type { Io } from "../../run/io.js";
import { readJudgements } from "../../run/judgements.js";
import { openRunFolder } from "../../run/stored-run.js";
import { countOf } from "../../text/count.js";
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

/** Prints a table of all arms by kind of question and data set, then what utilities say of each. */
export function renderSelections(reports: readonly SelectionReport[]): string {
  const lines = reports.flatMap(({ name, splits }) => splits.map((split) => ({ ...split, arm: name })));
  const columns = COLUMNS.filter(
    ({ key, cell }) => key === undefined || lines.some((line) => cell(line) !== undefined),
  );
  const blocks = reports.map(({ name, utilities, recall, specificity, gaps }) =>
    [
      name,
      ...(utilities === undefined ? [] : apartLines(utilities)),
      `  H1'  something was chosen: recall ${share(recall)}, specificity ${share(specificity)}`,
      ...(utilities === undefined ? [] : decidedLines(utilities)),
      ...(gaps === undefined ? [] : [gapsLine(gaps)]),
    ].join("\n"),
  );
  return [renderText({ ...rowsOfItems(columns, lines), keys: 2, legend: LEGEND }), ...blocks].join("\n\n");
}

type Line = SelectionReport["splits"][number] & { readonly arm: string };

const two = (value: number): string => value.toFixed(2);
const three = (value: number): string => value.toFixed(3);

const COLUMNS: readonly ColumnOf<Line>[] = [
  { title: "arm", cell: ({ arm }) => arm },
  { title: "questions", cell: ({ name }) => name },
  { title: "n", format: String, cell: ({ questions }) => questions },
  { title: "items", format: two, cell: ({ chosen }) => chosen },
  { title: "extra tokens", key: "extra", format: two, cell: ({ extraTokens }) => extraTokens },
  { title: "select calls", format: two, cell: ({ selectCalls }) => selectCalls },
  { title: "select tokens", format: two, cell: ({ selectTokens }) => selectTokens },
  { title: "precision", key: "precision", format: three, cell: ({ items }) => items?.precision },
  { title: "recall", key: "recall", format: three, cell: ({ items }) => items?.recall },
  { title: "F1", key: "f1", format: three, cell: ({ items }) => items?.f1 },
  { title: "filter recall", key: "filter", format: three, cell: ({ filtered }) => filtered?.recall },
];

const LEGEND = [
  "items: events shown a question; extra tokens: prompt tokens of the answer beyond those of an arm that shows nothing (select=none); select: calls and tokens of choosing itself",
  "precision, recall, F1 (H2): means over questions for which people named items, none against none is 1; filter recall: of the candidates that rums.filter let through, over personal questions",
];

const gapsLine = ({ subset, sequential, sets }: Gaps): string =>
  `  A.4  sets and their items: |U(S) - sum of U(i)| is ${three(subset)} of U(S), |step - U(i)| is ${three(sequential)} nats; means over ${countOf(sets, "chosen set")} of two items or more`;

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

/** Prints a block a comparison. */
export function renderWins(wins: readonly JudgedWins[]): string {
  const blocks = wins.map(({ name, against, judge, all, personal, others }) =>
    [
      `${name} against ${against}, judge ${judge}:`,
      `  H3   ${ratesText(all)}`,
      ...(personal.pairs + others.pairs === 0
        ? []
        : [`       personal: ${ratesText(personal)}`, `       others: ${ratesText(others)}`]),
    ].join("\n"),
  );
  return [...blocks, "net win rate: (wins - losses) / pairs, from -1 to 1"].join("\n\n");
}

const ratesText = ({ both, pairs, published, kept }: WinRates): string =>
  `net win rate ${rate(both)} over ${countOf(pairs, "pair")} in both orders; published rule (own reply first, confidence at the 70th percentile or above): ${rate(published)} over ${kept}`;

const rate = (value: number | undefined): string => (value === undefined ? "unknown" : three(value));
