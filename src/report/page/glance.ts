import { armLabel } from "../../results/arms.js";
import { compareArms, gainOf, isMean } from "../../results/compare.js";
import { type ArmMaterial, type Gains, ranked, rowsByArm } from "../../results/gains.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import { gainSentence } from "../compare/text.js";
import { html, type Markup } from "../markup.js";
import { dash, type Estimate } from "../table.js";
import { gainEstimate, isBelow, markedP, pLegend } from "../tables/arm-columns.js";
import { formatAmount, formatGain, formatP, formatScore, formatUsd } from "../tables/format.js";
import type { TaskFacts } from "../tables/results.js";
import { type ArmPair, metricOf } from "./pairs.js";

/** What the first screen is made of: every number of it stands in a table below, too. */
export interface GlanceMaterial extends ArmMaterial {
  readonly facts: readonly TaskFacts[];
  readonly pairs: readonly ArmPair[];
  readonly gains: Gains;
  /** Whether the page has the answers, which the verdict leads to. */
  readonly hasAnswers: boolean;
  /** Score against cost, drawn; undefined where no cost is known. */
  readonly costChart: (fact: TaskFacts) => Markup | undefined;
}

/** A card a task: the verdict, what it rests on, gains over the reference, and score against cost. */
export function glance(material: GlanceMaterial): Markup {
  const cards = material.facts.map((fact) => {
    const ofTask = material.summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset);
    const arms = ranked(ofTask, (arm) => arm);
    return arms.length === 0 ? undefined : card(material, fact, arms);
  });
  return html`<div class="answers" id="answer">${cards}</div>`;
}

function card(material: GlanceMaterial, fact: TaskFacts, arms: readonly Summary[]): Markup {
  const [best, next] = arms.filter(({ planned, metrics }) => planned === undefined && metrics[0]?.strict !== undefined);
  const pair = material.pairs.find(({ better, other }) => better === best && other === next);
  const sides = [gainsTable(arms, fact, material.gains), material.costChart(fact)].filter((side) => side !== undefined);
  return html`<section class="answer" aria-label="Answer on ${fact.title}"><h2>${fact.title}</h2>
<p class="says">${best === undefined ? soFar(arms) : verdict(best, next, { fact, pair, material })}</p>
<dl class="rests">${factsOf(arms, pair).map(([title, text]) => html`<div><dt>${title}</dt><dd>${text}</dd></div>`)}</dl>
${sides.length === 0 ? undefined : html`<div class="sides">${sides}</div>`}</section>
`;
}

function soFar(arms: readonly Summary[]): Markup {
  const asked = arms.reduce((sum, { counts }) => sum + counts.questions, 0);
  const all = arms.reduce((sum, { counts, planned }) => sum + (planned ?? counts.questions), 0);
  return html`<strong>${formatAmount(asked)} of ${countOf(all, "answer")} so far</strong>; no method has all of its own yet`;
}

interface Verdict {
  readonly fact: TaskFacts;
  readonly pair: ArmPair | undefined;
  readonly material: GlanceMaterial;
}

/** `accuracy: rag .675, +.013 over pag (95 % CI -.021 to .047); they differ on 1 of 80 questions; majority label .200`. */
function verdict(best: Summary, next: Summary | undefined, { fact: { floor }, pair, material }: Verdict): Markup {
  const metric = best.metrics[0]!; // it has a score
  const floorScore = floor === undefined ? "" : `${floor.name} ${formatScore(floor.values[metric.name])}`;
  if (floor !== undefined && gainOf(metric, floor.values[metric.name] ?? 0, metric.strict ?? 0) <= 0)
    return html`<strong>No method is better than the ${floorScore}</strong>; the best is ${armLabel(best)}, ${metric.name} ${formatScore(metric.strict)}`;
  const tail = floor === undefined ? "" : `; ${floorScore}`;
  if (next === undefined || pair === undefined) {
    const why =
      next === undefined ? "no other method to compare it with" : `no question that ${armLabel(next)} answered too`;
    return html`<strong>${metric.name}: ${armLabel(best)} ${formatScore(metric.strict)}</strong>; ${why}${tail}`;
  }
  const { b, gain, interval } = metricOf(pair);
  const says = gainSentence({ name: armLabel(best), score: b, over: armLabel(next), gain, interval });
  const differ = differing(best, next, material);
  const count =
    differ === undefined
      ? ""
      : `; they differ on ${formatAmount(differ)} of ${countOf(pair.comparison.questions, "question")}`;
  return html`<strong>${metric.name}: ${says}</strong>${count}${tail}${
    material.hasAnswers && differ !== 0 ? answersLink(best, next) : undefined
  }`;
}

/** Questions whose value differs; undefined where the metric is no mean over questions. */
function differing(best: Summary, next: Summary, { task, rows }: GlanceMaterial): number | undefined {
  const metrics = task(best.task).metrics.slice(0, 1);
  const rowsOf = rowsByArm(rows);
  return metrics.every(isMean) ? compareArms({ a: rowsOf(next), b: rowsOf(best), metrics }).flipped.length : undefined;
}

function answersLink(best: Summary, next: Summary): Markup {
  const shown = { task: best.task, method: armLabel(best), show: "other", against: armLabel(next) };
  return html` <a href="#${new URLSearchParams(shown).toString()}">the answers that differ</a>`;
}

/** What the verdict rests on. */
function factsOf(arms: readonly Summary[], pair: ArmPair | undefined): (readonly [title: string, text: string])[] {
  const sum = (of: (arm: Summary) => number): number => arms.reduce((total, arm) => total + of(arm), 0);
  const kinds = (["answered", "unparsed", "failed"] as const).map(
    (kind) => `${formatAmount(sum(({ counts }) => counts[kind]))} ${kind}`,
  );
  const priced = arms.flatMap(({ usd }) => usd ?? []);
  const paid = formatUsd(priced.reduce((total, usd) => total + usd, 0));
  const unpriced = arms.every(({ simulated }) => simulated) ? "-" : "price unknown: --prices FILE";
  const detectable = pair && metricOf(pair).detectable;
  return [
    ["users", formatAmount(Math.max(...arms.map(({ users }) => users)))],
    ["answers", `${formatAmount(sum(({ counts }) => counts.questions))}: ${kinds.join(", ")}`],
    ...(pair === undefined
      ? []
      : [
          [
            "smallest difference found in 80 % of cases",
            detectable === undefined ? "none: too few users" : formatScore(detectable),
          ] as const,
        ]),
    ["cost", priced.length === 0 ? unpriced : `${paid}${priced.length < arms.length ? " and more" : ""}`],
  ];
}

/** Gains over the reference, the largest first, on one scale with a line at zero: the numbers of the results table. */
function gainsTable(arms: readonly Summary[], { floor }: TaskFacts, gains: Gains): Markup | undefined {
  const lines = arms
    .flatMap((arm) => {
      const gain = gainEstimate(gains.of(arm));
      return gain?.value === undefined ? [] : [{ arm, ...gain, value: gain.value, p: markedP(gains.of(arm)) }];
    })
    .sort((a, b) => b.value - a.value);
  if (lines.length === 0) return undefined;
  const ends = lines.flatMap(({ value, interval }) => [value, interval?.low ?? value, interval?.high ?? value]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const at = (value: number): number => ((value - low) / (high - low || 1)) * 100;
  const drawn = ({ value, interval }: Estimate & { readonly value: number }) =>
    html`<i class="zero" style="left:${at(0).toFixed(2)}%"></i>${
      interval &&
      html`<i class="range" style="left:${at(interval.low).toFixed(2)}%;right:${(100 - at(interval.high)).toFixed(2)}%"></i>`
    }<i class="dot" style="left:${at(value).toFixed(2)}%"></i>`;
  const reference = arms.find(({ method }) => method === gains.over)?.metrics[0];
  const over = `${gains.over}${reference === undefined ? "" : ` (${reference.name} ${formatScore(reference.strict)})`}`;
  const [legend = ""] = pLegend(gains.of, arms);
  const rows = lines.map(({ arm, p, ...gain }) => {
    const { interval } = gain;
    const bounds = interval === undefined ? `[${dash}]` : `[${formatGain(interval.low)}, ${formatGain(interval.high)}]`;
    const below = isBelow(arm, floor) ? html`<small>below the ${floor?.name}</small>` : undefined;
    return html`<tr><th scope="row">${armLabel(arm)}${below}</th><td class="plot"><div>${drawn(gain)}</div></td><td>${formatGain(gain.value)} <small>${bounds}</small></td><td class="p">${formatP(p?.value)}${p?.mark}</td></tr>
`;
  });
  return html`<figure class="gains"><figcaption><strong>Gain over ${over}</strong><span>On the same questions; positive is better; line: 95 % interval over users. ${legend}</span></figcaption>
<table><caption class="hidden">Gains over ${over}</caption>
<thead><tr><th scope="col">method</th><th scope="col" class="plot"><div class="ends"><span>${formatGain(low)}</span><span>${formatGain(high)}</span></div></th><th scope="col">gain [95 %]</th><th scope="col" class="p">p</th></tr></thead>
<tbody>${rows}</tbody></table></figure>`;
}
