import { sparseLabelRemarks } from "../sparse-labels.js";
import { formatP } from "../tables/format-p.js";
import { dash, formatAmount, formatScore, renderMarkdown, renderText, type Table } from "../tables/table.js";
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
 * GitHub workflow commands, one an offence, or one notice.
 * Escapes: actions/toolkit packages/core/src/command.ts.
 */
export function renderAnnotations(result: GateResult): string[] {
  const title = property(`lamp-eval gate: ${result.verdict}`);
  const command = (level: "error" | "warning" | "notice", text: string) => `::${level} title=${title}::${data(text)}`;
  const found = [
    ...result.checks.filter(({ passed }) => !passed).map(({ finding }) => command("error", finding)),
    ...result.lines
      .filter(({ verdict }) => verdict !== "pass")
      .map((line) => command(line.verdict === "regress" ? "error" : "warning", sentence(line))),
  ];
  return found.length > 0 ? found : [command("notice", headline(result))];
}

/** `lamp3 rag mae: regress: .512 was .441, gain -.071 [-.102, ...], margin .020`. */
export function sentence(line: GateLine): string {
  const { task, method, metric, verdict, baseline, candidate, gain, low, high, margin } = line;
  const bounds = `[${signed(low)}, ${signed(high)}]`;
  return `${task} ${method} ${metric}: ${verdict}: ${formatScore(candidate)}, was ${formatScore(baseline)}; gain ${signed(gain)} ${bounds}, margin ${formatScore(margin)}${reason(line)}`;
}

// --- internal ---

const LEGEND =
  "gain: counted upwards, bounds one-sided; pass: the lower bound is not below -margin, for every line, and where few questions changed p exact is at most alpha; regress: a gain below -margin is shown (p after Holm at most alpha); else inconclusive";

const IDENTICAL = "identical: same requests, same answers";

const meanings: Readonly<Record<Verdict, string>> = {
  pass: "a loss beyond the margin is ruled out, at the risk alpha",
  regress: "a loss beyond the margin is shown",
  inconclusive: "too few questions to tell",
  "failed-rows": "too many failed or absent answers to compare",
  budget: "the run cost more than allowed",
  "stale-cassette": "the requests have changed since the recording",
};

const headline = ({ verdict, run, baseline, alpha, lines }: GateResult): string =>
  `gate ${verdict.toUpperCase()}: ${verdict === "pass" && lines.every(({ identical }) => identical) ? IDENTICAL : meanings[verdict]} · ${run} against ${baseline} · alpha ${formatScore(alpha)}`;

const notices = ({ simulated }: GateResult): string[] =>
  simulated ? ["SIMULATED (embedded model): this gates the code, not a model"] : [];

function tableOf({ lines }: GateResult): Table {
  const left = new Set(["task", "method", "metric", "verdict", "over"]);
  const repeated = lines.some(({ spread }) => spread.baseline !== undefined || spread.candidate !== undefined);
  const titles = ["task", "method", "metric", "verdict", "baseline", "run", "gain [bounds]", "margin", "p", "p Holm"];
  const more = ["p sign", "p exact", "changed", "n", "over", "needs n", ...(repeated ? ["sd repeats"] : [])];
  return {
    columns: [...titles, ...more].map((title) => ({ title, align: left.has(title) ? "left" : "right" })),
    rows: lines.map((line) => [
      line.task,
      line.method,
      `${line.metric} (${line.better === "higher" ? "up" : "down"})`,
      line.verdict,
      formatScore(line.baseline),
      formatScore(line.candidate),
      `${signed(line.gain)} [${signed(line.low)}, ${signed(line.high)}]`,
      formatScore(line.margin),
      formatP(line.p),
      formatP(line.holm),
      formatP(line.signP),
      formatP(line.exactP),
      formatAmount(line.changed),
      String(line.questions),
      line.over === "users" ? `${line.users} users` : "questions",
      formatAmount(line.needed),
      ...(repeated ? [`${formatScore(line.spread.baseline)} ${formatScore(line.spread.candidate)}`] : []),
    ]),
  };
}

function details({ lines, checks, remarks, alpha }: GateResult): string[] {
  const few = lines.filter(({ over, questions }) => over === "questions" && questions > 0);
  return [
    ...lines.filter(({ verdict }) => verdict === "inconclusive").map(sentence),
    ...(few.length > 0
      ? [
          `fewer than 10 users (${[...new Set(few.map(({ task }) => task))].join(", ")}): questions are resampled and taken as independent, which one user's are not`,
        ]
      : []),
    ...lines.filter(({ identical }) => identical).map((line) => `${nameOf(line)}: ${IDENTICAL}`),
    ...lines
      .filter(({ changed, identical, verdict }) => changed === 0 && !identical && verdict === "pass")
      .map(
        (line) =>
          `${nameOf(line)}: no question changed; losses on up to ${formatAmount(100 * (1 - alpha ** (1 / line.questions)))} % of questions, which the margin allows, could have been missed`,
      ),
    ...sparseLabelRemarks(lines.map(({ metric, ...line }) => ({ name: metric, ...line }))),
    ...checks.map(({ passed, finding }) => `${passed ? "ok" : "NOT OK"}: ${finding}`),
    ...remarks,
  ];
}

const nameOf = ({ task, method, metric }: GateLine): string => `${task} ${method} ${metric}`;

function reason({ verdict, low, questions, needed, margin, exactP }: GateLine): string {
  if (verdict !== "inconclusive") return "";
  if (questions === 0) return "; no question has a scored answer in both baseline and run";
  if (low === undefined) return `; ${questions} questions are too few for any bound, at least ${needed} are needed`;
  if (margin === 0 || needed === undefined)
    return "; a margin of 0 asks for a shown gain: accept a small loss with --margin";
  if (low >= -margin)
    return `; so few answers changed that the bound alone says little, and the exact test leaves a loss of the margin possible (p ${formatP(exactP)})${needed > questions ? `: at least ${formatAmount(needed)} questions are needed` : ""}`;
  if (needed <= questions)
    return "; an unchanged run would have passed with as many questions: this one may well be worse";
  return `; ${questions} questions are too few: about ${formatAmount(needed)} let an unchanged run pass in 80 of 100 cases`;
}

function signed(value: number | undefined): string {
  if (value === undefined) return dash;
  const text = formatScore(value);
  if (/^-?[.0]+$/.test(text)) return formatScore(0);
  return value > 0 ? `+${text}` : text;
}

const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
