import type { GatedResult } from "../results/gate.js";
import { countOf } from "../text/count.js";
import { html, xmlOf } from "./html.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { formatAmount, formatP, formatScore } from "./tables/format.js";
import { renderMarkdown, renderText } from "./tables/text.js";

/** Findings of a gate: of its arms, or that a condition of the whole run does not hold. */
export type GateVerdict = "pass" | "fail" | "unsure" | "failed-rows" | "budget" | "stale-pack";

export interface GateResult {
  readonly verdict: GateVerdict;
  readonly fails: boolean;
  readonly strict: boolean;
  readonly run: string;
  readonly baseline: string;
  readonly simulated: boolean;
  readonly maxFailed: number;
  readonly arms: readonly GatedResult[];
  readonly checks: readonly GateCheck[];
  /** Changes since the baseline besides answers, a line an arm. */
  readonly changes: readonly string[];
  /** When the run began, ISO 8601, and how long it took. */
  readonly timestamp: string;
  readonly seconds: number;
}

/** A condition of the whole run. */
export interface GateCheck {
  readonly name: "budget" | "stale-pack";
  readonly passed: boolean;
  readonly finding: string;
}

export function gateVerdict({ arms, checks }: Pick<GateResult, "arms" | "checks">): GateVerdict {
  const hasFailed = (name: GateCheck["name"]): boolean => checks.some((check) => check.name === name && !check.passed);
  if (hasFailed("stale-pack")) return "stale-pack";
  if (arms.some(({ rule }) => rule === "unanswered")) return "failed-rows";
  if (arms.some(({ verdict }) => verdict === "fail")) return "fail";
  if (hasFailed("budget")) return "budget";
  return arms.some(({ verdict }) => verdict === "unsure") ? "unsure" : "pass";
}

export const failsBy = (verdict: GateVerdict, strict: boolean): boolean =>
  verdict !== "pass" && (verdict !== "unsure" || strict);

export const renderGate = (result: GateResult): string =>
  [headline(result), aboutRuns(result), "", renderText(tableOf(result)), "", ...details(result)].join("\n");

/** Writes the same for a GitHub step summary. */
export function renderGateMarkdown(result: GateResult): string {
  const lines = details(result).map((line) => `- ${line}`);
  const blocks = [`## ${headline(result)}`, aboutRuns(result), renderMarkdown(tableOf(result)), lines.join("\n")];
  return `${blocks.join("\n\n")}\n`;
}

/** Returns GitHub workflow commands, one a finding, or one notice. */
export function renderAnnotations(result: GateResult): string[] {
  const { arms, checks, strict } = result;
  const failed = checks.filter(({ passed }) => !passed);
  const found = [
    ...failed.map(({ finding }) => annotation("error", `FAIL: ${finding}`)),
    ...arms
      .filter(({ verdict }) => verdict !== "pass")
      .map((arm) => annotation(failsBy(arm.verdict, strict) ? "error" : "warning", sentence(arm))),
  ];
  return found.length > 0 ? found : [annotation("notice", headline(result))];
}

/** Escapes: actions/toolkit packages/core/src/command.ts. */
export const annotation = (level: "error" | "warning" | "notice", text: string): string =>
  `::${level} title=lamp-eval gate::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`;

/** Says the verdict of an arm, why, and what to do. */
const sentence = (arm: GatedResult): string => `${arm.verdict.toUpperCase()}: ${arm.name}: ${reasonOf(arm)}`;

function reasonOf(arm: GatedResult): string {
  const { rule, metric, loss, users, neededUsers, otherScores, failures } = arm;
  const margin = formatScore(arm.margin);
  const change = `${loss < 0 ? "gain" : "loss"} ${formatScore(Math.abs(loss))}`;
  const scores = `${metric} ${formatScore(arm.baseline)} -> ${formatScore(arm.run)}, ${change}`;
  switch (rule) {
    case "unanswered": {
      const share = `${(100 * arm.unanswered).toFixed(1)} %`;
      const why = failures.length === 0 ? "" : ` (${failures.join("; ")})`;
      return `${share} of the baseline's questions are unanswered${why}; run again, or accept them with --max-failed`;
    }
    case "other scores": {
      const { replies = 0, metric: changed, was, is } = otherScores ?? {};
      const equal = replies === 0 ? "" : `${countOf(replies, "equal reply has", "equal replies have")} other terms: `;
      const [before, now] = formatApart(was, is);
      return `same answers, other scores: ${changed} ${before} is now ${now} (${equal}the scoring code changed)`;
    }
    case "same answers":
      return "the same answers";
    case "few users":
      return `${scores}; ${countOf(users, "user")}, ${formatAmount(arm.effective)} in effect (n_e): too few for a bound`;
    case "within margin":
      return `${scores}; a loss above ${margin} is excluded`;
    case "worse":
      return `${scores} (p ${formatP(arm.holm)} after Holm)`;
    case "undecided": {
      const bound = `a loss up to ${formatScore(arm.bound)} is possible, the margin is ${margin}`;
      const needed = countOf(neededUsers ?? 0, "user");
      const more = neededUsers === undefined ? "" : `; unchanged runs of about ${needed} pass, ${users} here`;
      return `${scores}; ${bound}${more}`;
    }
  }
}

/** Prints two scores with all digits where they look alike in three. */
function formatApart(...scores: readonly (number | null | undefined)[]): string[] {
  const short = scores.map((score) => formatScore(score ?? undefined));
  return short[0] === short[1] ? scores.map(String) : short;
}

function headline({ verdict, arms, checks, strict }: GateResult): string {
  const check = checks.find(({ name, passed }) => name === verdict && !passed);
  if (check !== undefined) return `FAIL: ${check.finding}`;
  const all = countOf(arms.length, "arm");
  if (arms.length > 1 && verdict === "pass") {
    const isSame = arms.every(({ rule }) => rule === "same answers");
    return `PASS: ${isSame ? "the same answers" : "a loss above the margin is excluded"} in ${all}`;
  }
  const found = arms.filter((arm) => (verdict === "failed-rows" ? arm.rule === "unanswered" : arm.verdict === verdict));
  const number = arms.length === 1 ? "" : ` (${found.length} of ${all})`;
  const exit = verdict === "unsure" && !strict ? "; a warning (exit 0), --strict makes it a failure" : "";
  return found[0] === undefined ? verdict.toUpperCase() : `${sentence(found[0])}${number}${exit}`;
}

const aboutRuns = ({ run, baseline, simulated }: GateResult): string =>
  `${run} against ${baseline}${simulated ? " · SIMULATED (embedded model): this gates the code, not a model" : ""}`;

const columns: readonly ColumnOf<GatedResult>[] = [
  { title: "arm", cell: ({ name }) => name },
  { title: "metric", cell: ({ metric }) => metric },
  { title: "verdict", cell: ({ verdict }) => verdict.toUpperCase() },
  { title: "baseline", format: formatScore, cell: ({ baseline }) => baseline },
  { title: "run", format: formatScore, cell: ({ run }) => run },
  { title: "margin", format: formatScore, cell: ({ margin }) => margin },
  {
    title: "loss up to",
    format: formatScore,
    cell: ({ rule, bound }) => (rule === "same answers" ? undefined : bound),
  },
  { title: "p Holm", format: formatP, cell: ({ holm }) => holm },
  { title: "users", format: formatAmount, cell: ({ users }) => users },
  { title: "questions", format: formatAmount, cell: ({ questions }) => questions },
];

const tableOf = ({ arms }: GateResult): Table => rowsOfItems(columns, arms);

const details = ({ arms, checks, changes }: GateResult): string[] => [
  ...changes,
  ...(arms.length === 1 ? [] : arms.filter(({ verdict }) => verdict !== "pass").map(sentence)),
  ...arms.flatMap(({ name, rule, failures }) =>
    rule === "unanswered" ? [] : failures.map((failure) => `${name}: ${failure}`),
  ),
  ...checks.map(({ passed, finding }) => `${passed ? "ok" : "FAIL"}: ${finding}`),
  "loss up to: one-sided 95 % upper bound, with one added user who loses the maximum",
  ...(arms.some(({ holm }) => holm === undefined)
    ? ["-: the arm is decided without it, has fewer than 4 effective users, or is a control"]
    : []),
];

/** Writes JUnit XML, a test case an arm and a condition. Source: the schema of the Jenkins xUnit plugin. */
export function renderJunit({ run, arms, checks, strict, simulated, timestamp, seconds }: GateResult): string {
  const ofArms = arms.map((arm) => ({
    name: `${arm.name} ${arm.metric}`,
    of: `${arm.task}.${arm.method}`,
    type: arm.rule as string,
    text: sentence(arm),
    passed: !failsBy(arm.verdict, strict),
  }));
  const ofRun = checks.map(({ name, passed, finding }) => ({ name, of: "run", type: name, text: finding, passed }));
  const cases = [...ofArms, ...ofRun].map(({ name, of, type, text, passed }) => {
    const why = passed ? html`<system-out>${text}</system-out>` : html`<failure type="${type}" message="${text}"/>`;
    return html`<testcase name="${name}" classname="${of}" time="0">${why}</testcase>\n`;
  });
  const failures = [...ofArms, ...ofRun].filter(({ passed }) => !passed).length;
  const counts = html`tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="${seconds}"`;
  const mark = html`<properties><property name="model" value="SIMULATED"/></properties>\n`;
  return xmlOf(html`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="lamp-eval gate" ${counts}>
<testsuite name="${run}" ${counts} timestamp="${timestamp}">
${simulated ? mark : undefined}${cases}</testsuite>
</testsuites>
`);
}
