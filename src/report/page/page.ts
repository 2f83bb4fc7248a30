import { createHash } from "node:crypto";
import { type ArmInput, comparedPairs, type Gains, ranked, rowsByArm } from "../../results/compare.js";
import type { Summary } from "../../results/summary.js";
import type { SweepFacts } from "../../types/index.js";
import type { Chart } from "../charts/chart.js";
import type { ChartName } from "../charts/index.js";
import { inlineSvg } from "../charts/svg.js";
import { html, Markup } from "../html.js";
import { sweepTables } from "../sweep.js";
import { type Table, withColumns } from "../table.js";
import { formatAmount } from "../tables/format.js";
import { methodsByTasks, resultsTables, shortTitle, summariesOfTask, type TaskFacts } from "../tables/results.js";
import { type AnswerInput, compressed, encodeAnswers, taskNames } from "./answers.js";
import { drawnTable } from "./drawn-table.js";
import { pairsFigure } from "./pairs.js";
import { problemBox, problemsOf, verdictOfProblems } from "./problems.js";
import { pageScript } from "./script.js.js";
import { style } from "./style.css.js";
import { labelsFigure, usersFigure } from "./users-and-labels.js";
import { type ComparedPair, type Headline, sweepVerdict, verdictOf } from "./verdict.js";

export interface PageInput extends ArmInput {
  readonly header: PageHeader;
  readonly facts: readonly TaskFacts[];
  readonly gains: Gains;
  readonly sweep?: SweepFacts | undefined;
  readonly charts?: readonly (readonly [kind: ChartName, charts: readonly Chart[]])[];
  /** What the answers and transcripts are made from. Absent: the page has none, as over several runs. */
  readonly records?: Pick<AnswerInput, "units" | "traces">;
}

/** What a reader must know before any number. No times: equal runs give equal pages. */
export interface PageHeader {
  /** Name for people: `prompt and rag on LaMP-2M`. */
  readonly name: string;
  readonly simulated: boolean;
  readonly complete: boolean;
  /** Pairs of a short title and what it says; hashes of data among them. */
  readonly facts: readonly (readonly [title: string, value: string])[];
  readonly reproduce: readonly string[];
  readonly madeBy: string;
}

/** A part of the page with its place in the bar. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/**
 * Writes the report of one run or of several as one HTML file that asks nothing of any server. Equal input gives equal bytes.
 * Tables and charts count every row; the list of answers has some of a large run, and says so.
 */
export function renderPage(input: PageInput): string {
  const { header, facts, records } = input;
  const { name, simulated, complete, madeBy } = header;
  const answers = records === undefined ? undefined : answersOf({ ...input, ...records });
  const sections = [
    ...(facts.length > 1 ? [overview(input)] : []),
    ...facts.flatMap((fact) => sectionsOf(fact, input)),
    runSection(header),
  ];
  const isOne = facts.length === 1;
  const listed = sections
    .filter(({ title }) => title !== "")
    .map(({ id, title }) => html`<a href="#${id}">${title}</a> `);
  const mark = `${complete ? "" : "PARTIAL "}${simulated ? "SIMULATED " : ""}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="${madeBy}">
<title>${mark}${name} · lamp-eval</title>
<style>${new Markup(style)}</style>
<noscript><style>.js { display: none; }</style></noscript>
</head>
<body>
<header class="top"><h1>${name}</h1><nav aria-label="Sections">${listed}${answers?.link}</nav></header>
<main>
<div id="report">
${complete ? undefined : banner("PARTIAL", "The run has not ended; the same command finishes it.")}
${simulated ? banner("SIMULATED", EMBEDDED) : undefined}
${sections.map(({ id, body }) => html`<section id="${id}"${isOne ? undefined : html` class="block"`}>${body}</section>\n`)}
</div>
${answers?.body}
</main>
<footer>Made by ${madeBy}. This file holds everything it shows and asks nothing of any server.</footer>
${answers?.data}
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text;
}

const EMBEDDED =
  "The embedded model answered: the numbers show that the pipeline works. They are not comparable with a paper.";

/** Only this script runs, and nothing is fetched, framed or sent. Sizes of charts are style attributes. */
const contentPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(pageScript).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const banner = (mark: string, text: string | Markup): Markup =>
  html`<p class="banner" role="note"><strong>${mark}</strong> ${text}</p>`;

/** Of several tasks: methods against tasks by the primary metric. */
function overview(input: PageInput): Section {
  const tables = withColumns(methodsByTasks(input));
  return {
    id: "overview",
    title: "Overview",
    body: html`<h2>All tasks</h2>${tables.map((table) => drawnTable(table))}`,
  };
}

/** The blocks of one task: its verdict and results, cost and pairs, users, labels, personas. */
function sectionsOf(fact: TaskFacts, input: PageInput): Section[] {
  const { gains, rows, task, facts } = input;
  const arms = ranked(summariesOfTask(fact, input.summaries));
  const metrics = task(fact.task).metrics;
  const isOne = facts.length === 1;
  const suffix = isOne ? "" : `-${facts.indexOf(fact) + 1}`;
  const name = taskNames(facts).of(fact);
  const ownRows = arms.flatMap(rowsByArm(rows));
  const problems = problemsOf(ownRows);
  const pairs = pairsOf(arms, input);
  const swept =
    input.sweep === undefined ? [] : withColumns(sweepTables({ ...input, facts: [fact], sweep: input.sweep }));
  const isByAxis = swept.length > 0 && swept.every(({ keys = 1 }) => keys === 2);
  const ownVerdict = isByAxis
    ? sweepVerdict(swept)
    : verdictOf({ arms, fact, pairs, over: gains.over, gainOf: gains.of });
  const broken = problems && verdictOfProblems(problems);
  const chartsOf = (...wanted: readonly ChartName[]): Chart[] =>
    (input.charts ?? [])
      .flatMap(([kind, charts]) => (wanted.includes(kind) ? charts : []))
      .filter((chart) => chart.task === fact.task && chart.dataset === fact.dataset);
  const results = resultsTables({ ...input, facts: [fact], summaries: arms });
  const primary = metrics[0]?.name ?? "";
  const drawn = { baseline: fact.baseline?.values[primary], remarkOf: remarkOf(gains.over) };
  const parts: readonly (readonly [id: string, title: string, ...body: readonly (Markup | undefined)[]])[] = [
    [
      "results",
      isOne ? "Results" : shortTitle(fact.title),
      verdict(results[0]!, broken ?? ownVerdict),
      problems && problemBox(problems, isOne ? undefined : name),
      figures(chartsOf("ablation", "scaling")),
      ...(isByAxis ? swept : [...withColumns(results), ...swept]).map(
        (table) => html`${isByAxis ? html`<h3>${table.title}</h3>` : undefined}${drawnTable(table, drawn)}`,
      ),
    ],
    ...(broken !== undefined
      ? []
      : ([
          [
            "cost",
            isOne && !isByAxis ? "Cost and pairs" : "",
            beside(
              ...chartsOf("cost").map(figure),
              isByAxis || arms.length > MOST_IN_PAIRS
                ? undefined
                : pairsFigure(`pairs${suffix}`, name, { arms, pairs }),
            ),
          ],
          [
            "users",
            isOne && !isByAxis ? "Users and labels" : "",
            isByAxis
              ? undefined
              : beside(
                  usersFigure(gains.over, { arms, rows, metrics }),
                  labelsFigure(task(fact.task), { arms, rows, metrics }),
                ),
          ],
          ["personas", isOne ? "Personas" : "", figures(chartsOf("persona-map"))],
        ] as const)),
  ];
  return parts
    .filter(([, , ...body]) => body.some((part) => part !== undefined))
    .map(([id, title, ...body]) => ({ id: `${id}${suffix}`, title, body: html`${body}` }));
}

/** Marks the reference of the gains. */
const remarkOf = (over: string) => (method: string) => (method === over ? "reference" : undefined);

/** The title of a task's table, then what its results say. */
const verdict = ({ title }: Table, { says, details }: Headline): Markup =>
  html`<p class="facts">${title}</p><h2 class="says">${says}</h2><p class="details">${details}</p>`;

/** Undefined where there is nothing in it. */
function beside(...parts: readonly (Markup | undefined)[]): Markup | undefined {
  const shown = parts.filter((part) => part !== undefined);
  return shown.length === 0 ? undefined : html`<div class="${shown.length > 1 ? "pair" : "single"}">${shown}</div>`;
}

const figures = (charts: readonly Chart[]): Markup | undefined =>
  charts.length === 0 ? undefined : html`<div class="charts">${charts.map(figure)}</div>`;

/** A chart; one that is also drawn for a phone has both drawings, of which one is shown. */
function figure({ name, title, note, picture, narrow }: Chart): Markup {
  const drawing = (of: typeof picture, kind: string): Markup =>
    html`<div class="${kind}" style="--natural:${Math.round(of.width)}px">${inlineSvg(of, title)}</div>`;
  const both =
    narrow === undefined ? drawing(picture, "scroll") : [drawing(picture, "wide"), drawing(narrow, "narrow")];
  return html`<figure id="chart-${name}"><figcaption><b>${title}</b> <span>${note}</span></figcaption>${both}</figure>`;
}

function runSection({ facts, reproduce }: PageHeader): Section {
  const list = facts.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`);
  const body = html`<h2>Run</h2><pre tabindex="0">${reproduce.join("\n")}</pre><dl>${list}</dl>`;
  return { id: "run", title: "Run", body };
}

/** More arms of a task stand in no table of pairs; only the best is compared with each. */
const MOST_IN_PAIRS = 12;

/** Compares the pairs of a task's arms by its first metric. `arms`: the best first. */
function pairsOf(arms: readonly Summary[], input: PageInput): ComparedPair[] {
  const firsts = arms.length <= MOST_IN_PAIRS ? arms : arms.slice(0, 1);
  const pairs = firsts.flatMap((arm, a) => arms.slice(a + 1).map((reference) => ({ arm, reference })));
  return comparedPairs(pairs, input);
}

/** The view of all answers, which the page's script fills, and the compressed data that it reads. */
function answersOf(input: AnswerInput & { readonly facts: readonly TaskFacts[] }) {
  const { run, chunks, questions } = encodeAnswers(input);
  const listed = run.questions.length;
  const rest = html`are listed: those with a failed answer, then those on which methods differ, then others. Tables and
charts count all; <code>lamp-eval show RUN --question ID</code> prints any.`;
  const encoded = (id: string, base64: string): Markup =>
    html`<script type="text/plain" id="${id}">${new Markup(base64)}</script>\n`;
  const chips = SETS.map(([value, text]) => {
    const checked = value === "" ? html` checked` : undefined;
    const input = html`<input type="radio" name="show" value="${value}"${checked}>`;
    return html`<label class="chip">${input}<span>${text} <small></small></span></label>`;
  });
  const tasks = run.tasks.map((task) => html`<option value="${task}">${task}</option>`);
  const taskField = run.tasks.length < 2 ? undefined : html`<select name="t" aria-label="task">${tasks}</select>`;
  const body = html`<section id="browse" aria-labelledby="answers-h">
<h2 id="answers-h" class="hidden">Answers</h2>
<details class="filter" open><summary>Filter</summary>
${listed === questions ? undefined : banner(`${listed} of ${questions} questions`, rest)}
<form id="filter" role="search" aria-label="Filter the questions">${taskField}
<fieldset><legend class="hidden">Questions</legend>${chips}</fieldset>
<input name="text" type="search" placeholder="search  /" aria-label="search in questions, users, golds and replies">
<button type="reset">clear</button>
<span class="where">where <select name="a" aria-label="first method"></select>
<select name="ak" aria-label="outcome of the first method"></select>
and <select name="b" aria-label="second method"></select>
<select name="bk" aria-label="outcome of the second method"></select>
<button type="button" id="swap" aria-label="swap the two methods">⇄</button></span></form></details>
<div class="list"><p class="status"><output id="count" aria-live="polite"></output>
<span class="keys">arrow keys move, Enter opens, j and k go on, / searches</span></p>
<div id="grid" tabindex="-1"><table role="grid" aria-label="Questions against methods"><thead></thead><tbody></tbody></table></div></div>
<article id="answer" aria-labelledby="answer-h" tabindex="-1" hidden></article>
</section>
<noscript><p>The answers need JavaScript; <code>lamp-eval show RUN</code> prints the same transcripts.</p></noscript>`;
  const data = html`${encoded("run-data", compressed(run))}${chunks.map((text, c) => encoded(`chunk-${c}`, text))}`;
  const link = html`<a href="#answers" class="to-answers js">Answers <small>${formatAmount(listed)}</small></a>`;
  return { body, data, link };
}

const SETS = [
  ["", "all"],
  ["differ", "methods differ"],
  ["all right", "✓ all right"],
  ["all wrong", "✗ all wrong"],
  ["unparsed", "? unparsed"],
  ["failed", "! failed"],
] as const;
