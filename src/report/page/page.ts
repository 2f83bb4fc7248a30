import { armLabel } from "../../results/arms.js";
import type { ArmMaterial, Gains } from "../../results/gains.js";
import type { SweepFacts } from "../../types/index.js";
import type { Chart } from "../charts/chart.js";
import type { ChartName } from "../charts/index.js";
import { inlineSvg } from "../charts/svg.js";
import { html, Markup } from "../markup.js";
import { type ArmGroups, perUserTables } from "../per-user.js";
import { sweepTables } from "../sweep.js";
import { type Table, withColumns } from "../table.js";
import { formatAmount } from "../tables/format.js";
import { renderHtml } from "../tables/html.js";
import { resultsTables, type TaskFacts } from "../tables/results.js";
import { type PageSection, renderDocument } from "./document.js";
import { glance } from "./glance.js";
import { type AnswerMaterial, compressed, packAnswers } from "./pack.js";
import { comparePairs, pairTables } from "./pairs.js";

export interface PageMaterial extends ArmMaterial {
  readonly header: PageHeader;
  readonly facts: readonly TaskFacts[];
  readonly gains: Gains;
  readonly sweep?: SweepFacts | undefined;
  /** By kind; kinds that are not asked for are left out. */
  readonly charts?: Readonly<Partial<Record<ChartName, readonly Chart[]>>>;
  readonly users?: readonly ArmGroups[];
  /** What the answers and transcripts are made from. Absent: the page has none, as over several runs. */
  readonly records?: Pick<AnswerMaterial, "units" | "traces">;
}

/** What a reader must know before any number. No times: equal runs give equal pages. */
export interface PageHeader {
  /** What a person would call it: `prompt and rag on LaMP-2M`. */
  readonly name: string;
  readonly simulated: boolean;
  /** Whether the run has ended. */
  readonly complete: boolean;
  /** Pairs of a short title and what it says. */
  readonly facts: readonly (readonly [title: string, value: string])[];
  /** Data files and what else is known by a hash. */
  readonly hashes: readonly (readonly [name: string, hash: string])[];
  /** Command lines that make the page again. */
  readonly reproduce: readonly string[];
  /** `lamp-eval 0.1.0`. */
  readonly madeBy: string;
}

/**
 * The report of one run or of several as one HTML file. Equal material gives equal bytes. Tables and charts count every row; the
 * list of answers has some of a large run, and says so.
 */
export function renderPage(material: PageMaterial): string {
  const { header, facts, gains, sweep, charts = {}, users = [], records } = material;
  const pairs = comparePairs(material, gains.over);
  const figures = (kind: ChartName): Markup[] => (charts[kind] ?? []).map(figure);
  const costChart = ({ task, dataset }: TaskFacts): Markup | undefined => {
    const found = charts.cost?.find((chart) => chart.task === task && chart.dataset === dataset);
    return found && figure(found);
  };
  const results = resultsTables(material);
  const answers = records === undefined ? undefined : answersSection({ ...material, ...records });
  const swept = sweep === undefined ? [] : sweepTables({ ...material, sweep });
  const sections: readonly (PageSection | undefined)[] = [
    section("sweep", "Sweep", [grid([...figures("ablation"), ...figures("scaling")]), tablesMarkup(swept)]),
    section("results", "Results", [tablesMarkup(results)]),
    section("comparisons", "Compare any two", [pairTables(pairs, facts)]),
    section("users", "Users", [
      grid(figures("per-user")),
      folded("Groups of users", tablesMarkup(perUserTables(users))),
    ]),
    section("labels", "Labels and readings", [folded("A table a method", grid(figures("confusion")))]),
    section("personas", "Personas", [grid(figures("persona-map"))]),
    { id: "provenance", title: "Reproduce", body: provenance(header) },
    answers?.section,
  ];
  const mark = `${header.complete ? "" : "PARTIAL "}${header.simulated ? "SIMULATED " : ""}`;
  return renderDocument({
    title: `${mark}${header.name}`,
    madeBy: header.madeBy,
    header: headerMarkup(header, glance({ ...material, pairs, hasAnswers: answers !== undefined, costChart })),
    sections: sections.filter((one) => one !== undefined),
    data: answers?.data,
  });
}

/** Undefined where there is nothing in it. */
function section(id: string, title: string, parts: readonly (Markup | undefined)[]): PageSection | undefined {
  const body = parts.filter((part) => part !== undefined);
  return body.length === 0 ? undefined : { id, title, body: html`${body}` };
}

const grid = (figures: readonly Markup[]): Markup | undefined =>
  figures.length === 0 ? undefined : html`<div class="charts">${figures}</div>`;

/** With the columns that a terminal has. */
const tablesMarkup = (tables: readonly Table[]): Markup | undefined =>
  tables.length === 0
    ? undefined
    : html`${withColumns(tables, {}).map((table) => html`<h3>${table.title}</h3>${renderHtml(table)}`)}`;

const folded = (title: string, body: Markup | undefined): Markup | undefined =>
  body && html`<details><summary>${title}</summary>${body}</details>`;

const figure = ({ name, title, note, picture }: Chart): Markup =>
  html`<figure id="chart-${name}"><figcaption><strong>${title}</strong><span>${note}</span></figcaption><div style="--natural:${Math.round(picture.width)}px">${inlineSvg(picture, title)}</div></figure>
`;

/** Name, banners, the answer to what a reader wants to know first, and behind a title the facts. */
function headerMarkup({ name, simulated, complete, facts }: PageHeader, answer: Markup): Markup {
  const banner = (mark: string, text: string) =>
    html`<p class="banner" role="note"><strong>${mark}</strong> ${text}</p>`;
  return html`<h1>${name}</h1>
${complete ? undefined : banner("PARTIAL", "The run has not ended; the same command finishes it.")}
${simulated ? banner("SIMULATED", "Answered by the embedded model: these numbers show that the pipeline works. They are not comparable with a paper.") : undefined}
${answer}
<details class="about"><summary>What was run</summary>${factList(facts.map(([title, value]) => [title, html`${value}`]))}</details>`;
}

/** The commands that make the run again, and the hashes that tell whether it is the same. */
const provenance = ({ hashes, reproduce }: PageHeader): Markup =>
  html`<pre>${reproduce.join("\n")}</pre>
${folded("Hashes of the plan and the data", factList(hashes.map(([title, hash]) => [title, html`<code>${hash}</code>`])))}`;

const factList = (facts: readonly (readonly [title: string, value: Markup])[]): Markup =>
  html`<dl class="facts">${facts.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Questions against methods, which the page's script fills, and the compressed data that it reads. */
function answersSection(material: AnswerMaterial): { readonly section: PageSection; readonly data: Markup } {
  const { run, chunks, questions } = packAnswers(material);
  const labels = [...new Set(material.summaries.map(armLabel))];
  const select = (name: string, title: string, options: readonly (readonly [value: string, text: string])[]) =>
    html`<select name="${name}" aria-label="${title}">${options.map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select>`;
  const same = (names: readonly string[]) => names.map((name) => [name, name] as const);
  const listed = run.questions.length;
  const leftOut =
    listed === questions
      ? undefined
      : html`<p class="banner" role="note" id="left-out"><strong>${formatAmount(listed)} of ${formatAmount(questions)} questions</strong> are listed: first those with a failed answer, then those on which methods differ, then others, drawn by the seed. Tables and charts count all; <code>lamp-eval show RUN --question ID</code> prints any.</p>
`;
  const body = html`${leftOut}<noscript><p>The answers need JavaScript; <code>lamp-eval show</code> prints the same transcripts.</p></noscript>
<form id="filter" role="search" aria-label="Filter the questions">
${select("task", "task", same([...new Set(run.tasks)]))}
<input name="text" type="search" placeholder="search" aria-label="search in ids, users, questions, golds and replies" autocomplete="off">
${select("show", "which questions", shows)}
${select("against", "method that answers differ from", same(labels))}
${select("method", "by which method", [["", "by any method"], ...same(labels)])}
${select("order", "order", orders)}
<button type="reset">Clear</button> <output id="count" aria-live="polite"></output>
</form>
<p class="context"><span class="mark right">✓</span> right · <span class="mark wrong">✗</span> wrong · <span class="mark unparsed">?</span> unparsed · <span class="mark failed">!</span> failed · <span class="mark">±2</span> error · <span class="mark">.42</span> score of a text. An answer opens beside another method’s.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Questions against methods"><table id="matrix"><thead></thead><tbody></tbody></table></div>
<p><button type="button" id="more">More questions</button></p>
<dialog id="detail" aria-labelledby="detail-title"></dialog>`;
  const packed = (
    id: string,
    base64: string,
  ) => html`<script type="text/plain" id="${id}">${new Markup(base64)}</script>
`;
  return {
    section: { id: "answers", title: "Every answer", body },
    data: html`${packed("run", compressed(run))}${chunks.map((text, c) => packed(`chunk-${c}`, text))}`,
  };
}

const shows = [
  ["all", "all questions"],
  ["wrong", "wrong, unparsed too"],
  ["right", "right"],
  ["unparsed", "unparsed"],
  ["failed", "failed"],
  ["other", "other than …"],
  ["better", "better than …"],
  ["worse", "worse than …"],
] as const;

const orders = [
  ["differ", "most disagreement first"],
  ["run", "order of the run"],
  ["worst", "worst first"],
] as const;
