import { countOf } from "../../text/count.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import { dash, type Table } from "../table.js";
import { formatAmount, formatP, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { type Claim, FEWEST_USERS } from "./claims.js";
import type { GateLine, Verdict } from "./gate.js";
import type { GateResult } from "./result.js";

/** Lines for a terminal. */
export function renderGate(result: GateResult): string {
  return [headline(result), ...notices(result), renderText(tableOf(result)), ...details(result), LEGEND].join("\n");
}

/** The same for a GitHub step summary. */
export function renderGateMarkdown(result: GateResult): string {
  return [
    `## ${headline(result)}`,
    "",
    ...notices(result).flatMap((line) => [`**${line}**`, ""]),
    renderMarkdown(tableOf(result)),
    "",
    ...details(result).map((line) => `- ${line}`),
    "",
    `<sub>${LEGEND}</sub>`,
    "",
  ].join("\n");
}

/**
 * GitHub workflow commands, one a finding, or one notice. What does not fail the gate is a warning.
 * Escapes: actions/toolkit packages/core/src/command.ts.
 */
export function renderAnnotations(result: GateResult): string[] {
  const title = property(`lamp-eval gate: ${result.verdict}`);
  const command = (level: "error" | "warning" | "notice", text: string) => `::${level} title=${title}::${data(text)}`;
  const found = [
    ...result.checks.filter(({ passed }) => !passed).map(({ finding }) => command("error", finding)),
    ...result.lines
      .filter(({ verdict, worse }) => verdict !== "pass" || worse)
      .map((line) => command(isError(line, result) ? "error" : "warning", sentence(line, result.alpha))),
  ];
  return found.length > 0 ? found : [command("notice", headline(result))];
}

const isError = ({ verdict, worse }: GateLine, { failOn }: GateResult): boolean =>
  (verdict === "regress" && failOn.includes("regress")) || (worse && failOn.includes("worse"));

const notices = ({ simulated }: GateResult): string[] =>
  simulated ? ["SIMULATED (embedded model): this gates the code, not a model"] : [];

function tableOf({ lines }: GateResult): Table {
  const left = new Set(["task", "method", "metric", "verdict"]);
  const repeated = lines.some(({ spread }) => spread.baseline !== undefined || spread.candidate !== undefined);
  const titles = ["task", "method", "metric", "verdict", "baseline", "run", "gain", "margin"];
  const ruledOut = ["ruled out above: set", "users", "p set", "p users", "p worse", "worse/better", "n", "users asked"];
  return {
    columns: [...titles, ...ruledOut, ...(repeated ? ["sd repeats"] : [])].map((title) => ({
      title,
      align: left.has(title) ? "left" : "right",
    })),
    rows: lines.map((line) => [
      line.task,
      line.method,
      `${line.metric} (${line.better === "higher" ? "up" : "down"})`,
      line.worse && line.verdict !== "regress" ? `${line.verdict}, worse` : line.verdict,
      formatScore(line.baseline),
      formatScore(line.candidate),
      signed(line.gain),
      formatScore(line.margin),
      ruledOutAbove(line.bounds.set?.low),
      ruledOutAbove(line.bounds.users?.low),
      formatP(line.p.set),
      formatP(line.p.users),
      formatP(line.p.worseHolm),
      line.changed === undefined ? dash : `${line.changed.worse}/${line.changed.better}`,
      formatAmount(line.questions),
      formatAmount(line.users),
      ...(repeated ? [`${formatScore(line.spread.baseline)} ${formatScore(line.spread.candidate)}`] : []),
    ]),
  };
}

/** A gain that is shown leaves no loss possible. */
const ruledOutAbove = (low: number | undefined): string =>
  formatScore(low === undefined ? undefined : Math.max(0, -low));

function details({ lines, checks, remarks, alpha }: GateResult): string[] {
  const silent = lines.filter(({ claim, shock }) => claim !== "answers" && shock === "unknown");
  return [
    ...lines.filter(({ verdict, worse }) => verdict !== "pass" || worse).map((line) => sentence(line, alpha)),
    ...lines
      .filter(({ identical }) => identical)
      .map((line) => `${nameOf(line)}: identical: same requests, same answers`),
    ...lines.filter(({ lost }) => lost > 0).map(lostLine),
    ...(silent.length === 0
      ? []
      : [
          "one repeat each: noise that a whole run shares (an outage, another model version) is in no bound; --repeats 3 in both",
        ]),
    ...sparseLabelRemarks(lines.map(({ metric, ...line }) => ({ name: metric, ...line }))),
    ...checks.map(({ passed, finding }) => `${passed ? "ok" : "NOT OK"}: ${finding}`),
    ...remarks,
  ];
}

const lostLine = (line: GateLine): string =>
  `${nameOf(line)}: ${line.lost} question${line.lost === 1 ? "" : "s"} of the baseline failed or absent in the run: not in the scores, the worst value in every bound`;

const nameOf = ({ task, method, metric }: GateLine): string => `${task} ${method} ${metric}`;

const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

// Every inferential sentence of a gate stands here, and in docs/STATISTICS.md with what it rests on.

const LEGEND =
  "gain: run against baseline, counted upwards. ruled out above: the largest loss that the data leave possible at the risk alpha; set: the same users and questions run again; users: users drawn like these. p set, p users: of a loss of the margin or more; p worse: of no loss on this set, after Holm over all lines";

const headline = (result: GateResult): string =>
  `gate ${result.verdict.toUpperCase()} ${aboutClaim[result.claim]}: ${meaningOf(result)} · ${result.run} against ${result.baseline}${result.verdict === "pass" || result.fails ? "" : ` · not in --fail-on ${result.failOn.join(",")}: exit 0`}`;

/** `lamp1 rag accuracy: inconclusive for users like these: ...`. */
export function sentence(line: GateLine, alpha: number): string {
  const { task, method, metric, verdict, baseline, candidate, gain, claim } = line;
  const found = verdict === "inconclusive" ? inconclusive(line, alpha) : shown(line, alpha);
  return `${task} ${method} ${metric}: ${verdict} ${aboutClaim[claim]}: ${formatScore(candidate)}, was ${formatScore(baseline)}, gain ${signed(gain)}; ${found}`;
}

function signed(value: number | undefined): string {
  if (value === undefined) return dash;
  const text = formatScore(value);
  if (/^-?[.0]+$/.test(text)) return formatScore(0);
  return value > 0 ? `+${text}` : text;
}

const aboutClaim: Readonly<Record<Claim, string>> = {
  answers: "for these answers",
  set: "for this set run again",
  users: "for users like these",
};

function meaningOf({ verdict, claim, alpha, lines }: GateResult): string {
  if (verdict === "pass" && lines.length > 0 && lines.every(({ identical }) => identical))
    return "identical: same requests, same answers";
  return meanings(claim, formatScore(alpha))[verdict];
}

const meanings = (claim: Claim, alpha: string): Readonly<Record<Verdict, string>> => ({
  pass: claim === "answers" ? "they score at most the margin lower" : `no loss above the margin, at the risk ${alpha}`,
  regress:
    claim === "answers" ? "they score more than the margin lower" : "a loss beyond the margin is shown on this set",
  worse: claim === "answers" ? "they score lower" : "a loss is shown on this set",
  inconclusive: "a loss beyond the margin is neither ruled out nor shown",
  "failed-rows": "too many failed or absent answers to compare",
  budget: "the run cost more than allowed",
  "stale-cassette": "the requests have changed since the recording",
});

function shown(line: GateLine, alpha: number): string {
  const { verdict, claim, margin, bounds, p, worse } = line;
  if (claim === "answers")
    return `these answers score ${worse ? "lower" : "no lower"}${verdict === "regress" ? `, by more than the margin ${formatScore(margin)}` : ""}`;
  const atLeast = bounds.set === undefined ? "" : `, at least ${formatScore(Math.max(0, -bounds.set.high))}`;
  if (verdict === "regress")
    return `on these questions the loss is above the margin ${formatScore(margin)}${atLeast} (p Holm ${formatP(p.holm)})`;
  if (!worse)
    return `no loss above the margin ${formatScore(margin)}, at the risk ${formatScore(alpha)} (p ${formatP(claim === "users" ? Math.max(p.users ?? 1, p.set ?? 1) : p.set)})`;
  return `a loss is shown on this set${atLeast} (p Holm ${formatP(p.worseHolm)}); the margin ${formatScore(margin)} accepts it`;
}

function inconclusive(line: GateLine, alpha: number): string {
  const { questions, lost, users, claim, p, sparseLabels, worse } = line;
  if (questions + lost === 0) return "no question has a scored answer in both baseline and run";
  const also = worse ? `a loss is shown on this set (p Holm ${formatP(p.worseHolm)}); ` : "";
  if (p.users === undefined)
    return `${also}how much one question can lose by this metric is not known: nothing beyond these answers can be claimed; --claim answers`;
  if (sparseLabels !== undefined)
    return `${also}${sparseLabels} ${sparseLabels === 1 ? "label has" : "labels have"} fewer than 5 gold answers, so a mean over labels tells nothing beyond these answers; --claim answers, or another metric`;
  if (users < FEWEST_USERS)
    return `${also}${users} ${users === 1 ? "user is" : "users are"} too few for any claim about another run, at least ${FEWEST_USERS} are needed; --claim answers`;
  if (!line.feasible && claim !== "answers") return `${also}${outOfReach(line, claim, alpha)}`;
  return `${also}${leftOpen(line, alpha)}${remedy(line)}`;
}

/** No run without a gain can pass: the set is too small for the margin. */
function outOfReach(line: GateLine, claim: "set" | "users", alpha: number): string {
  const { margin, users, questions, p, needed } = line;
  const onSet =
    claim === "users" && p.set !== undefined && p.set <= alpha
      ? `on this set no loss above ${formatScore(margin)} (p ${formatP(p.set)}); `
      : "";
  const size = claim === "users" ? countOf(users, "user") : countOf(questions, "question");
  const ways = [
    ...(needed.users === undefined ? [] : [`${formatAmount(needed.users)} users`]),
    ...(needed.margin === undefined ? [] : [`--margin ${line.metric}=${formatScore(needed.margin)}`]),
    claim === "users" ? "--claim set" : "--claim answers",
  ];
  return `${onSet}${size} cannot rule out a loss of ${formatScore(margin)} ${claim === "users" ? "for others" : "for another run"}, even where nothing is lost here: ${ways.join(", ")}`;
}

function leftOpen({ bounds, claim, margin }: GateLine, alpha: number): string {
  const low = claim === "users" ? Math.min(bounds.users?.low ?? 0, bounds.set?.low ?? 0) : (bounds.set?.low ?? 0);
  return `a loss of up to ${formatScore(-low)} is possible at the risk ${formatScore(alpha)}, the margin is ${formatScore(margin)}`;
}

function remedy({ needed, users, margin, metric }: GateLine): string {
  if (margin === 0) return "; a margin of 0 asks for a shown gain";
  if (needed.users === undefined) return "";
  if (needed.users <= users) return "; an unchanged run of as many users mostly passes: this one may well be worse";
  const wider =
    needed.margin === undefined || needed.margin <= margin
      ? ""
      : `, or these at --margin ${metric}=${formatScore(needed.margin)}`;
  return `; about ${formatAmount(needed.users)} users let an unchanged run pass in 80 of 100 cases${wider}`;
}
