import { nounOf } from "../../text/count.js";
import type { Claim } from "./claims.js";
import type { GateLine, LineVerdict } from "./gate.js";
import type { GatedArm } from "./pairs.js";

export interface GateResult {
  /** The gravest finding that fails the gate (`failOn`); where none does, the gravest of the others, else pass. */
  readonly verdict: Verdict;
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

/** What a gate found: of its lines, or that a condition of the whole run does not hold. */
export type Verdict = LineVerdict | GateCheck["name"];

/** Verdicts about answers that a gate may fail by. */
export type FailOn = "fail" | "unsure";
export const failOnAll: readonly FailOn[] = ["fail", "unsure"];

/** A condition of the whole run. */
export interface GateCheck {
  readonly name: "failed-rows" | "budget" | "stale-cassette";
  readonly passed: boolean;
  /** `2 of 40 answers failed or are absent (5.0 %), at most 1.0 % accepted`. */
  readonly finding: string;
}

/** The gravest first: comparisons that mean nothing, then losses that are shown, then a cost, then what is not known. */
export function verdictOf(
  lines: readonly Pick<GateLine, "verdict">[],
  checks: readonly GateCheck[],
  failOn: readonly FailOn[],
): Pick<GateResult, "verdict" | "fails"> {
  const isFound = (verdict: Verdict) =>
    lines.some((line) => line.verdict === verdict) || checks.some(({ name, passed }) => name === verdict && !passed);
  const found = GRAVEST_FIRST.filter(isFound);
  const counting = found.find((verdict) => failsBy(verdict, failOn));
  return { verdict: counting ?? found[0] ?? "pass", fails: counting !== undefined };
}

/** A condition of the whole run always counts. */
export const failsBy = (verdict: Verdict, failOn: readonly FailOn[]): boolean =>
  verdict !== "pass" && (verdict === "fail" || verdict === "unsure" ? failOn.includes(verdict) : true);

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
      ...(leftOut.onlyA > 0 ? [`${leftOut.onlyA} ${nounOf(leftOut.onlyA, "question")} absent from the run`] : []),
      ...(leftOut.onlyB > 0 ? [`${leftOut.onlyB} ${nounOf(leftOut.onlyB, "question")} absent from the baseline`] : []),
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

const GRAVEST_FIRST: readonly Verdict[] = ["stale-cassette", "failed-rows", "fail", "budget", "unsure"];

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
