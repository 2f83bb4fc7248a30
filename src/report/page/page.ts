import { createHash } from "node:crypto";
import { armLabel, isNamed } from "../../results/arms.js";
import {
  type ArmInput,
  type ArmPair,
  type Comparison,
  comparedPairs,
  type Gains,
  gainOf,
  ranked,
} from "../../results/compare.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import type { SweepFacts } from "../../types/index.js";
import type { Chart } from "../charts/chart.js";
import type { ChartName } from "../charts/index.js";
import { inlineSvg } from "../charts/svg.js";
import { gainSentence } from "../compare.js";
import { html, Markup, renderHtml } from "../html.js";
import { sweepTables } from "../sweep.js";
import { type ColumnOf, rowsOfItems, type Table, withColumns } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore } from "../tables/format.js";
import { resultsTables, summariesOfTask, type TaskFacts } from "../tables/results.js";
import { type AnswerInput, compressed, encodeAnswers } from "./answers.js";
import { pageScript } from "./script.js.js";
import { style } from "./style.css.js";

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

/**
 * Writes the report of one run or of several as one HTML file that asks nothing of any server. Equal input gives equal bytes.
 * Tables and charts count every row; the list of answers has some of a large run, and says so.
 */
export function renderPage(input: PageInput): string {
  const { header, facts, gains, sweep, charts = [], records } = input;
  const { name, simulated, complete, reproduce, madeBy } = header;
  const pairs = pairsOf(input, gains.over);
  const chartsOf = (...wanted: readonly ChartName[]): Chart[] =>
    charts.flatMap(([kind, of]) => (wanted.includes(kind) ? of : []));
  const answers = records === undefined ? undefined : answersOf({ ...input, ...records });
  const swept = sweep === undefined ? [] : sweepTables({ ...input, sweep });
  const sections: readonly (readonly [id: string, title: string, ...parts: readonly (Markup | undefined)[]])[] = [
    ["sweep", "Sweep", figures(chartsOf("ablation", "scaling")), tables(swept)],
    ["results", "Results", tables(resultsTables(input))],
    ["comparisons", "Compare any two", ...facts.map((fact) => pairTable(fact, pairs))],
    ["personas", "Personas", figures(chartsOf("persona-map"))],
    ["provenance", "Reproduce", html`<pre>${reproduce.join("\n")}</pre>`, folded("What was run", factList(header))],
    ["answers", "Every answer", answers?.body],
  ];
  const shown = sections.filter(([, , ...parts]) => parts.some((part) => part !== undefined));
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
</head>
<body>
<header>
<h1>${name}</h1>
${complete ? undefined : banner("PARTIAL", "The run has not ended; the same command finishes it.")}
${simulated ? banner("SIMULATED", EMBEDDED) : undefined}
${facts.map((fact) => card(fact, input, pairs, chartsOf("gains", "cost")))}
</header>
<nav aria-label="Sections">${shown.map(([id, title]) => html`<a href="#${id}">${title}</a> `)}</nav>
<main>
${shown.map(
  ([id, title, ...parts]) => html`<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${title}</h2>
${parts}
</section>
`,
)}
</main>
<footer>Made by ${madeBy}. This file holds everything it shows and asks nothing of any server.</footer>
${answers?.data}
<script>${new Markup(pageScript)}</script>
</body>
</html>
`.text;
}

const EMBEDDED =
  "Answered by the embedded model: these numbers show that the pipeline works. They are not comparable with a paper.";

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

/** The first screen of a task: the verdict, gains over the reference, and score against cost. */
function card(fact: TaskFacts, input: PageInput, pairs: readonly ComparedPair[], charts: readonly Chart[]) {
  const arms = ranked(summariesOfTask(fact, input.summaries));
  const drawn = charts.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
  return html`<section class="answer" aria-label="Answer on ${fact.title}"><h2>${fact.title}</h2>
<p class="says">${bestMethodSentence(arms, fact, pairs)}</p>
${figures(drawn)}</section>
`;
}

/** An arm and one with a worse score, compared by the first metric. */
type ComparedPair = ArmPair & { readonly comparison: Comparison };

/** Says which method is best, by how much, and the baseline's score. `arms`: the best first. */
export function bestMethodSentence(
  arms: readonly Summary[],
  { baseline }: TaskFacts,
  pairs: readonly ComparedPair[],
): Markup {
  const [best, next] = arms.filter(({ planned, metrics }) => planned === undefined && metrics[0]?.strict !== undefined);
  const metric = best?.metrics[0];
  if (best === undefined || metric === undefined) {
    const asked = arms.reduce((sum, { counts }) => sum + counts.questions, 0);
    const all = arms.reduce((sum, { counts, planned }) => sum + (planned ?? counts.questions), 0);
    const soFar = `${formatAmount(asked)} of ${countOf(all, "answer")} so far`;
    return html`<strong>${soFar}</strong>; no method has all of its own yet`;
  }
  const least = baseline?.values[metric.name];
  const named = `${baseline?.name} ${formatScore(least)}`;
  const score = `${armLabel(best)} ${formatScore(metric.strict)}`;
  if (least !== undefined && gainOf(metric, least, metric.strict ?? 0) <= 0)
    return html`<strong>No method is better than the ${named}</strong>; ${metric.name} of the best: ${score}`;
  const tail = least === undefined ? "" : `; ${named}`;
  const pair = pairs.find(({ arm, reference }) => arm === best && reference === next);
  if (next === undefined || pair === undefined) {
    const unasked = next && `no question that ${armLabel(next)} answered too`;
    return html`<strong>${metric.name}: ${score}</strong>; ${unasked ?? "no other method to compare it with"}${tail}`;
  }
  const { b, gain, interval } = pair.comparison.metrics[0]!; // compared by one
  const says = gainSentence({ name: armLabel(best), score: b, over: armLabel(next), gain, interval });
  const chosen = arms.length > 2 ? ` (the best two of ${arms.length}, chosen after looking)` : "";
  return html`<strong>${metric.name}: ${says}</strong>${chosen}${tail}`;
}

/** Undefined where there is nothing in it. */
const figures = (charts: readonly Chart[]): Markup | undefined =>
  charts.length === 0 ? undefined : html`<div class="charts">${charts.map(figure)}</div>`;

function figure({ name, title, note, picture }: Chart): Markup {
  const width = html`style="--natural:${Math.round(picture.width)}px"`;
  return html`<figure id="chart-${name}">
<figcaption><strong>${title}</strong><span>${note}</span></figcaption>
<div tabindex="0" role="region" aria-label="${title}" ${width}>${inlineSvg(picture, title)}</div>
</figure>
`;
}

/** With the columns that a terminal has. */
const tables = (all: readonly Table[]): Markup | undefined =>
  all.length === 0
    ? undefined
    : html`${withColumns(all).map((table) => html`<h3>${table.title}</h3>${renderHtml(table)}`)}`;

const folded = (title: string, body: Markup | undefined): Markup | undefined =>
  body && html`<details><summary>${title}</summary>${body}</details>`;

const factList = ({ facts }: PageHeader): Markup =>
  html`<dl class="facts">${facts.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Beyond so many arms of a task only the best and the reference are compared with each other arm. */
const MOST_IN_ALL_PAIRS = 12;

/** Compares the pairs of each task's arms by its first metric, the best arms first. */
function pairsOf({ facts, summaries, ...input }: PageInput, over: string): ComparedPair[] {
  const pairs = facts.flatMap((fact) => {
    const arms = ranked(summariesOfTask(fact, summaries));
    const isCompared = (arm: Summary): boolean =>
      arms.length <= MOST_IN_ALL_PAIRS || arm === arms[0] || isNamed(arm, arm.settings, over);
    return arms.flatMap((arm, a) =>
      arms.slice(a + 1).flatMap((reference) => (isCompared(arm) || isCompared(reference) ? [{ arm, reference }] : [])),
    );
  });
  return comparedPairs(pairs, input);
}

/** A table of all pairs of a task, of which a reader chooses. */
function pairTable({ task, dataset, title }: TaskFacts, pairs: readonly ComparedPair[]): Markup | undefined {
  const ofTask = pairs.filter(({ arm }) => arm.task === task && arm.dataset === dataset);
  if (ofTask.length === 0) return undefined;
  const arms = [...new Set(ofTask.flatMap(({ arm, reference }) => [armLabel(arm), armLabel(reference)]))];
  const choice = (name: string) => select("", `${name} method on ${title}`, ["", ...arms], "any method");
  const table = { title: `Paired comparisons on ${title}`, ...rowsOfItems(pairColumns, ofTask) };
  return html`<section class="pairs" aria-label="Comparisons on ${title}">
<h3>${title}: ${metricOf(ofTask[0]!).name}</h3>
<p>Compare ${choice("first")} with ${choice("second")}</p>
${renderHtml({ ...table, legend: ["gain: of the first over the second method; p: this pair alone"] })}
</section>`;
}

const metricOf = ({ comparison }: ComparedPair) => comparison.metrics[0]!; // compared by one metric

const pairColumns: readonly ColumnOf<ComparedPair>[] = [
  { title: "better", cell: ({ arm }) => armLabel(arm) },
  { title: "than", cell: ({ reference }) => armLabel(reference) },
  { title: "score", format: formatScore, cell: (pair) => metricOf(pair).b },
  { title: "score of the other", format: formatScore, cell: (pair) => metricOf(pair).a },
  {
    ...{ title: "gain", format: formatGain, interval: true },
    cell: (pair) => ({ value: metricOf(pair).gain, interval: metricOf(pair).interval }),
  },
  { title: "p", format: formatP, cell: (pair) => metricOf(pair).p },
  { title: "questions", format: formatAmount, cell: ({ comparison }) => comparison.questions },
  { title: "MDE (80 % power)", format: formatScore, cell: (pair) => metricOf(pair).detectable },
];

function select(name: string, title: string, values: readonly string[], none = ""): Markup {
  const options = values.map((value) => html`<option value="${value}">${value === "" ? none : value}</option>`);
  return html`<select name="${name}" aria-label="${title}">${options}</select>`;
}

/** Questions against methods, which the page's script fills, and the compressed data that it reads. */
function answersOf(input: AnswerInput): { readonly body: Markup; readonly data: Markup } {
  const { run, chunks, questions } = encodeAnswers(input);
  const listed = run.questions.length;
  const rest = html`are listed: those with a failed answer, then those on which methods differ, then others. Tables and
charts count all; <code>lamp-eval show RUN --question ID</code> prints any.`;
  const encoded = (id: string, base64: string): Markup =>
    html`<script type="text/plain" id="${id}">${new Markup(base64)}</script>\n`;
  const labels = [...new Set(input.summaries.map(armLabel))];
  const kinds = ["", "differ", "wrong", "right", "unparsed", "failed"];
  const body = html`${listed === questions ? undefined : banner(`${listed} of ${questions} questions`, rest)}
<noscript><p>The answers need JavaScript; <code>lamp-eval show</code> prints the same transcripts.</p></noscript>
<form id="filter" role="search" aria-label="Filter the questions">
${select("task", "task", [...new Set(run.tasks)])}
<input name="text" type="search" placeholder="search" aria-label="search in questions and replies">
${select("show", "which questions", kinds, "all questions")}
${select("method", "by which method", ["", ...labels], "by any method")}
<button type="reset">Clear</button> <output id="count" aria-live="polite"></output>
</form>
<p class="context">✓ right · ✗ wrong · ? unparsed · ! failed · ±2 error · .42 score of a text.
Questions on which methods differ most stand first. An answer opens beside another method’s.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Questions against methods">
<table id="matrix"><thead></thead><tbody></tbody></table></div>
<p><button type="button" id="more">More questions</button></p>
<dialog id="detail" aria-labelledby="detail-title"></dialog>`;
  const ofChunks = chunks.map((text, c) => encoded(`chunk-${c}`, text));
  return { body, data: html`${encoded("run", compressed(run))}${ofChunks}` };
}
