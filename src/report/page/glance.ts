import { armLabel } from "../../results/arms.js";
import { ranked } from "../../results/gains.js";
import { isSignificant } from "../../results/inference.js";
import type { Summary } from "../../results/summary.js";
import { KNOB as CONTROL } from "../../run/plan/controls.js";
import { countOf } from "../../text/count.js";
import type { Cell } from "../../types/index.js";
import { gainSentence } from "../compare/text.js";
import { dash } from "../table.js";
import { formatAmount, formatGain, formatP, formatScore, formatUsd } from "../tables/format.js";
import type { TaskFacts } from "../tables/results.js";
import { type ArmPair, asGains, type Gain, gainBetween, referenceOf } from "./comparisons.js";
import { html, type Markup } from "./markup.js";

/** What the first screen is made of: every number of it stands in a table below, too. */
export interface GlanceMaterial {
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
  readonly cells: readonly Cell[];
  /** Every two arms. */
  readonly pairs: readonly ArmPair[];
  /** The method that gains are counted over. */
  readonly over: string;
  /** Whether the page has the answers, which the verdict leads to. */
  readonly hasAnswers: boolean;
  /** Score against cost, drawn; undefined where no cost is known. */
  readonly costChart: (fact: TaskFacts) => Markup | undefined;
  /** The command that runs a method with the user's own past and with others. */
  readonly controlsCommand?: (task: string, method: string) => string;
}

/** One task's part of it. */
interface TaskMaterial extends GlanceMaterial {
  /** The pairs with the reference of each task: the families. */
  readonly gains: readonly ArmPair[];
  /** The arm that an arm's gain is counted over. */
  readonly references: ReadonlyMap<Summary, Summary | undefined>;
  readonly fact: TaskFacts;
  /** The arms of the task, best first. */
  readonly arms: readonly Summary[];
}

/** A card a task: the verdict, what it rests on, gains over the reference, score against cost, and what the own past is worth. */
export function glance(material: GlanceMaterial): Markup {
  const { facts, summaries, pairs, over } = material;
  const tasks = facts.map((fact) => ({
    fact,
    ofTask: summaries.filter(({ task, dataset }) => task === fact.task && dataset === fact.dataset),
  }));
  const references = new Map(
    tasks.flatMap(({ ofTask }) => ofTask.map((arm) => [arm, referenceOf(arm, ofTask, over)] as const)),
  );
  const related = pairs.filter(
    ({ better, other }) => references.get(better) === other || references.get(other) === better,
  );
  const isFamily = [...references.values()].every((reference) => reference?.method === over);
  const gains = isFamily ? asGains(related) : related;
  const cards = tasks.flatMap(({ fact, ofTask }) =>
    ofTask.length === 0 ? [] : [card({ ...material, gains, references, fact, arms: ranked(ofTask, (arm) => arm) })],
  );
  return html`<div class="answers" id="answer">${cards}</div>`;
}

function card(material: TaskMaterial): Markup {
  const { fact, arms } = material;
  const gains = gainsTable(material);
  const cost = material.costChart(fact);
  const [lead, rest] = verdict(material);
  return html`<section class="answer" aria-label="Answer on ${fact.title}"><h2>${fact.title}</h2>
<p class="says"><strong>${lead}</strong>${rest}${differingLink(material)}</p>
<dl class="rests">${factsOf(material).map(([title, text]) => html`<div><dt>${title}</dt><dd>${text}</dd></div>`)}</dl>
${gains === undefined && cost === undefined ? undefined : html`<div class="sides">${gains}${cost}</div>`}
${arms.every(({ planned }) => planned === undefined) ? ownPast(material) : undefined}</section>
`;
}

/** What a reader asks first: `accuracy: rag .675, +.013 over pag (95 % CI -.021 to .047)`, then `; they differ on 1 of 80 questions; majority label .200`. */
function verdict({ fact, arms, pairs }: TaskMaterial): readonly [lead: string, rest: string] {
  const [best, next] = arms.filter(({ planned, metrics }) => planned === undefined && metrics[0]?.strict !== undefined);
  const metric = best?.metrics[0];
  if (best === undefined || metric?.strict === undefined) {
    const asked = arms.reduce((sum, { counts }) => sum + counts.questions, 0);
    const all = arms.reduce((sum, { counts, planned }) => sum + (planned ?? counts.questions), 0);
    return [`${formatAmount(asked)} of ${countOf(all, "answer")} so far`, "; no method has all of its own yet"];
  }
  const score = `${metric.name} ${formatScore(metric.strict)}`;
  const floor = fact.floor?.values[metric.name];
  if (floor !== undefined && !isAbove(best, floor))
    return [
      `No method is better than the ${fact.floor?.name} (${formatScore(floor)})`,
      `; the best is ${armLabel(best)}, ${score}`,
    ];
  const majority = floor === undefined ? "" : `; ${fact.floor?.name} ${formatScore(floor)}`;
  const lead = `${armLabel(best)}: ${score}`;
  if (next === undefined) return [lead, `${majority}; no other method to compare it with`];
  const [says, more] = rivalText(best, next, pairs);
  return [says === undefined ? lead : `${metric.name}: ${says}`, `${more}${majority}`];
}

/** What the best arm gains over the next one, and what is to be known besides. */
function rivalText(best: Summary, next: Summary, pairs: readonly ArmPair[]): readonly [string | undefined, string] {
  const pair = pairs.find(({ better, other }) => better === best && other === next);
  if (pair === undefined) return [undefined, `; ${armLabel(next)} is next; no question was answered by both`];
  const { gain, comparison, differing } = pair;
  const score = comparison.metrics[0]?.b;
  const differ =
    differing === undefined
      ? ""
      : `; they differ on ${formatAmount(differing)} of ${countOf(comparison.questions, "question")}`;
  const where = best.counts.failed + next.counts.failed > 0 ? ", where both answered" : "";
  const { value, interval } = gain;
  const says = gainSentence({ name: armLabel(best), score, over: armLabel(next), gain: value, interval });
  return [says, `${where}${differ}`];
}

/** `.004*`: marked where it survives Holm's correction; undefined where there is no p. */
const pText = ({ p, holm }: Gain): string | undefined =>
  p === undefined ? undefined : `${formatP(p)}${isSignificant(holm) ? "*" : ""}`;

const boundsOf = ({ interval }: Gain): string =>
  interval === undefined ? "" : ` [${formatGain(interval.low)}, ${formatGain(interval.high)}]`;

const isAbove = ({ metrics: [metric] }: Summary, floor: number): boolean =>
  metric?.strict !== undefined && (metric.better === "lower" ? metric.strict < floor : metric.strict > floor);

function differingLink({ arms: [best, next], pairs, hasAnswers }: TaskMaterial): Markup | undefined {
  const pair = pairs.find(({ better, other }) => better === best && other === next);
  if (!hasAnswers || best === undefined || next === undefined || pair === undefined || pair.differing === 0)
    return undefined;
  const shown = { task: best.task, method: armLabel(best), show: "flipped", against: armLabel(next) };
  return html` <a href="#${new URLSearchParams(shown).toString()}">the answers that differ</a>`;
}

/** What the verdict rests on. */
function factsOf({ arms, pairs }: TaskMaterial): (readonly [title: string, text: string])[] {
  const sum = (of: (arm: Summary) => number): number => arms.reduce((total, arm) => total + of(arm), 0);
  const users = arms.reduce((most, arm) => Math.max(most, arm.users), 0);
  const kinds = (["answered", "unparsed", "failed"] as const).map(
    (kind) => `${formatAmount(sum(({ counts }) => counts[kind]))} ${kind}`,
  );
  const answers = `${formatAmount(sum(({ counts }) => counts.questions))}: ${kinds.join(", ")}`;
  const priced = arms.flatMap(({ usd }) => usd ?? []);
  const paid = formatUsd(priced.reduce((total, usd) => total + usd, 0));
  const [best, next] = arms;
  const pair = pairs.find(({ better, other }) => better === best && other === next);
  const found = pair?.comparison.metrics[0]?.detectable;
  return [
    ["users", formatAmount(users)],
    ["questions asked", answers],
    ...(pair === undefined
      ? []
      : [
          [
            "smallest difference found in 80 % of cases",
            found === undefined
              ? "none: too few users"
              : `${formatScore(found)} between ${armLabel(pair.better)} and ${armLabel(pair.other)}`,
          ] as const,
        ]),
    ["cost", priced.length === 0 ? "price unknown" : `${paid}${priced.length < arms.length ? " and more" : ""}`],
  ];
}

/** Paired gains over the reference, the largest first, on one scale with a line at zero. */
function gainsTable({ fact, arms, gains: pairs, references }: TaskMaterial): Markup | undefined {
  const gains = arms
    .flatMap((arm) => {
      const reference = references.get(arm);
      const gain = reference && gainBetween(pairs, arm, reference);
      return gain === undefined ? [] : [{ arm, reference, gain }];
    })
    .sort((a, b) => b.gain.value - a.gain.value);
  const [first] = gains;
  if (first?.reference === undefined) return undefined;
  const ends = gains.flatMap(({ gain: { value, interval } }) => [
    value,
    interval?.low ?? value,
    interval?.high ?? value,
  ]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const span = high - low || 1;
  const at = (value: number): string => `${(((value - low) / span) * 100).toFixed(2)}%`;
  const { metrics, method } = first.reference;
  const [metric] = metrics;
  const floor = metric === undefined ? undefined : fact.floor?.values[metric.name];
  const zero = html`<i class="zero" style="left:${at(0)}"></i>`;
  const drawn = ({ value, interval }: Gain) =>
    html`${zero}${
      interval === undefined
        ? undefined
        : html`<i class="range" style="left:${at(interval.low)};right:${(100 - Number.parseFloat(at(interval.high))).toFixed(2)}%"></i>`
    }<i class="dot" style="left:${at(value)}"></i>`;
  const isOne = gains.every(({ reference }) => reference === first.reference);
  const over = isOne ? `${armLabel(first.reference)} (${metric?.name} ${formatScore(metric?.strict)})` : method;
  return html`<figure class="gains"><figcaption><strong>Gain over ${over}</strong><span>On the same questions, positive is better; line: 95 % interval over users. p: this pair alone; *: p ≤ .05 after Holm over ${countOf(gains.length, "comparison")}.</span></figcaption>
<table><caption class="hidden">Gains over ${over}</caption>
<thead><tr><th scope="col">method</th><th scope="col" class="plot"><div class="ends"><span>${formatGain(low)}</span><span>${formatGain(high)}</span></div></th><th scope="col">gain [95 %]</th><th scope="col" class="sure">p</th></tr></thead>
<tbody>${gains.map(
    ({ arm, gain }) => html`<tr><th scope="row">${armLabel(arm)}${
      floor === undefined || isAbove(arm, floor) ? undefined : html`<small>not above the ${fact.floor?.name}</small>`
    }</th><td class="plot"><div>${drawn(gain)}</div></td><td>${formatGain(gain.value)}<small>${boundsOf(gain)}</small></td><td class="sure">${pText(gain) ?? dash}</td></tr>
`,
  )}</tbody></table></figure>`;
}

/** What it is worth that the past is the user's own; where that was not run, how to. */
function ownPast({ fact, arms, cells, pairs, over, controlsCommand }: TaskMaterial): Markup | undefined {
  const pastOf = (arm: Summary) => cells.find(({ id }) => id === arm.cells[0])?.options[CONTROL];
  const others = arms.filter((arm) => pastOf(arm) === "other-user");
  const lines = others.flatMap((other) => {
    const own = arms.find((arm) => arm.method === other.method && (pastOf(arm) ?? "right") === "right");
    const gain = own && gainBetween(pairs, own, other);
    if (own === undefined || gain === undefined) return [];
    const [mine, theirs] = [own, other].map(({ metrics: [metric] }) => formatScore(metric?.strict));
    return [
      html`<li>${other.method}: own past ${mine}, another user’s ${theirs}: ${formatGain(gain.value)}${boundsOf(gain)}, p ${pText(gain) ?? dash}</li>`,
    ];
  });
  if (lines.length > 0) return html`<div class="past"><h3>Own past against another user’s</h3><ul>${lines}</ul></div>`;
  const method = arms.find((arm) => arm.method !== over);
  if (method === undefined || controlsCommand === undefined) return undefined;
  return html`<p class="past">Own past against another user’s: not run. <code>${controlsCommand(fact.task, method.method)}</code> (${priceOf(method)})</p>`;
}

/** The own past and another user's. */
const PASTS = 2;

function priceOf({ usd, callsPerQuery = 0, callsPerUser = 0, counts, users }: Summary): string {
  const calls = Math.ceil(PASTS * (callsPerQuery * counts.questions + callsPerUser * users));
  const price = usd === undefined ? "price unknown" : formatUsd(PASTS * usd);
  return `about ${countOf(calls, "call")}, ${price}`;
}
