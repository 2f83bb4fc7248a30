import type { GatedResult } from "../results/gate.js";
import { countOf } from "../text/count.js";
import { type ColumnOf, rowsOfItems, type Table } from "./table.js";
import { formatAmount, formatP, formatScore } from "./tables/format.js";
import { renderMarkdown } from "./tables/markdown.js";
import { renderText } from "./tables/text.js";

/** What a gate found: of its arms, or that a condition of the whole run does not hold. */
export type Verdict = "pass" | "fail" | "unsure" | "failed-rows" | "budget" | "stale-pack";

export interface GateResult {
  readonly verdict: Verdict;
  readonly fails: boolean;
  readonly strict: boolean;
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

/** Returns the gravest finding. */
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

/** Writes lines for a terminal. */
export const renderGate = (result: GateResult): string =>
  [headline(result), settingOf(result), "", renderText(tableOf(result)), "", ...details(result)].join("\n");

/** Writes the same for a GitHub step summary. */
export function renderGateMarkdown(result: GateResult): string {
  const lines = details(result).map((line) => `- ${line}`);
  return `## ${headline(result)}\n\n${settingOf(result)}\n\n${renderMarkdown(tableOf(result))}\n\n${lines.join("\n")}\n`;
}

/** Returns GitHub workflow commands, one a finding, or one notice. */
export function renderAnnotations(result: GateResult): string[] {
  const { arms, checks, strict } = result;
  const found = [
    ...checks.filter(({ passed }) => !passed).map(({ finding }) => annotation("error", `FAIL: ${finding}`)),
    ...arms
      .filter(({ verdict }) => verdict !== "pass")
      .map((arm) => annotation(failsBy(arm.verdict, strict) ? "error" : "warning", sentence(arm))),
  ];
  return found.length > 0 ? found : [annotation("notice", headline(result))];
}

/** Escapes: actions/toolkit packages/core/src/command.ts. */
export const annotation = (level: "error" | "warning" | "notice", text: string): string =>
  `::${level} title=lamp-eval gate::${text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}`;

/** The verdict of an arm, why, and what to do. */
function sentence(arm: GatedResult): string {
  const { name, metric, loss, margin, users, neededUsers, otherScores } = arm;
  const change = `${loss < 0 ? "gain" : "loss"} ${formatScore(Math.abs(loss))}`;
  const scores = `${metric} ${formatScore(arm.baseline)} -> ${formatScore(arm.run)}, ${change}`;
  const replies = countOf(otherScores.replies, "equal reply has", "equal replies have");
  const needed =
    neededUsers === undefined ? "" : `; unchanged runs of about ${countOf(neededUsers, "user")} pass, ${users} here`;
  const bound = `a loss up to ${formatScore(arm.bound)} is possible, the margin is ${formatScore(margin)}`;
  const texts: Readonly<Record<GatedResult["rule"], string>> = {
    unanswered: `${(100 * arm.unanswered).toFixed(1)} % of the baseline's questions are unanswered; run again, or accept them with --max-failed`,
    "other scores": `same answers, other scores: ${otherScores.metric} ${otherScores.was} is now ${otherScores.is} (${replies} other terms: the scoring code changed)`,
    "same answers": "the same answers",
    "few users": `${scores}; ${countOf(users, "user is", "users are")} too few for a bound`,
    "within margin": `${scores}; a loss above ${formatScore(margin)} is excluded`,
    worse: `${scores} (p ${formatP(arm.holm)} after Holm)`,
    undecided: `${scores}; ${bound}${needed}`,
  };
  return `${arm.verdict.toUpperCase()}: ${name}: ${texts[arm.rule]}`;
}

function headline({ verdict, arms, checks, strict }: GateResult): string {
  const check = checks.find(({ name, passed }) => name === verdict && !passed);
  if (check !== undefined) return `FAIL: ${check.finding}`;
  if (arms.length > 1 && verdict === "pass") {
    const isSame = arms.every(({ rule }) => rule === "same answers");
    const why = isSame ? "the same answers" : "a loss above the margin is excluded";
    return `PASS: ${why} in ${countOf(arms.length, "arm")}`;
  }
  const [first, ...others] = arms.filter((arm) =>
    verdict === "failed-rows" ? arm.rule === "unanswered" : arm.verdict === verdict,
  );
  const number = arms.length === 1 ? "" : ` (${others.length + 1} of ${countOf(arms.length, "arm")})`;
  const exit = verdict === "unsure" && !strict ? "; a warning (exit 0), --strict makes it a failure" : "";
  return first === undefined ? verdict.toUpperCase() : `${sentence(first)}${number}${exit}`;
}

const settingOf = ({ run, baseline, simulated }: GateResult): string =>
  `${run} against ${baseline}${simulated ? " · SIMULATED (embedded model): this gates the code, not a model" : ""}`;

/** Bound and p say nothing where the answers are the same. */
const isMoved = ({ rule }: GatedResult): boolean => rule !== "same answers";

const columns: readonly ColumnOf<GatedResult>[] = [
  { title: "arm", cell: ({ name }) => name },
  { title: "metric", cell: ({ metric }) => metric },
  { title: "verdict", cell: ({ verdict }) => verdict.toUpperCase() },
  { title: "baseline", format: formatScore, cell: ({ baseline }) => baseline },
  { title: "run", format: formatScore, cell: ({ run }) => run },
  { title: "margin", format: formatScore, cell: ({ margin }) => margin },
  { title: "loss up to", format: formatScore, cell: (arm) => (isMoved(arm) ? arm.bound : undefined) },
  { title: "p Holm", format: formatP, cell: (arm) => (isMoved(arm) ? arm.holm : undefined) },
  { title: "users", format: formatAmount, cell: ({ users }) => users },
  { title: "questions", format: formatAmount, cell: ({ questions }) => questions },
];

const tableOf = ({ arms }: GateResult): Table => rowsOfItems(columns, arms);

const details = ({ arms, checks, remarks }: GateResult): string[] => [
  ...(arms.length === 1 ? [] : arms.filter(({ verdict }) => verdict !== "pass").map(sentence)),
  ...checks.map(({ passed, finding }) => `${passed ? "ok" : "FAIL"}: ${finding}`),
  ...remarks,
  "loss up to: one-sided 95 % bound, with one unseen user who loses everything",
];

/** Writes JUnit XML, a test case an arm and a condition. Source: the schema of the Jenkins xUnit plugin. */
export function renderJunit({ run, arms, checks, strict, simulated, timestamp, seconds }: GateResult): string {
  const cases = [
    ...arms.map((arm) => ({
      ...{ name: `${arm.name} ${arm.metric}`, className: `${arm.task}.${arm.method}`, type: arm.rule },
      ...{ text: sentence(arm), passed: !failsBy(arm.verdict, strict) },
    })),
    ...checks.map(({ name, passed, finding }) => ({ name, className: "run", type: name, text: finding, passed })),
  ];
  const failures = cases.filter(({ passed }) => !passed).length;
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" skipped="0" time="${seconds}"`;
  const lines = cases.map(({ name, className, type, text, passed }) => {
    const inner = passed
      ? `<system-out>${xmlText(text)}</system-out>`
      : `<failure type="${xmlText(type)}" message="${xmlText(text)}"/>`;
    return `<testcase name="${xmlText(name)}" classname="${xmlText(className)}" time="0">${inner}</testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="lamp-eval gate" ${counts}>`,
    `<testsuite name="${xmlText(run)}" ${counts} timestamp="${timestamp}">`,
    ...(simulated ? ['<properties><property name="model" value="SIMULATED"/></properties>'] : []),
    ...lines,
    "</testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

/** What XML 1.0 cannot hold at all (https://www.w3.org/TR/xml/#charsets) becomes the replacement character. */
const xmlText = (text: string): string =>
  text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/[&<>"'\n\r\t]/g, (sign) => `&#${sign.charCodeAt(0)};`);
