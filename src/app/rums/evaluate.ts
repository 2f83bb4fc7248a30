import { type ColumnOf, rowsOfItems } from "../../report/table.js";
import { renderText } from "../../report/tables/text.js";
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
import { openRunFolder } from "../../run/stored-run.js";
import { countOf } from "../../text/count.js";
import { choicesOf, labelsOf, refuseUnlabelled } from "./choices.js";

interface EvaluateSettings {
  readonly run: string;
  /** What people said; absent: the labels of the built-in data. */
  readonly labels?: string | undefined;
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

/** Selections of a finished run beside what people said. Only reads. Throws UsageError where nothing was selected. */
export function evaluateSelections({ run, labels }: EvaluateSettings, io: Pick<Io, "cwd">): SelectionReport[] {
  const arms = choicesOf(openRunFolder(run, io.cwd), labelsOf(labels, io.cwd));
  refuseUnlabelled(run, labels, arms);
  return arms.map(({ name, choices }) => reportOf(name, choices));
}

function reportOf(name: string, choices: readonly Choice[]): SelectionReport {
  const splits = [...splitsOf(choices)].filter(([, of]) => of.length > 0);
  return {
    name,
    splits: splits.map(([split, of]) => ({ name: split, ...selectionMeans(of) })),
    utilities: apartOf(choices),
    ...agreementOf(choices),
    gaps: gapsOf(
      choices.flatMap(({ label, utilities }) => (label.personal && utilities !== undefined ? [utilities] : [])),
    ),
  };
}

/** A table of all arms by kind of question and data set, then what utilities say of each. */
export function renderSelections(reports: readonly SelectionReport[]): string {
  const lines = reports.flatMap(({ name, splits }) => splits.map((split) => ({ ...split, arm: name })));
  const shown = COLUMNS.filter(({ key, cell }) => key === undefined || lines.some((line) => cell(line) !== undefined));
  const blocks = reports.map(({ name, utilities, recall, specificity, gaps }) =>
    [
      name,
      ...(utilities === undefined ? [] : apartLines(utilities)),
      `  H1'  something was chosen: recall ${share(recall)}, specificity ${share(specificity)}`,
      ...(utilities === undefined ? [] : decidedLines(utilities)),
      ...(gaps === undefined ? [] : [`  A.4  ${gapsText(gaps)}`]),
    ].join("\n"),
  );
  return [renderText({ ...rowsOfItems(shown, lines), keys: 2, legend: LEGEND }), ...blocks].join("\n\n");
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

/** In one line. */
export const gapsText = ({ subset, sequential, sets }: Gaps): string =>
  `sets and their items: |U(S) - sum of U(i)| is ${subset.toFixed(3)} of U(S), |step - U(i)| is ${sequential.toFixed(3)} nats; means over ${countOf(sets, "chosen set")} of two items or more`;
