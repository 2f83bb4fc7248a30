import type { GatedResult } from "../results/gate.js";
import { countOf } from "../text/count.js";
import { dash, type Table } from "./table.js";
import { formatP, formatScore } from "./tables/format.js";
import { renderMarkdown } from "./tables/markdown.js";
import { renderText } from "./tables/text.js";

/** What a gate found: of its arms, or that a condition of the whole run does not hold. */
export type Verdict = "pass" | "fail" | "unsure" | "failed-rows" | "budget" | "stale-pack";

export interface GateResult {
  /** The gravest finding. */
  readonly verdict: Verdict;
  readonly fails: boolean;
  /** Whether UNSURE fails. */
  readonly strict: boolean;
  /** As typed. */
  readonly run: string;
  readonly baseline: string;
  readonly simulated: boolean;
  readonly maxFailed: number;
  readonly arms: readonly GatedResult[];
  readonly checks: readonly GateCheck[];
  /** What changed since the baseline, and what is not in it. */
  readonly remarks: readonly string[];
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

/** Returns the gravest finding: comparisons that mean nothing, then losses, then a cost, then what is not known. */
export function verdictOf({ arms, checks }: Pick<GateResult, "arms" | "checks">): Verdict {
  const lacks = (name: GateCheck["name"]): boolean => checks.some((check) => check.name === name && !check.passed);
  if (lacks("stale-pack")) return "stale-pack";
  if (arms.some(({ rule }) => rule === "unanswered")) return "failed-rows";
  if (arms.some(({ verdict }) => verdict === "fail")) return "fail";
  if (lacks("budget")) return "budget";
  return arms.some(({ verdict }) => verdict === "unsure") ? "unsure" : "pass";
}

export const failsBy = (verdict: Verdict, strict: boolean): boolean =>
  verdict !== "pass" && (verdict !== "unsure" || strict);

/** Lines for a terminal. */
export const renderGate = (result: GateResult): string =>
  [headline(result), settingOf(result), "", renderText(tableOf(result)), "", ...details(result)].join("\n");

/** The same for a GitHub step summary. */
export const renderGateMarkdown = (result: GateResult): string =>
  [
    ...[`## ${headline(result)}`, "", settingOf(result), "", renderMarkdown(tableOf(result)), ""],
    ...[...details(result).map((line) => `- ${line}`), ""],
  ].join("\n");

/** Returns GitHub workflow commands, one a finding, or one notice. Escapes: actions/toolkit packages/core/src/command.ts. */
export function renderAnnotations(result: GateResult): string[] {
  const found = [
    ...result.checks.filter(({ passed }) => !passed).map(({ finding }) => annotation("error", `FAIL: ${finding}`)),
    ...result.arms
      .filter(({ verdict }) => verdict !== "pass")
      .map((arm) => annotation(failsBy(arm.verdict, result.strict) ? "error" : "warning", sentence(arm))),
  ];
  return found.length > 0 ? found : [annotation("notice", headline(result))];
}

export const annotation = (level: "error" | "warning" | "notice", text: string): string =>
  `::${level} title=lamp-eval gate::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`;

/** The verdict of an arm, why, and what to do. */
function sentence(arm: GatedResult): string {
  const { name, metric, baseline, run, loss, margin, bound, holm, users, neededUsers, rule, otherScores } = arm;
  const change = `${loss < 0 ? "gain" : "loss"} ${formatScore(Math.abs(loss))}`;
  const scores = `${name}: ${metric} ${formatScore(baseline)} -> ${formatScore(run)}, ${change}`;
  const replies = countOf(otherScores.replies, "equal reply has", "equal replies have");
  const needed =
    neededUsers === undefined ? "" : `; unchanged runs of about ${countOf(neededUsers, "user")} pass, ${users} here`;
  const texts: Readonly<Record<GatedResult["rule"], string>> = {
    unanswered: `${name}: ${(100 * arm.unanswered).toFixed(1)} % of the baseline's questions are unanswered; run again, or accept them with --max-failed`,
    "other scores": `${name}: same answers, other scores: ${otherScores.metric} ${otherScores.was} is now ${otherScores.is} (${replies} other terms: the scoring code changed)`,
    "same answers": `${name}: the same answers`,
    "few users": `${scores}; ${countOf(users, "user is", "users are")} too few for a bound`,
    "within margin": `${scores}; a loss above ${formatScore(margin)} is excluded`,
    worse: `${scores} (p ${formatP(holm)} after Holm)`,
    undecided: `${scores}; a loss up to ${formatScore(bound)} is possible, the margin is ${formatScore(margin)}${needed}`,
  };
  return `${arm.verdict.toUpperCase()}: ${texts[rule]}`;
}

function headline(result: GateResult): string {
  const { verdict, arms, checks, strict } = result;
  const check = checks.find(({ name, passed }) => name === verdict && !passed);
  if (check !== undefined) return `FAIL: ${check.finding}`;
  if (arms.length > 1 && verdict === "pass") {
    const isSame = arms.every(({ rule }) => rule === "same answers");
    return `PASS: ${isSame ? "the same answers" : "a loss above the margin is excluded"} in ${countOf(arms.length, "arm")}`;
  }
  const isTold = (arm: GatedResult): boolean =>
    verdict === "failed-rows" ? arm.rule === "unanswered" : arm.verdict === verdict;
  const [first, ...others] = arms.filter(isTold);
  const number = arms.length === 1 ? "" : ` (${others.length + 1} of ${countOf(arms.length, "arm")})`;
  const exit = verdict === "unsure" && !strict ? "; a warning (exit 0), --strict makes it a failure" : "";
  return first === undefined ? verdict.toUpperCase() : `${sentence(first)}${number}${exit}`;
}

const settingOf = ({ run, baseline, simulated }: GateResult): string =>
  `${run} against ${baseline}${simulated ? " · SIMULATED (embedded model): this gates the code, not a model" : ""}`;

const tableOf = ({ arms }: GateResult): Table => ({
  columns: [
    ...["arm", "metric", "verdict"].map((title) => ({ title })),
    ...["baseline", "run", "margin", "loss up to", "p Holm", "users", "questions"].map((title) => ({
      ...{ title, align: "right" as const },
    })),
  ],
  rows: arms.map(({ name, metric, verdict, rule, users, questions, ...arm }) => [
    ...[name, metric, verdict.toUpperCase(), formatScore(arm.baseline), formatScore(arm.run), formatScore(arm.margin)],
    ...(rule === "same answers" ? [dash, dash] : [formatScore(arm.bound), formatP(arm.holm)]),
    ...[String(users), String(questions)],
  ]),
});

const details = ({ arms, checks, remarks }: GateResult): string[] => [
  ...(arms.length === 1 ? [] : arms.filter(({ verdict }) => verdict !== "pass").map(sentence)),
  ...checks.map(({ passed, finding }) => `${passed ? "ok" : "FAIL"}: ${finding}`),
  ...remarks,
  "loss up to: one-sided 95 % bound, with one unseen user who loses everything",
];

/** Writes JUnit XML: one test case an arm, and one a condition of the whole run. Source: the schema of the Jenkins xUnit plugin. */
export function renderJunit(result: GateResult): string {
  const { arms, checks, strict, simulated, timestamp, seconds } = result;
  const cases = [
    ...arms.map((arm) => ({
      ...{ name: `${arm.name} ${arm.metric}`, className: `${arm.task}.${arm.method}`, type: arm.rule },
      ...{ text: sentence(arm), passed: !failsBy(arm.verdict, strict) },
    })),
    ...checks.map(({ name, passed, finding }) => ({ name, className: "run", type: name, text: finding, passed })),
  ];
  const failures = cases.filter(({ passed }) => !passed).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="${seconds}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="lamp-eval gate" ${counts}>`,
    `  <testsuite name="${xmlText(result.run)}" ${counts} timestamp="${timestamp}">`,
    ...(simulated ? ['    <properties><property name="model" value="SIMULATED"/></properties>'] : []),
    ...cases.map(({ name, className, type, text, passed }) => {
      const head = `    <testcase name="${xmlText(name)}" classname="${xmlText(className)}" time="0">`;
      const inner = passed
        ? `<system-out>${xmlText(text)}</system-out>`
        : `<failure type="${xmlText(type)}" message="${xmlText(text)}"/>`;
      return `${head}${inner}</testcase>`;
    }),
    ...["  </testsuite>", "</testsuites>", ""],
  ].join("\n");
}

/** What XML 1.0 cannot hold at all (https://www.w3.org/TR/xml/#charsets) becomes the replacement character. */
const xmlText = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"'\n\r\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
