import { armLabel } from "../../results/arms.js";
import { type ArmPair, type Comparison, gainOf } from "../../results/compare.js";
import { isSignificant } from "../../results/inference.js";
import type { Summary } from "../../results/summary.js";
import { countOf } from "../../text/count.js";
import { html, type Markup } from "../html.js";
import { estimateOf, type Table } from "../table.js";
import { isBelow } from "../tables/arm-columns.js";
import { formatAmount, formatGain, formatScore } from "../tables/format.js";
import type { TaskFacts } from "../tables/results.js";

/** What a task's results say, in a headline and a sentence below. */
export interface Headline {
  readonly says: Markup;
  readonly details: string;
}

/** An arm and one with a worse score, compared by the first metric. */
export type ComparedPair = ArmPair & { readonly comparison: Comparison };

interface VerdictInput {
  /** The best first. */
  readonly arms: readonly Summary[];
  readonly fact: Pick<TaskFacts, "baseline">;
  /** All pairs of the arms. */
  readonly pairs: readonly ComparedPair[];
  /** The reference of the gains, and the gain of an arm over it. */
  readonly over: string;
  readonly gainOf: (arm: Summary) => Comparison | undefined;
}

/** Says which method is best, by how much, and which do not differ from it. */
export function verdictOf(input: VerdictInput): Headline {
  const { arms, fact, over } = input;
  const complete = arms.filter(({ planned, metrics }) => planned === undefined && metrics[0]?.strict !== undefined);
  const [best] = complete;
  const metric = best?.metrics[0];
  if (best === undefined || metric === undefined) return unfinished(arms);
  const { baseline } = fact;
  const least = baseline?.values[metric.name];
  const score = `${metric.name} ${formatScore(metric.strict)}`;
  if (baseline !== undefined && least !== undefined && gainOf(metric, least, metric.strict ?? 0) <= 0)
    return {
      says: html`<strong>No method is better than the ${baseline.name} (${formatScore(least)})</strong>`,
      details: `The best: ${armLabel(best)}, ${score}.`,
    };
  const name = armLabel(best);
  if (complete.length === 1)
    return { says: html`<strong>${name}: ${score}</strong>`, details: "There is no other method to compare it with." };
  const below = sentencesBelow(best, complete, input);
  const gain = input.gainOf(best)?.metrics[0];
  if (gain === undefined) return { says: html`<strong>${name} is best: ${score}</strong>`, details: below };
  const { interval } = gain;
  const bounds = interval && ` (95 % CI ${formatGain(interval.low)} to ${formatGain(interval.high)})`;
  return {
    says: html`<strong>${name} is best: ${score}, ${formatGain(gain.gain)} over ${over}</strong>${bounds}`,
    details: below,
  };
}

function unfinished(arms: readonly Summary[]): Headline {
  const asked = arms.reduce((sum, { counts }) => sum + counts.questions, 0);
  const planned = arms.reduce((sum, { counts, planned: of }) => sum + (of ?? counts.questions), 0);
  return {
    says: html`<strong>${formatAmount(asked)} of ${countOf(planned, "answer")} so far</strong>`,
    details: "No method has all of its answers yet.",
  };
}

/** Names the methods that do not differ from the best, and those below the baseline. */
function sentencesBelow(best: Summary, arms: readonly Summary[], { fact, pairs }: VerdictInput): string {
  const { baseline } = fact;
  const similar = pairs.filter(({ arm, reference, comparison }) => {
    const p = comparison.metrics[0]?.p;
    return arm === best && arms.includes(reference) && p !== undefined && !isSignificant(p);
  });
  const lower = arms.filter((arm) => isBelow(arm, baseline));
  const metric = best.metrics[0]?.name ?? "";
  const sentences = [
    similar.length === 0
      ? ""
      : `${armLabel(best)} does not differ significantly from ${listed(similar.map(({ reference }) => armLabel(reference)))} (p > .05).`,
    lower.length === 0
      ? ""
      : `Below the ${baseline?.name} (${formatScore(baseline?.values[metric])}): ${listed(lower.map(armLabel))}.`,
    arms.length > 2 ? `The best of ${arms.length} was chosen after looking.` : "",
  ];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** `a, b and c`. */
const listed = (names: readonly string[]): string => names.join(", ").replace(/, ([^,]*)$/, " and $1");

/** Says which values of a sweep differ from its base, and the slopes. `tables`: one an axis. */
export function sweepVerdict(tables: readonly Table[]): Headline {
  const differing = tables.flatMap(({ columns, rows, keys = 1 }) => {
    const gain = columns.findIndex(({ key }) => key === "gain");
    const p = columns.findIndex(({ title }) => title === "p");
    return rows
      .filter((row) => estimateOf(row[p]).mark === "*")
      .map((row) => `${columns[keys - 1]?.title} = ${row[keys - 1]} (${formatGain(estimateOf(row[gain]).value)})`);
  });
  const options = [...new Set(tables.flatMap(({ columns, keys = 1 }) => columns[keys - 1]?.title ?? []))];
  const says =
    differing.length === 0
      ? `No value of ${options.join(" or ")} differs significantly from its base`
      : `${listed(differing)} ${differing.length === 1 ? "differs" : "differ"} significantly from the base`;
  const slopes = tables.flatMap(({ notes = [] }) => notes.filter((note) => note.startsWith("slope")));
  return { says: html`<strong>${says}</strong>`, details: slopes.map((slope) => `${slope}.`).join(" ") };
}
