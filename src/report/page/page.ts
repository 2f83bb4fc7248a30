import { createHash } from "node:crypto";
import type { Cell, Row, Task } from "../../types.js";
import type { Results } from "../tables/results.js";
import { answers } from "./answer.js";
import { listedRows } from "./choose-rows.js";
import { compareAllArms, comparisonTables } from "./comparisons.js";
import { header, provenance, type RunFacts } from "./header.js";
import { html, jsonText, Markup } from "./markup.js";
import { orderRows, packRows } from "./pack-rows.js";
import { packTranscripts, type TranscriptMaterial } from "./pack-transcripts.js";
import { resultsTables } from "./results-tables.js";
import { helpDialog, rowsSection } from "./rows-section.js";
import { pageScript } from "./script.js.js";
import { type PageSection, sectionMarkup } from "./section.js";
import { style } from "./style.css.js";

export interface PageMaterial extends Pick<TranscriptMaterial, "traces" | "units" | "callsOf"> {
  readonly run: RunFacts;
  readonly results: Results;
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Row[];
  /** The method that the flipped answers of a large run differ from. Default: the first that each task has. */
  readonly over?: string;
  /** Charts and tables that others drew, in the order to show them in. */
  readonly sections: readonly PageSection[];
}

/**
 * The whole report as one HTML file that asks nothing of any server. Equal material gives equal bytes. Tables and charts count
 * every row; the list of answers has some of a large run, and says what it leaves out.
 */
export function renderPage(material: PageMaterial): string {
  const { run, results, cells, task } = material;
  const rows = orderRows(material);
  const listed = listedRows({ ...material, rows });
  const { rowTexts, unitTexts, ...places } = packTranscripts({ ...material, rows: listed.rows });
  const packed = packRows({ cells, summaries: results.summaries, task, rows: listed.rows }, places);
  const compared = compareAllArms({ cells, summaries: results.summaries, task, rows });
  const hasPersonas = packed.units.some(({ personas }) => personas > 0);
  const isFirst = ({ id }: PageSection): boolean => id === "overview" || id === "sweep";
  const sections: readonly PageSection[] = [
    ...material.sections.filter(isFirst),
    { id: "results", title: "Results", body: resultsTables(results) },
    ...(compared.length === 0
      ? []
      : [{ id: "comparisons", title: "Comparisons", body: comparisonTables(compared, (name) => task(name).title) }]),
    ...material.sections.filter((section) => !isFirst(section)),
    ...(hasPersonas ? [{ id: "personas", title: "Personas", body: personaBrowser }] : []),
    { id: "provenance", title: "Reproduce", body: provenance(run) },
  ];
  const mark = [run.complete ? "" : "PARTIAL ", run.simulated ? "SIMULATED " : ""].join("");
  return html`<!doctype html>
<html lang="en" data-theme="auto">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${Object.entries(run.meta ?? {}).map(
  ([name, content]) => html`<meta name="${name}" content="${content}">
`,
)}<title>${mark}${run.name} · lamp-eval</title>
<style>${new Markup(style)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
${header(run, answers({ summaries: results.summaries, compared, title: (name) => task(name).title }))}
<nav class="page" aria-label="Sections"><div><ul>${sections.map(
    ({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`,
  )}<li><a href="#rows-section">Every answer</a></li></ul>
<button type="button" id="show-help" aria-label="Keys">?</button><button type="button" id="theme">Theme: auto</button></div></nav>
<main id="main" tabindex="-1">
${sections.map((section) => sectionMarkup(section, isFirst(section) || section.id === "results"))}
${rowsSection(listed.leftOut)}
</main>
<footer>Made by lamp-eval. This file holds everything it shows and asks nothing of any server.</footer>
${helpDialog}
${dataElement("results", jsonText({ complete: run.complete, simulated: run.simulated, tasks: results.facts, results: results.summaries }))}
${dataElement("rows", jsonText(packed))}
<script>${new Markup(pageScript)}</script>
${rowTexts.map((text, c) => chunkElement(`row-chunk-${c}`, text))}
${unitTexts.map((text, c) => chunkElement(`unit-chunk-${c}`, text))}
</body>
</html>
`.text;
}

/** Only this script runs, and nothing is fetched, framed or sent. Styles: charts carry style attributes. */
const contentPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(pageScript).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const personaBrowser = html`<div id="persona-browser"><p class="context">What alignment wrote for one user, and what each step changed.</p>
<label for="persona-of">User</label> <select id="persona-of"></select><div id="persona-versions"></div></div>`;

/** `json`: safe inside a script element (`jsonText`). */
const dataElement = (id: string, json: string): Markup =>
  html`<script type="application/json" id="${id}">${new Markup(json)}</script>`;

const chunkElement = (id: string, base64: string): Markup =>
  html`<script type="text/plain" id="${id}">${new Markup(base64)}</script>
`;
