import { isSignificant } from "../../statistics/significance.js";
import { nounOf } from "../../text/count.js";
import type { Cell, Row, SweepFacts, Task } from "../../types.js";
import { armLabel } from "../arms.js";
import { compareIfAny, correct } from "../compare/compare.js";
import type { MetricSummary } from "../metric-summary.js";
import { simulatedReason } from "../simulated.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import type { Summary } from "../summary.js";
import { footnotes, type Results, type TaskFacts } from "./results.js";
import { formatAmount, formatScore } from "./table.js";

export interface LatexMaterial extends Results {
  /** What a person calls the experiment. */
  readonly name?: string | undefined;
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
  /** Method that the others are tested against, e.g. `prompt`. Arms of other tasks or models are not. */
  readonly baseline: string;
  readonly complete: boolean;
  /** Where the arms are those of a sweep: an ablation shows its differences to the full method. */
  readonly sweep?: SweepFacts | undefined;
}

/** What the first line of a document says; documents of an earlier layout began otherwise. */
const latexHead =
  "% Needs \\usepackage{booktabs,graphicx}. Tables fit their column: small ones whole, wide ones in parts.";

/**
 * Tables for a paper, booktabs: methods by tasks where a run has several tasks, then one table per task and data set with 95 %
 * intervals, and, of an ablation, the differences to the full method. Best bold, second underlined, a dagger where the
 * difference to the baseline survives Holm's correction over all tests of the document (p at most .05). What only a log needs
 * stands in comments.
 */
export function renderLatex(material: LatexMaterial): string {
  const significant = testsOf(material);
  const tables = material.facts.flatMap((fact) => {
    const summaries = material.summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    return summaries.length === 0 ? [] : [taskTable(fact, summaries, significant, material)];
  });
  const main = tables.length > 1 ? [mainTable(significant, material)] : [];
  const name = material.name === undefined ? "" : `% ${material.name.replaceAll(/\s+/g, " ")}\n`;
  return `${[`${latexHead}\n${name}${FIT}`, ...main, ...tables].join("\n\n")}\n`;
}

/**
 * Sets a table at its own size, smaller where it is wider than the column; one that would be less than 5/6 of its size stands in
 * parts, one under another.
 */
const FIT = [
  "\\providecommand{\\lampfit}[2]{\\sbox0{#2}\\ifdim\\wd0>#1",
  "  \\resizebox{#1}{!}{\\usebox0}\\else\\usebox0\\fi}",
  "\\providecommand{\\lampparts}[3]{\\sbox0{#2}\\ifdim\\wd0>1.2\\dimexpr#1\\relax #3\\else\\lampfit{#1}{#2}\\fi}",
].join("\n");

const keyOf = (summary: Summary, metric: string): string => `${summary.cells.join(" ")}\t${metric}`;

/** Which scores differ from the baseline's, by arm and metric. */
function testsOf({ summaries, rows, task, baseline, cells }: LatexMaterial): Set<string> {
  const rowsOf = ({ cells: ids }: Summary): Row[] => rows.filter(({ cell }) => ids.includes(cell));
  const tested = summaries.flatMap((summary) => {
    const reference = summaries.find((other) => other.method === baseline && isPeer(other, summary));
    if (reference === undefined || summary.method === baseline) return [];
    const seed = cells.find(({ id }) => id === summary.cells[0])?.seed ?? 0;
    const request = { a: rowsOf(reference), b: rowsOf(summary), metrics: task(summary.task).metrics, seed };
    const comparison = compareIfAny(request);
    return comparison === undefined ? [] : [{ summary, comparison }];
  });
  const corrected = correct(tested.map(({ comparison }) => comparison));
  return new Set(
    tested.flatMap(({ summary }, i) =>
      (corrected[i]?.metrics ?? []).filter(({ holm }) => isSignificant(holm)).map(({ name }) => keyOf(summary, name)),
    ),
  );
}

const isPeer = (a: Summary, b: Summary): boolean => a.task === b.task && a.dataset === b.dataset && a.model === b.model;

/** Accuracy and F1, MAE and RMSE, ROUGE-1 and ROUGE-L: what the papers' main tables show of a task. */
const MAIN_METRICS = 2;

/** Rows are methods, columns the tasks' first metrics, as the papers print their main tables. */
function mainTable(significant: ReadonlySet<string>, material: LatexMaterial): string {
  const { facts, summaries } = material;
  const groups = facts.map((fact) => {
    const ofTask = summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    return { fact, ofTask, metrics: (ofTask[0]?.metrics ?? []).slice(0, MAIN_METRICS) };
  });
  const labels = [...new Set(summaries.map(nameOf(summaries)))];
  const tabularOf = (part: typeof groups): string => {
    let first = 2;
    const rules = part.map(({ metrics }) => {
      const rule = `\\cmidrule(lr){${first}-${first + metrics.length - 1}}`;
      first += metrics.length;
      return rule;
    });
    const heads = part.map(({ fact, metrics }) => `\\multicolumn{${metrics.length}}{c}{${shortTitle(fact)}}`);
    const lines = labels.map((label) => {
      const scores = part.flatMap(({ ofTask, metrics }) => {
        const summary = ofTask.find((one) => nameOf(summaries)(one) === label);
        return metrics.map((_, m) => (summary === undefined ? "--" : scoreOf(summary, m, ofTask, significant)));
      });
      return line([escapeLatex(label), ...scores]);
    });
    const titles = part.flatMap(({ metrics }) => metrics.map(metricHead));
    return tabular(titles.length, [
      line(["", ...heads]),
      rules.join(" "),
      line(["Method", ...titles]),
      "\\midrule",
      ...lines,
    ]);
  };
  return table({
    environment: "table*",
    body: inParts("\\textwidth", groups, tabularOf),
    caption: [...marks(summaries, material), `Results by method and task. ${legend(summaries, significant, material)}`],
    label: "main",
    comments: [],
  });
}

function taskTable(
  fact: TaskFacts,
  summaries: readonly Summary[],
  significant: ReadonlySet<string>,
  material: LatexMaterial,
): string {
  const metrics = summaries[0]?.metrics ?? [];
  const full = fullOf(summaries, material);
  const tabularOf = (part: readonly number[]): string => {
    const lines = summaries.flatMap((summary) => [
      line([nameWithMark(summary), ...part.map((m) => scoreOf(summary, m, summaries, significant))]),
      ...(summary.metrics.some(({ interval }) => interval !== undefined)
        ? [line(["", ...part.map((m) => intervalOf(summary.metrics[m]))])]
        : []),
      ...(full === undefined || summary === full
        ? []
        : [line(["\\quad{\\scriptsize difference}", ...part.map((m) => deltaOf(summary, full, m))])]),
    ]);
    const titles = part.flatMap((m) => metrics.slice(m, m + 1).map(metricHead));
    return tabular(part.length, [line(["Method", ...titles]), "\\midrule", ...lines]);
  };
  const [one] = summaries;
  const size = `${counted(one?.users ?? 0, "user")}, ${counted(one?.counts.questions ?? 0, "question")}`;
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const failed = summaries.some(({ counts }) => counts.failed > 0);
  return table({
    environment: "table",
    body: inParts("\\columnwidth", [...metrics.keys()], tabularOf),
    caption: [
      ...marks(summaries, material),
      `${escapeLatex(fact.title)} (${size}; data: ${escapeLatex(fact.dataset)}; model: ${escapeLatex(models)}).`,
      legend(summaries, significant, material),
      ...(summaries.some(({ metrics: all }) => all.some(({ interval }) => interval !== undefined))
        ? ["Brackets: 95\\,\\% intervals over users."]
        : []),
      ...(full === undefined ? [] : [`Differences are to ${escapeLatex(armLabel(full))}.`]),
      ...(failed ? ["$^{*}$Some questions failed and are not in the scores."] : []),
    ],
    label: `${fact.task}-${fact.dataset.replace(/[^\w-]+/g, "-")}`,
    comments: [
      ...summaries.map(
        ({ counts, callsPerQuery, tokensPerQuery, ...summary }) =>
          `${armLabel(summary)}: n=${counts.scored}, ${formatAmount(callsPerQuery)} ${nounOf(callsPerQuery ?? 0, "call")} and ${formatAmount(tokensPerQuery)} tokens a question`,
      ),
      ...footnotes(summaries, fact),
      ...sparseLabelRemarks(summaries.flatMap((summary) => summary.metrics)),
    ],
  });
}

interface Layout {
  readonly environment: "table" | "table*";
  readonly body: string;
  readonly caption: readonly string[];
  readonly label: string;
  readonly comments: readonly string[];
}

/** Columns of numbers, or tasks, that stand beside each other where all do not fit. */
const MOST_BESIDE = 2;

/** The whole, and the same in parts for columns that it does not fit. */
function inParts<T>(width: string, columns: readonly T[], tabularOf: (columns: T[]) => string): string {
  const starts = [...columns.keys()].filter((at) => at % MOST_BESIDE === 0);
  const parts = starts.map((at) => `\\lampfit{${width}}{${tabularOf(columns.slice(at, at + MOST_BESIDE))}}`);
  const whole = tabularOf([...columns]);
  if (parts.length < 2) return `\\lampfit{${width}}{${whole}}`;
  return `\\lampparts{${width}}{${whole}}{%\n${parts.join("\\\\[4pt]\n")}}`;
}

const tabular = (columns: number, body: readonly string[]): string =>
  [`\\begin{tabular}{@{}l${"r".repeat(columns)}@{}}`, "\\toprule", ...body, "\\bottomrule", "\\end{tabular}"].join(
    "\n",
  );

const table = ({ environment, body, caption, label, comments }: Layout): string =>
  [
    ...comments.map((comment) => `% ${comment.replaceAll(/\s+/g, " ")}`),
    `\\begin{${environment}}[t]`,
    "\\centering",
    "\\small",
    "\\setlength{\\tabcolsep}{3.5pt}",
    body,
    `\\caption{${caption.join(" ")}}`,
    `\\label{tab:${label}}`,
    `\\end{${environment}}`,
  ].join("\n");

const line = (cells: readonly string[]): string => `${cells.join(" & ")} \\\\`;
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** `LaMP-2M` of `LaMP-2M: personalized movie tagging`. */
const shortTitle = ({ title }: TaskFacts): string => escapeLatex(title.split(":")[0] ?? title);

const metricHead = ({ title, better }: MetricSummary): string =>
  `${escapeLatex(title)} $\\${better === "higher" ? "uparrow" : "downarrow"}$`;

/** The arm, and its model where the table has several. */
const nameOf =
  (all: readonly Summary[]) =>
  (summary: Summary): string =>
    all.every(({ model }) => model === summary.model) ? armLabel(summary) : `${armLabel(summary)} · ${summary.model}`;

const nameWithMark = (summary: Summary): string =>
  `${escapeLatex(armLabel(summary))}${summary.counts.failed > 0 ? "$^{*}$" : ""}`;

function scoreOf(summary: Summary, m: number, summaries: readonly Summary[], significant: ReadonlySet<string>): string {
  const metric = summary.metrics[m];
  if (metric?.strict === undefined) return "--";
  const shown = formatScore(metric.strict);
  const marked = significant.has(keyOf(summary, metric.name)) ? "$^{\\dagger}$" : "";
  const ranked = ranksOf(summaries, m, metric.better);
  if (summary.planned !== undefined) return `${shown}${marked}`;
  if (ranked.length > 1 && shown === ranked[0]) return `\\textbf{${shown}}${marked}`;
  return ranked.length > 2 && shown === ranked[1] ? `\\underline{${shown}}${marked}` : `${shown}${marked}`;
}

/** The different scores as they are printed, best first: arms that print alike share a rank. */
function ranksOf(summaries: readonly Summary[], m: number, better: MetricSummary["better"]): string[] {
  const sign = better === "higher" ? -1 : 1;
  const scores = summaries
    .filter(({ planned }) => planned === undefined)
    .flatMap(({ metrics }) => metrics[m]?.strict ?? [])
    .sort((a, b) => sign * (a - b));
  return [...new Set(scores.map((score) => formatScore(score)))];
}

const intervalOf = ({ interval }: Partial<MetricSummary> = {}): string =>
  interval === undefined ? "" : `{\\scriptsize [${formatScore(interval.low)}, ${formatScore(interval.high)}]}`;

/** The full method of an ablation. */
const fullOf = (summaries: readonly Summary[], { sweep }: LatexMaterial): Summary | undefined =>
  sweep?.kind === "ablation" ? summaries.find(({ method }) => method === sweep.axes[0]?.base) : undefined;

function deltaOf(summary: Summary, full: Summary, m: number): string {
  const [score, reference] = [summary.metrics[m]?.strict, full.metrics[m]?.strict];
  if (score === undefined || reference === undefined) return "";
  const difference = score - reference;
  const shown = formatScore(Math.abs(difference));
  return `{\\scriptsize $${difference < 0 ? "-" : "+"}$${shown}}`;
}

/** What no reader may miss. */
const marks = (summaries: readonly Summary[], { complete }: LatexMaterial): string[] => [
  ...(summaries.some((summary) => summary.simulated) ? [`\\textbf{SIMULATED} (${simulatedReason}).`] : []),
  ...(complete ? [] : ["\\textbf{PARTIAL}: the run has not ended."]),
];

/** How to read the marks. */
function legend(summaries: readonly Summary[], significant: ReadonlySet<string>, { baseline }: LatexMaterial): string {
  const best = "Best in bold, second underlined.";
  const tested = summaries.some(({ method }) => method === baseline) && summaries.length > 1;
  if (!tested) return best;
  const marked = summaries.some((summary) => summary.metrics.some(({ name }) => significant.has(keyOf(summary, name))));
  return marked
    ? `${best} $\\dagger$: differs from ${escapeLatex(baseline)} (paired tests, Holm, $p \\le .05$).`
    : `${best} No difference to ${escapeLatex(baseline)} survives Holm's correction ($p \\le .05$).`;
}

/** Text as LaTeX prints it: every special character escaped. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\{}$&#%_^~<>|]/g, (letter) => escapes[letter] ?? letter).replace(/[^\x20-\x7e]/g, ascii);
}

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
};

/** Letters of Latin-1 are left to the document's encoding; what old engines refuse is named by its number. */
const ascii = (letter: string): string => {
  if (letter === "\u00b7") return "\\textperiodcentered{}";
  if (letter >= "\u00a0" && letter <= "\u017f") return letter;
  return /\s/.test(letter) ? " " : `[U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`;
};
