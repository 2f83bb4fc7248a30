import { html, type Markup } from "./markup.js";

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
  /** What a program that reads the page must know, by name. */
  readonly meta?: Readonly<Record<string, string>>;
}

/** Name, banners, the answer to what a reader wants to know first, and behind a title the facts. */
export function header({ name, simulated, complete, facts }: RunFacts, answer: Markup | undefined): Markup {
  return html`<header class="page">
<h1>${name}</h1>
${
  complete
    ? undefined
    : html`<p class="banner" role="note"><strong>PARTIAL</strong> The run has not ended; the same command finishes it.</p>`
}
${
  simulated
    ? html`<p class="banner" role="note"><strong>SIMULATED</strong> Answered by the embedded model: these numbers show that the pipeline works. They are not comparable with a paper.</p>`
    : undefined
}
${answer}
<details class="about"><summary>What was run</summary>${factList(facts.map(([title, value]) => [title, html`${value}`]))}</details>
</header>`;
}

/** The commands that make the run again, and the hashes that tell whether it is the same. */
export const provenance = ({ hashes, reproduce }: RunFacts): Markup =>
  html`<pre>${reproduce.join("\n")}</pre>
${factList(hashes.map(([title, hash]) => [title, html`<code>${hash}</code>`]))}`;

const factList = (facts: readonly (readonly [title: string, value: Markup])[]): Markup =>
  html`<dl class="facts">${facts.map(([title, value]) => html`<div><dt>${title}</dt><dd>${value}</dd></div>`)}</dl>`;
