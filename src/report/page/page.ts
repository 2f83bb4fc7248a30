import type { Cell, Row, Task } from "../../types/index.js";
import type { Results } from "../tables/results.js";
import { packAnswers } from "./answers.js";
import { comparePairs, comparisonTables } from "./comparisons.js";
import { renderDocument } from "./document.js";
import { costFigure, type DrawnMaterial, drawnSections } from "./drawn-sections.js";
import { glance } from "./glance.js";
import { html, jsonText, Markup, type PageSection, sectionMarkup } from "./markup.js";
import { resultsMarkup } from "./results-tables.js";
import type { TranscriptMaterial } from "./transcripts.js";

export interface PageMaterial extends DrawnMaterial, Pick<TranscriptMaterial, "traces" | "units"> {
  readonly run: RunFacts;
  readonly results: Results;
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  /** The method that gains are counted over. A task without it counts them over its first arm. */
  readonly over: string;
  /** Of a run at work, when it was written: the page has no answers yet and reloads itself. */
  readonly writtenAt?: string | undefined;
}

/**
 * The whole report as one HTML file that asks nothing of any server. Equal material gives equal bytes. Tables and charts count
 * every row; the list of answers has some of a large run, and says what it leaves out.
 */
export function renderPage(material: PageMaterial): string {
  const { run, results, writtenAt } = material;
  const { summaries, facts } = results;
  const pairs = comparePairs({ ...material, summaries });
  const answers = writtenAt === undefined ? packAnswers({ ...material, summaries }) : undefined;
  const hasPersonas = answers?.packed.units.some(({ personas }) => personas > 0) === true;
  const drawn = drawnSections(material);
  const isSweep = ({ id }: PageSection): boolean => id === "sweep";
  const sections: readonly PageSection[] = [
    ...drawn.filter(isSweep),
    { id: "results", title: "Results", body: resultsMarkup(results) },
    ...(pairs.length === 0
      ? []
      : [{ id: "comparisons", title: "Compare any two", body: comparisonTables(pairs, facts) }]),
    ...drawn.filter((section) => !isSweep(section)),
    ...(hasPersonas ? [{ id: "personas", title: "Personas", body: personaBrowser }] : []),
    { id: "provenance", title: "Reproduce", body: provenance(run) },
  ];
  const first = glance({
    ...material,
    summaries,
    facts,
    pairs,
    hasAnswers: answers !== undefined,
    costChart: (fact) => costFigure(fact, material.charts),
    ...(run.controlsCommand === undefined ? {} : { controlsCommand: run.controlsCommand }),
  });
  const mark = [run.complete ? "" : "PARTIAL ", run.simulated ? "SIMULATED " : ""].join("");
  return renderDocument({
    title: `${mark}${run.name}`,
    madeBy: run.madeBy,
    header: header(run, first, writtenAt),
    sections: [...sections, ...(answers === undefined ? [] : [{ id: "rows-section", title: "Every answer" }])],
    main: html`${sections.map((section) => sectionMarkup(section, isSweep(section) || section.id === "results"))}
${answers && answersSection(answers.leftOut)}`,
    ...(answers === undefined
      ? {}
      : {
          buttons: html`<button type="button" id="show-help" aria-label="Keys">?</button>`,
          data: html`${helpDialog}
<script type="application/json" id="run">${new Markup(jsonText(answers.packed))}</script>
${answers.answerTexts.map((text, c) => chunkElement(`answer-chunk-${c}`, text))}
${answers.unitTexts.map((text, c) => chunkElement(`unit-chunk-${c}`, text))}`,
        }),
  });
}

const personaBrowser = html`<div id="persona-browser"><p class="context">What alignment wrote for one user, and what each step changed.</p>
<label for="persona-of">User</label> <select id="persona-of"></select><div id="persona-versions"></div></div>`;

const chunkElement = (id: string, base64: string): Markup =>
  html`<script type="text/plain" id="${id}">${new Markup(base64)}</script>
`;

/** What a reader must know of a run before any number. No times: equal runs give equal pages. */
export interface RunFacts {
  /** What a person would call it: `prompt and rag on LaMP-2M`. */
  readonly name: string;
  readonly simulated: boolean;
  /** Whether the run has ended. */
  readonly complete: boolean;
  /** Pairs of a short title and what it says. */
  readonly facts: readonly (readonly [title: string, value: string])[];
  /** Data files and what else is known by a hash. */
  readonly hashes: readonly (readonly [name: string, hash: string])[];
  /** Command lines that make the run again. */
  readonly reproduce: readonly string[];
  /** `lamp-eval 0.1.0`. */
  readonly madeBy: string;
  /** The command that runs a method with the user's own past and with others. */
  readonly controlsCommand?: (task: string, method: string) => string;
}

/** Name, banners, the answer to what a reader wants to know first, and behind a title the facts. */
function header({ name, simulated, complete, facts }: RunFacts, answer: Markup, writtenAt: string | undefined): Markup {
  const isPartial = !complete && writtenAt === undefined;
  return html`<h1>${name}</h1>
${
  writtenAt === undefined
    ? undefined
    : html`<p class="banner" role="note" id="at-work"><strong>AT WORK</strong> Written at ${writtenAt}, anew while the run works; this page reloads itself. Answers and transcripts follow when it has ended.</p>`
}
${
  isPartial
    ? html`<p class="banner" role="note"><strong>PARTIAL</strong> The run has not ended; the same command finishes it.</p>`
    : undefined
}
${
  simulated
    ? html`<p class="banner" role="note"><strong>SIMULATED</strong> Answered by the embedded model: these numbers show that the pipeline works. They are not comparable with a paper.</p>`
    : undefined
}
${answer}
<details class="about"><summary>What was run</summary>${factList(facts.map(([title, value]) => [title, html`${value}`]))}</details>`;
}

/** The commands that make the run again, and the hashes that tell whether it is the same. */
const provenance = ({ hashes, reproduce }: RunFacts): Markup =>
  html`<pre>${reproduce.join("\n")}</pre>
${factList(hashes.map(([title, hash]) => [title, html`<code>${hash}</code>`]))}`;

const factList = (facts: readonly (readonly [title: string, value: Markup])[]): Markup =>
  html`<dl class="facts">${facts.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`;

/** Questions against methods, empty: the page's script fills it. */
const answersSection = (
  left: Markup | undefined,
): Markup => html`<section id="rows-section" aria-labelledby="rows-heading">
<h2><span id="rows-heading">Every answer</span> <output id="rows-count" form="filter-form" aria-live="polite"></output></h2>
${left}<noscript><p>The answers need JavaScript; <code>lamp-eval show</code> prints the same transcripts.</p></noscript>
<form id="filter-form" role="search" aria-label="Filter the questions">
<select id="filter-task" aria-label="task"></select>
<input id="filter-text" type="search" placeholder="search ( / )" aria-label="search in ids, questions, golds and replies" autocomplete="off">
<label><input id="filter-transcripts" type="checkbox"> in transcripts too</label>
<select id="filter-show" aria-label="which questions">
<option value="all">all questions</option><option value="wrong">wrong, unparsed too</option><option value="right">right</option>
<option value="unparsed">unparsed</option><option value="failed">failed</option>
<option value="flipped">other than …</option><option value="gained">better than …</option><option value="lost">worse than …</option>
</select>
<select id="filter-against" aria-label="method that answers differ from"></select>
<select id="filter-method" aria-label="by which method"></select>
<input id="filter-user" list="user-names" placeholder="user" aria-label="user" autocomplete="off"><datalist id="user-names"></datalist>
<select id="filter-order" aria-label="order"><option value="differ">most disagreement first</option><option value="run">order of the run</option><option value="worst">worst first</option><option value="best">best first</option></select>
<button type="reset">Clear</button>
</form>
<p class="context"><span class="mark right">✓</span> right · <span class="mark wrong">✗</span> wrong · <span class="mark unparsed">?</span> unparsed · <span class="mark failed">!</span> failed · <span class="mark error-3">±2</span> error · <span class="mark error-2">.42</span> score of a text. A click, or Enter, opens two transcripts side by side.</p>
<div class="browser">
<div id="rows-grid" role="grid" tabindex="0" aria-label="Questions against methods" aria-rowcount="0">
<div role="row" class="line titles" id="rows-titles" aria-rowindex="1"></div>
<div id="rows-body" role="rowgroup"></div>
</div>
<aside id="detail" aria-label="Transcripts" tabindex="-1"></aside>
</div>
</section>`;

const helpDialog: Markup = html`<dialog id="help" aria-labelledby="help-title">
<h3 id="help-title">Keys</h3>
<dl>${(
  [
    ["j, k", "next, previous question"],
    ["arrows", "from answer to answer"],
    ["Enter", "open the answer beside another method's"],
    ["Esc", "close it, else clear the filter; empty a field"],
    ["/", "search"],
    ["t", "theme: auto, light, dark"],
    ["?", "this help"],
  ] as const
).map(([keys, what]) => html`<dt><kbd>${keys}</kbd></dt><dd>${what}</dd>`)}</dl>
<p class="context">The address tells what is shown: copy it to share a filter or an answer.</p>
<form method="dialog"><button>Close</button></form>
</dialog>`;
