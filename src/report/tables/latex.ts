import { isSignificant } from "../../statistics/significance.js";
import type { Cell, Row, Task } from "../../types.js";
import { armLabel } from "../arms.js";
import { compareIfAny, correct } from "../compare/compare.js";
import { simulatedReason } from "../simulated.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import type { MetricSummary, Summary } from "../summary.js";
import { footnotes, type Results, type TaskFacts } from "./results.js";
import { formatAmount, formatScore } from "./table.js";

export interface LatexMaterial extends Results {
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
  /** Method that the others are tested against, e.g. `prompt`. Arms of other tasks or models are not. */
  readonly baseline: string;
  readonly complete: boolean;
}

/**
 * One booktabs table per task and data set: best bold, second underlined, intervals under the scores, and a dagger where
 * the difference to the baseline survives Holm's correction over all tests of the document (p at most .05). Needs \usepackage{booktabs}.
 */
export function renderLatex(material: LatexMaterial): string {
  const significant = testsOf(material);
  const tables = material.facts.flatMap((fact) => {
    const taskSummaries = material.summaries.filter(
      ({ task, dataset }) => task === fact.task && dataset === fact.dataset,
    );
    return taskSummaries.length === 0 ? [] : [tableOf(fact, taskSummaries, significant, material)];
  });
  return `${["% \\usepackage{booktabs}", ...tables].join("\n\n")}\n`;
}

/** Text as LaTeX prints it: every special character escaped. */
export function escapeLatex(text: string): string {
  return text.replace(/[\\{}$&#%_^~<>|]/g, (letter) => escapes[letter] ?? letter).replace(/[^\x20-\x7e]/g, ascii);
}

// --- internal ---

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

function tableOf(
  fact: TaskFacts,
  summaries: readonly Summary[],
  significant: ReadonlySet<string>,
  material: LatexMaterial,
): string {
  const metrics = summaries[0]?.metrics ?? [];
  const head = [
    "Method",
    ...metrics.map(({ name, better }) => `${escapeLatex(name)} $\\${better === "higher" ? "uparrow" : "downarrow"}$`),
  ];
  const lines = summaries.flatMap((summary) => [
    [
      escapeLatex(armLabel(summary)),
      ...metrics.map((_, m) => scoreOf(summary, m, summaries, significant)),
      ...countsOf(summary),
    ],
    ...(summary.metrics.some(({ interval }) => interval !== undefined)
      ? [["", ...summary.metrics.map(intervalOf), "", "", ""]]
      : []),
  ]);
  return [
    "\\begin{table}[t]",
    "\\centering",
    "\\small",
    "\\setlength{\\tabcolsep}{3.5pt}",
    `\\begin{tabular}{l${"r".repeat(metrics.length + 3)}}`,
    "\\toprule",
    `${[...head, "$n$", "calls/q", "tokens/q"].join(" & ")} \\\\`,
    "\\midrule",
    ...lines.map((cells) => `${cells.join(" & ")} \\\\`),
    "\\bottomrule",
    "\\end{tabular}",
    `\\caption{${captionOf(fact, summaries, metrics, significant, material)}}`,
    `\\label{tab:${fact.task}-${fact.dataset.replace(/[^\w-]+/g, "-")}}`,
    "\\end{table}",
  ].join("\n");
}

function scoreOf(summary: Summary, m: number, summaries: readonly Summary[], significant: ReadonlySet<string>): string {
  const metric = summary.metrics[m];
  if (metric?.strict === undefined) return "--";
  const shown = formatScore(metric.strict);
  const marked = significant.has(keyOf(summary, metric.name)) ? "$^{\\dagger}$" : "";
  const ranked = placesOf(summaries, m, metric.better);
  if (summary.planned !== undefined) return `${shown}${marked}`;
  if (ranked.length > 1 && shown === ranked[0]) return `\\textbf{${shown}}${marked}`;
  return ranked.length > 2 && shown === ranked[1] ? `\\underline{${shown}}${marked}` : `${shown}${marked}`;
}

/** The different scores as they are printed, best first: arms that print alike share a place. */
function placesOf(summaries: readonly Summary[], m: number, better: MetricSummary["better"]): string[] {
  const sign = better === "higher" ? -1 : 1;
  const scores = summaries
    .filter(({ planned }) => planned === undefined)
    .flatMap(({ metrics }) => metrics[m]?.strict ?? [])
    .sort((a, b) => sign * (a - b));
  return [...new Set(scores.map((score) => formatScore(score)))];
}

const intervalOf = ({ interval }: MetricSummary): string =>
  interval === undefined ? "" : `{\\scriptsize [${formatScore(interval.low)}, ${formatScore(interval.high)}]}`;

const countsOf = ({ counts, callsPerQuery, tokensPerQuery }: Summary): string[] => [
  `${counts.scored}${counts.failed > 0 ? "$^{*}$" : ""}`,
  formatAmount(callsPerQuery).replace(/^-$/, "--"),
  formatAmount(tokensPerQuery).replace(/^-$/, "--"),
];

function captionOf(
  fact: TaskFacts,
  summaries: readonly Summary[],
  metrics: readonly MetricSummary[],
  significant: ReadonlySet<string>,
  { baseline, complete }: LatexMaterial,
): string {
  const models = [...new Set(summaries.map(({ model }) => model))].join(", ");
  const marked = summaries.some((summary) => metrics.some(({ name }) => significant.has(keyOf(summary, name))));
  const tested = summaries.some(({ method }) => method === baseline) && summaries.length > 1;
  const simulated = summaries.some((summary) => summary.simulated);
  return [
    ...(simulated ? [`\\textbf{SIMULATED} (${simulatedReason}).`] : []),
    ...(complete ? [] : ["\\textbf{PARTIAL}: the run has not ended."]),
    `${escapeLatex(fact.title)}; data: ${escapeLatex(fact.dataset)}; model: ${escapeLatex(models)}; ${summaries[0]?.users ?? 0} users.`,
    "Best in bold, second underlined; in brackets: 95\\,\\% intervals, bootstrap over users.",
    ...(tested
      ? [
          marked
            ? `$\\dagger$: differs from ${escapeLatex(baseline)} (paired tests, Holm, $p \\le .05$).`
            : `No difference to ${escapeLatex(baseline)} survives Holm's correction ($p \\le .05$).`,
        ]
      : []),
    ...[...footnotes(summaries, fact), ...sparseLabelRemarks(summaries.flatMap((summary) => summary.metrics))].map(
      (note) => (note.startsWith("*") ? `$^{*}$${escapeLatex(note.slice(1))}.` : `${escapeLatex(note)}.`),
    ),
  ].join(" ");
}
