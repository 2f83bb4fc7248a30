import { isSignificant } from "../../statistics/holm.js";
import { armLabel } from "../arms.js";
import type { Summary } from "../summary.js";
import { formatAmount, formatCost, formatP, formatScore } from "../tables/format.js";
import type { ArmComparison } from "./comparisons.js";
import { html, type Markup } from "./markup.js";

/** What the first screen is made of: every number of it stands in a table below, too. */
interface AnswerMaterial {
  readonly summaries: readonly Summary[];
  readonly compared: readonly ArmComparison[];
  readonly title: (task: string) => string;
}

/**
 * For each task: which method does best by the headline metric, by how much over which other one, how sure that is, and at what
 * price. Unfinished arms are not ranked; a task on which nothing is scored is left out.
 */
export function answers({ summaries, compared, title }: AnswerMaterial): Markup | undefined {
  const tasks = [...new Map(summaries.map((one) => [`${one.task}\t${one.dataset}`, one])).values()];
  const cards = tasks.flatMap(({ task, dataset }) => {
    const ranked = ranking(summaries.filter((one) => one.task === task && one.dataset === dataset));
    const [best] = ranked;
    return best === undefined ? [] : [card(title(task), best, rivalOf(best, ranked, compared))];
  });
  return cards.length === 0 ? undefined : html`<div class="answers" id="answer">${cards}</div>`;
}

/** Another arm with the difference that `best` has over it; without a test where the pair was not compared. */
interface Rival {
  readonly summary: Summary;
  readonly gain?: { readonly value: number; readonly low?: number; readonly high?: number; readonly p?: number };
}

const scoreOf = ({ metrics }: Summary): number | undefined => metrics[0]?.strict;

/** Arms that are whole and have a score, the best first. */
function ranking(summaries: readonly Summary[]): Summary[] {
  const sign = summaries[0]?.metrics[0]?.better === "lower" ? -1 : 1;
  return summaries
    .filter((summary) => summary.planned === undefined && scoreOf(summary) !== undefined)
    .sort((a, b) => sign * ((scoreOf(b) ?? 0) - (scoreOf(a) ?? 0)));
}

/** The runner-up; of more methods than are all compared, the best one that was compared with the winner. */
function rivalOf(best: Summary, ranked: readonly Summary[], compared: readonly ArmComparison[]): Rival | undefined {
  const others = ranked.filter((one) => one !== best);
  for (const summary of others) {
    const gain = gainOver(best, summary, compared);
    if (gain !== undefined) return { summary, gain };
  }
  return others[0] === undefined ? undefined : { summary: others[0] };
}

function gainOver(best: Summary, other: Summary, compared: readonly ArmComparison[]): Rival["gain"] {
  const [mine, theirs] = [armLabel(best), armLabel(other)];
  for (const { task, dataset, a, b, comparison } of compared) {
    if (task !== best.task || dataset !== best.dataset) continue;
    const metric = comparison.metrics[0];
    if (metric === undefined) continue;
    const sign = a === theirs && b === mine ? 1 : a === mine && b === theirs ? -1 : 0;
    if (sign === 0) continue;
    const bounds = metric.overUsers?.interval;
    const [low, high] = bounds === undefined ? [] : [sign * bounds.low, sign * bounds.high].sort((x, y) => x - y);
    const p = metric.holm === undefined ? {} : { p: metric.holm };
    return { value: sign * metric.difference, ...(low === undefined || high === undefined ? {} : { low, high }), ...p };
  }
  return undefined;
}

function card(title: string, best: Summary, rival: Rival | undefined): Markup {
  const metric = best.metrics[0];
  const interval = metric?.interval;
  const bounds = interval === undefined ? "" : ` [${formatScore(interval.low)}, ${formatScore(interval.high)}]`;
  return html`<section class="answer" aria-label="Answer on ${title}"><h2>${title}</h2>
<p class="best"><strong>${armLabel(best)}</strong> ${metric?.name} ${formatScore(metric?.strict)}<small>${bounds}</small></p>
<dl>${rival === undefined ? undefined : rivalLines(best, rival)}<div><dt>price</dt><dd>${priceOf(best)}${
    rival === undefined ? "" : `; ${armLabel(rival.summary)}: ${priceOf(rival.summary)}`
  }</dd></div></dl></section>`;
}

function rivalLines(best: Summary, { summary, gain }: Rival): Markup {
  const name = armLabel(summary);
  const value = gain?.value ?? (scoreOf(best) ?? 0) - (scoreOf(summary) ?? 0);
  const bounds =
    gain?.low === undefined || gain.high === undefined ? "" : ` [${signed(gain.low)}, ${signed(gain.high)}]`;
  const shared = gain !== undefined && best.counts.failed + summary.counts.failed > 0 ? ", where both answered" : "";
  const address = new URLSearchParams({
    task: best.task,
    method: armLabel(best),
    show: "flipped",
    against: armLabel(summary),
  });
  return html`<div><dt>by how much</dt><dd>${signed(value)}${bounds} against ${name} (${formatScore(scoreOf(summary))})${shared} <a href="#${address.toString()}">the answers that differ</a></dd></div>
<div><dt>how sure</dt><dd>${sureness(gain)}</dd></div>`;
}

function sureness(gain: Rival["gain"]): string {
  if (gain === undefined) return "not compared here";
  if (gain.p === undefined) return "no test: below 10 users";
  return `${isSignificant(gain.p) ? "shown" : "not shown: it may be chance"}, p ${formatP(gain.p)} after Holm`;
}

function priceOf(summary: Summary): string {
  const { callsPerQuery: calls, tokensPerQuery: tokens, callsPerUser: before } = summary;
  const cost = summary.usd === undefined ? "" : `, ${formatCost(summary)} in all`;
  const prepared = before === undefined || before === 0 ? "" : ` after ${counted(before, "call")} a user`;
  return `${counted(calls, "call")} and ${counted(tokens, "token")} a question${prepared}${cost}`;
}

const counted = (amount: number | undefined, noun: string): string =>
  `${formatAmount(amount)} ${noun}${amount === 1 ? "" : "s"}`;

const signed = (value: number): string => `${value > 0 ? "+" : ""}${formatScore(value)}`;
