import { nounOf } from "../../text/count.js";
import type { Claim } from "./claims.js";
import type { GateLine, Verdict } from "./gate.js";
import type { GatedArm } from "./pairs.js";

/** A gate's answer with all that led to it. */
export interface GateResult {
  /** The gravest finding that fails the gate (`failOn`); where none does, the gravest of those that do not count, else pass. */
  readonly verdict: Verdict;
  /** Whether the gate fails. */
  readonly fails: boolean;
  /** Which findings about answers fail it; those about the whole run always do. */
  readonly failOn: readonly FailOn[];
  readonly claim: Claim;
  /** As typed. */
  readonly run: string;
  readonly baseline: string;
  readonly simulated: boolean;
  readonly alpha: number;
  readonly lines: readonly GateLine[];
  readonly checks: readonly GateCheck[];
  /** What a reader must know besides: questions left out, changed requests, methods without a baseline, ... */
  readonly remarks: readonly string[];
}

/** A finding about answers: a loss beyond the margin, a loss at all, or neither shown nor ruled out. */
export type FailOn = "regress" | "worse" | "inconclusive";
export const failOnAll: readonly FailOn[] = ["regress", "worse", "inconclusive"];

/** A condition of the whole run. */
export interface GateCheck {
  readonly name: "failed-rows" | "budget" | "stale-cassette";
  readonly passed: boolean;
  /** `2 of 40 answers failed or are absent (5.0 %), at most 1.0 % accepted`. */
  readonly finding: string;
}

/** In this order: comparisons that do not count, then losses that are shown, then what is not known. */
export function verdictOf(
  lines: readonly Pick<GateLine, "verdict" | "worse">[],
  checks: readonly GateCheck[],
  failOn: readonly FailOn[],
): Pick<GateResult, "verdict" | "fails"> {
  const broken = (name: GateCheck["name"]) => checks.some((check) => check.name === name && !check.passed);
  const found: Readonly<Record<Exclude<Verdict, "pass">, boolean>> = {
    "stale-cassette": broken("stale-cassette"),
    "failed-rows": broken("failed-rows"),
    regress: lines.some(({ verdict }) => verdict === "regress"),
    budget: broken("budget"),
    worse: lines.some(({ worse }) => worse),
    inconclusive: lines.some(({ verdict }) => verdict === "inconclusive"),
  };
  const present = GRAVEST_FIRST.filter((verdict) => found[verdict]);
  const counting = present.find((verdict) => !isFailOn(verdict) || failOn.includes(verdict));
  // A small loss that is shown and accepted is a pass: it is told in its line.
  const silent = present.find((verdict) => verdict !== "worse");
  return { verdict: counting ?? silent ?? "pass", fails: counting !== undefined };
}

/** Shares of answers, per method and task: the worst one counts. */
export function checkFailedRows(arms: readonly GatedArm[], most: number): GateCheck {
  const worst = [...arms].sort((a, b) => b.failedShare - a.failedShare)[0];
  const share = worst?.failedShare ?? 0;
  const ofArm = worst === undefined || share === 0 ? "" : ` of ${worst.baseline.task} ${worst.baseline.method}`;
  return {
    name: "failed-rows",
    passed: share <= most,
    finding: `${percent(share)} of the answers${ofArm} failed or are absent, at most ${percent(most)} accepted`,
  };
}

/** List price of the run in US dollars. */
export function checkBudget(usd: number, most: number): GateCheck {
  return {
    name: "budget",
    passed: usd <= most,
    finding: `the run cost $${usd.toFixed(4)} at list prices, at most $${most.toFixed(4)} accepted`,
  };
}

export function checkCassette({ cassette, stale }: { readonly cassette: string; readonly stale: number }): GateCheck {
  const name = `cassette ${cassette.slice(0, CASSETTE_SHOWN)}`;
  return {
    name: "stale-cassette",
    passed: stale === 0,
    finding:
      stale === 0
        ? `all requests are in ${name}`
        : `${stale} ${nounOf(stale, "request is", "requests are")} not in ${name}: record it again`,
  };
}

/** Remarks on questions left out of the comparison, and on requests that changed. */
export function remarksOf(arms: readonly GatedArm[]): string[] {
  return arms.flatMap(({ baseline, candidate, leftOut }) => {
    const arm = `${baseline.task} ${baseline.method}`;
    const counts = [
      ...(leftOut.absent > 0 ? [`${leftOut.absent} ${nounOf(leftOut.absent, "question")} absent from the run`] : []),
      ...(leftOut.added > 0 ? [`${leftOut.added} ${nounOf(leftOut.added, "question")} absent from the baseline`] : []),
      ...(leftOut.failed > 0 ? [`${leftOut.failed} ${nounOf(leftOut.failed, "question")} failed in one of them`] : []),
      ...(leftOut.noGold > 0 ? [`${leftOut.noGold} ${nounOf(leftOut.noGold, "question")} without gold`] : []),
    ];
    const changes = [
      ...(baseline.model === candidate.model ? [] : [`model ${baseline.model} became ${candidate.model}`]),
      ...(baseline.data.units === candidate.data.units ? [] : ["visible histories or questions differ"]),
      ...(baseline.data.wording === candidate.data.wording ? [] : ["the task's wording differs"]),
      ...(baseline.seed === candidate.seed ? [] : [`seed ${baseline.seed} became ${candidate.seed}`]),
      ...changedOptions(baseline.options, candidate.options),
      ...changedRequests(baseline.requests, candidate.requests),
    ];
    return [
      ...(counts.length === 0 ? [] : [`${arm}: left out: ${counts.join(", ")}`]),
      ...(changes.length === 0 ? [] : [`${arm}: changed since the baseline: ${changes.join(", ")}`]),
    ];
  });
}

const CASSETTE_SHOWN = 12;

const GRAVEST_FIRST = ["stale-cassette", "failed-rows", "regress", "budget", "worse", "inconclusive"] as const;

const isFailOn = (verdict: Verdict): verdict is FailOn => failOnAll.some((name) => name === verdict);

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function changedOptions(before: GatedArm["baseline"]["options"], after: GatedArm["baseline"]["options"]): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name] ?? "absent"} became ${after[name] ?? "absent"}`);
}

/** Unknown requests say nothing. Repeats are compared as far as both have them. */
function changedRequests(before: readonly string[], after: readonly string[]): string[] {
  const both = Math.min(before.length, after.length);
  return before.slice(0, both).every((id, i) => id === after[i]) ? [] : ["requests differ"];
}
