import { sparseLabelRemarks } from "../sparse-labels.js";
import { dash, formatAmount, formatP, formatScore, renderMarkdown, renderText, type Table } from "../tables/table.js";
import type { GateLine } from "./gate.js";
import type { GateResult } from "./result.js";
import { headline, LEGEND, sentence, signed } from "./wording.js";

export { sentence } from "./wording.js";

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
