import { countOf, nounOf } from "../../text/count.js";
import { sparseLabelRemarks } from "../sparse-labels.js";
import type { Table } from "../table.js";
import { formatAmount, formatP, formatScore } from "../tables/format.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import { type Claim, FEWEST_USERS } from "./claims.js";
import type { GateLine } from "./gate.js";
import { failsBy, type GateResult } from "./result.js";

// Every inferential sentence of a gate stands here, and in docs/STATISTICS.md with what it rests on.

/** Lines for a terminal. */
export function renderGate(result: GateResult): string {
  return [headline(result), setting(result), "", renderText(tableOf(result)), "", ...details(result)].join("\n");
}

/** The same for a GitHub step summary. */
export function renderGateMarkdown(result: GateResult): string {
  const lines = details(result).map((line) => `- ${line}`);
  return [`## ${headline(result)}`, "", setting(result), "", renderMarkdown(tableOf(result)), "", ...lines, ""].join(
    "\n",
  );
}

/**
 * GitHub workflow commands, one a finding, or one notice. What does not fail the gate is a warning.
 * Escapes: actions/toolkit packages/core/src/command.ts.
 */
export function renderAnnotations(result: GateResult): string[] {
  const command = (level: "error" | "warning" | "notice", text: string) =>
    `::${level} title=${property("lamp-eval gate")}::${data(text)}`;
  const found = [
    ...result.checks.filter(({ passed }) => !passed).map(({ finding }) => command("error", `FAIL: ${finding}`)),
    ...told(result).map((line) => command(failsBy(line.verdict, result.failOn) ? "error" : "warning", sentence(line))),
  ];
  return found.length > 0 ? found : [command("notice", headline(result))];
}

const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** Lines that a person must read: those that do not pass, and small losses that do. */
const told = ({ lines }: GateResult): GateLine[] =>
  lines.filter(({ verdict, shown }) => verdict !== "pass" || shown !== "none");

/** `FAIL: lamp2m rag lost .138 accuracy (11 users worse, 0 better; p <.001); 2 of 3 lines fail`. */
function headline(result: GateResult): string {
  const { verdict, lines, checks, fails, failOn, claim } = result;
  const exit = fails || verdict === "pass" ? "" : `; a warning (exit 0): --fail-on is ${failOn.join(",") || "empty"}`;
  const check = checks.find(({ name, passed }) => name === verdict && !passed);
  if (check !== undefined) return `FAIL: ${check.finding}`;
  const found = lines.filter((line) => line.verdict === verdict);
  const [first] = [...found].sort(
    (a, b) => (a.p.worseHolm ?? 1) - (b.p.worseHolm ?? 1) || (a.gain ?? 0) - (b.gain ?? 0),
  );
  const number = `${found.length} of ${countOf(lines.length, "line")}`;
  if (lines.length > 0 && lines.every(({ identical }) => identical)) return "PASS: same requests, same answers";
  if (lines.length === 1 && first !== undefined) return `${sentence(first)}${exit}`;
  if (verdict !== "pass") {
    const be =
      verdict === "fail" ? nounOf(found.length, "fails", "fail") : nounOf(found.length, "is unsure", "are unsure");
    return `${first === undefined ? verdict.toUpperCase() : opening(first)}; ${number} ${be}${exit}`;
  }
  const ruledOut =
    claim === "answers" ? "no line scores lower by more than its margin" : "a loss beyond the margin is ruled out";
  return `PASS: ${ruledOut} in ${countOf(lines.length, "line")}`;
}

/** What was judged, by what, and about whom. */
const setting = ({ run, baseline, claim, alpha, simulated }: GateResult): string =>
  [
    `${run} against ${baseline}`,
    claim === "answers" ? aboutClaim.answers : `${aboutClaim[claim]}, risk ${formatScore(alpha)}`,
    ...(simulated ? ["SIMULATED (embedded model): this gates the code, not a model"] : []),
  ].join(" · ");

const aboutClaim: Readonly<Record<Claim, string>> = {
  answers: "claim: these answers, counted and not tested",
  set: "claim: this set run again",
  users: "claim: users like these",
};

function tableOf({ lines, claim }: GateResult): Table {
  const left = ["task", "method", "metric", "verdict"];
  const found = claim === "answers" ? ["answers worse", "better"] : ["loss up to", "p loss"];
  return {
    columns: [...left, "score", "margin", ...found].map((title) => ({
      title,
      align: left.includes(title) ? "left" : "right",
    })),
    rows: lines.map((line) => [
      line.task,
      line.method,
      line.metric,
      line.verdict.toUpperCase(),
      scores(line),
      formatScore(line.margin),
      ...(claim === "answers"
        ? [formatAmount(line.changed?.worse), formatAmount(line.changed?.better)]
        : [formatScore(possibleLoss(line)), formatP(line.p.worseHolm)]),
    ]),
  };
}

const scores = ({ baseline, candidate }: GateLine): string => `${formatScore(baseline)} -> ${formatScore(candidate)}`;

/** The largest loss that the data leave possible at the risk alpha, under the claim. */
function possibleLoss({ bounds, claim }: GateLine): number | undefined {
  if (bounds.set === undefined || bounds.users === undefined) return undefined;
  return Math.max(0, -(claim === "users" ? Math.min(bounds.users.low, bounds.set.low) : bounds.set.low));
}

function details(result: GateResult): string[] {
  const { lines, checks, remarks, alpha, claim } = result;
  const isSaidAbove = lines.length === 1 && lines[0]?.verdict === result.verdict;
  const unseen = lines.some(({ shock }) => shock === "unknown");
  return [
    ...(isSaidAbove ? [] : told(result).map(sentence)),
    ...lines.filter(({ identical }) => identical).map((line) => `${nameOf(line)}: same requests, same answers`),
    ...lines.filter(({ lost }) => lost > 0).map(lostLine),
    ...sparseLabelRemarks(lines.map(({ metric, ...line }) => ({ name: metric, ...line }))),
    ...checks.map(({ passed, finding }) => `${passed ? "ok" : "FAIL"}: ${finding}`),
    ...remarks,
    ...(claim === "answers"
      ? []
      : [
          `loss up to: the largest loss that is not ruled out at the risk ${formatScore(alpha)}; p loss: how often so large a loss comes up where there is none, after Holm over all lines`,
          ...(unseen ? ["One repeat cannot show noise that a whole run shares; --repeats 3 in both runs can"] : []),
        ]),
  ];
}

const lostLine = (line: GateLine): string =>
  `${nameOf(line)}: ${countOf(line.lost, "question")} of the baseline failed or ${nounOf(line.lost, "is", "are")} absent in the run: counted as the worst value in every test, left out of the scores`;

const nameOf = ({ task, method, metric }: GateLine): string => `${task} ${method} ${metric}`;

/** The verdict of a line, what was lost, why, and what to do. */
export function sentence(line: GateLine): string {
  return `${opening(line)}; ${{ fail: failed, pass: passed, unsure: undecided }[line.verdict](line)}`;
}

/** `FAIL: lamp2m rag lost .138 accuracy, .675 -> .537 (11 users worse, 0 better; p <.001)`. */
function opening(line: GateLine): string {
  const { verdict, task, method, metric, usersChanged, changed, claim, p } = line;
  const isAnswers = claim === "answers";
  const counts = isAnswers ? changed : usersChanged;
  const facts = [
    ...(counts === undefined
      ? []
      : [`${countOf(counts.worse, isAnswers ? "answer" : "user")} worse, ${formatAmount(counts.better)} better`]),
    ...(isAnswers || p.worseHolm === undefined ? [] : [`p ${formatP(p.worseHolm)}`]),
  ];
  const behind = facts.length === 0 ? "" : ` (${facts.join("; ")})`;
  return `${verdict.toUpperCase()}: ${task} ${method} ${change(line)} ${metric}, ${scores(line)}${behind}`;
}

/** `lost .138`; an error that rose is lost, too. */
function change({ gain }: GateLine): string {
  const by = formatScore(Math.abs(gain ?? 0));
  if (gain === undefined) return "has no";
  if (by === formatScore(0)) return "kept its";
  return `${gain < 0 ? "lost" : "gained"} ${by}`;
}

function failed(line: GateLine): string {
  const { claim, margin, bounds, shown } = line;
  if (claim === "answers") return `more than the margin of ${formatScore(margin)}`;
  if (shown === "beyond margin") {
    const atLeast = bounds.set === undefined ? "" : `: at least ${formatScore(Math.max(0, -bounds.set.high))}`;
    return `a loss beyond the margin of ${formatScore(margin)} is shown${atLeast}`;
  }
  return `a loss is shown, and one beyond the margin of ${formatScore(margin)} is not ruled out${upTo(line)}`;
}

function passed({ claim, margin, identical, shown }: GateLine): string {
  if (identical) return "same requests, same answers";
  const within = shown === "none" ? "" : ": within it";
  if (claim === "answers") return `at most the margin of ${formatScore(margin)}${within}`;
  return `a loss beyond the margin of ${formatScore(margin)} is ruled out${within}`;
}

function undecided(line: GateLine): string {
  const { questions, lost, users, p, sparseLabels, margin, claim, feasible, needed, metric } = line;
  if (questions + lost === 0) return "no question has a scored answer in both baseline and run";
  if (p.users === undefined)
    return "the largest loss of one question is not known for this metric, so nothing can be said of another run: --claim answers";
  if (sparseLabels !== undefined)
    return `${sparseLabels} ${nounOf(sparseLabels, "label has", "labels have")} fewer than 5 gold answers, too few for a mean over labels: --claim answers, or another metric`;
  if (users < FEWEST_USERS)
    return `${countOf(users, "user")} ${nounOf(users, "is", "are")} too few to say anything of another run (${FEWEST_USERS} needed): --claim answers`;
  if (margin === 0) return `a margin of 0 asks for a shown gain${upTo(line)}`;
  const deciding =
    needed.users !== undefined && needed.users > users ? needed.users : feasible ? undecidedUsers(line) : undefined;
  const ways = [
    ...(deciding === undefined ? [] : [`about ${formatAmount(deciding)} users would decide`]),
    ...(needed.margin === undefined || needed.margin <= margin
      ? []
      : [`these users decide at --margin ${metric}=${formatScore(needed.margin)}`]),
  ];
  if (!feasible) {
    const size = claim === "users" ? countOf(users, "user") : countOf(questions, "question");
    const nearer = claim === "users" ? "--claim set" : "--claim answers";
    return `${size} cannot rule out a loss beyond ${formatScore(margin)}, even where nothing is lost${onSet(line)}: ${[...ways, nearer].join(", or ")}`;
  }
  const isLarge = needed.users !== undefined && needed.users <= users && (line.gain ?? 0) <= -margin;
  const likely = isLarge ? ["a run without loss would usually pass, so this is probably a real loss"] : [];
  return [
    `a loss beyond the margin of ${formatScore(margin)} is neither shown nor ruled out${upTo(line)}${onSet(line)}`,
    ...likely,
    ways.join(", or "),
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** Users that rule out a loss beyond the margin where the change seen is the true one: what is possible beyond it falls with their root. */
function undecidedUsers(line: GateLine): number | undefined {
  const { gain = 0, margin, users } = line;
  const most = possibleLoss(line);
  return most === undefined || gain <= -margin ? undefined : Math.ceil(users * ((most + gain) / (margin + gain)) ** 2);
}

const onSet = ({ reach }: GateLine): string => (reach === "set" ? "; for this set run again it is ruled out" : "");

function upTo(line: GateLine): string {
  const most = possibleLoss(line);
  return most === undefined ? "" : ` (up to ${formatScore(most)} is possible)`;
}
