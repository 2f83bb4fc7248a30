import { armLabel } from "../../results/arms.js";
import { isSignificant } from "../../results/inference.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import { html, type Markup } from "../html.js";
import { formatGain, formatP, formatScore } from "../tables/format.js";
import type { ComparedPair } from "./verdict.js";

/** Writes the gains between all methods of a task, the best first. `arms`: in that order; none where there are no two. */
export function pairsFigure(
  id: string,
  task: string,
  { arms, pairs }: { readonly arms: readonly Summary[]; readonly pairs: readonly ComparedPair[] },
): Markup | undefined {
  const metric = pairs[0]?.comparison.metrics[0];
  if (metric === undefined) return undefined;
  const others = arms.slice(1);
  const lines = arms.slice(0, -1).map((arm, row) => {
    const cells = others.map((reference, column) => {
      const pair = column < row ? undefined : pairs.find((one) => one.arm === arm && one.reference === reference);
      return html`<td>${pair && cellOf(pair, task)}</td>`;
    });
    const score = html`<small>${formatScore(arm.metrics[0]?.strict)}</small>`;
    return html`<tr><th scope="row">${armLabel(arm)} ${score}</th>${cells}</tr>\n`;
  });
  const heads = others.map((arm) => html`<th scope="col">${armLabel(arm)}</th>`);
  return html`<figure id="${id}" class="pairs-figure"><figcaption><b>Every pair of methods</b>
<span>select a cell to read the pair and its questions</span></figcaption>
<div class="scroller"><div class="scroll" tabindex="0" role="region" aria-label="Gains between methods on ${task}">
<table class="pairs" style="--columns:${others.length}">
<caption class="hidden">Gain in ${metric.name} of the method of the row over that of the column, and p</caption>
<thead><tr><th scope="col">gain of ↓ over →</th>${heads}</tr></thead><tbody>${lines}</tbody></table></div>
<p class="cue" aria-hidden="true">more columns →</p></div>
<p class="note">Upper figure: gain in ${metric.name}; lower: p of this pair alone; shaded: p ≤ .05.</p>
<p class="pair-says js" aria-live="polite"></p></figure>`;
}

function cellOf({ arm, reference, comparison }: ComparedPair, task: string): Markup {
  const [a, b] = [armLabel(arm), armLabel(reference)];
  const { gain, p } = comparison.metrics[0]!; // compared by one metric
  const kind = isSignificant(p) ? "sure" : "";
  const says = sentenceOf(a, b, comparison);
  return html`<button type="button" class="${kind}" data-a="${a}" data-b="${b}" data-task="${task}" data-says="${says}">
<span class="hidden">${a} over ${b}: </span>${formatGain(gain)}
<small><span class="hidden">, p </span>${formatP(p)}</small></button>`;
}

function sentenceOf(a: string, b: string, { metrics, questions }: ComparedPair["comparison"]): string {
  const { gain, interval, p, detectable = 0 } = metrics[0]!; // compared by one metric
  const isEqual = formatGain(gain) === formatScore(0);
  const bounds = interval && !isEqual ? ` [${formatGain(interval.low)}, ${formatGain(interval.high)}]` : "";
  const compared = isEqual ? `${a} and ${b} are equal` : `${a} ${formatGain(gain)} over ${b}`;
  const found =
    detectable < 0.0005 ? "" : ` With these users a gain of ${formatScore(detectable)} is found in 80 % of cases.`;
  return `${compared}${bounds}, p ${formatP(p)}, on ${countOf(questions, "question")}.${found}`;
}
