import { formatScore, renderMarkdown, renderText, type Table } from "../../tables/table.js";
import type { Verdict } from "../gate.js";
import type { GateCheck } from "../result.js";
import { signed } from "../wording.js";
import type { OldGateLine } from "./rule.js";

/** A gate's answer by the rule of version 0.1.0. */
export interface OldGateResult {
  readonly verdict: Verdict;
  readonly rule: "0.1.0";
  readonly withdrawn: string;
  /** As typed. */
  readonly run: string;
  readonly baseline: string;
  readonly simulated: boolean;
  readonly alpha: number;
  readonly lines: readonly OldGateLine[];
  readonly checks: readonly GateCheck[];
  readonly remarks: readonly string[];
}

/** What is wrong with the rule, with what was measured. */
export const WITHDRAWN =
  "WITHDRAWN RULE of version 0.1.0: at its stated risk of 5 % it passes a run worse by just the margin in up to 86 % of cases (docs/STATISTICS.md); its verdict is no evidence. Leave --rule out";

/** Lines for a terminal: the verdict under the warning, and no sentence about what a verdict shows. */
export function renderOldGate(result: OldGateResult): string {
  return [headline(result), result.withdrawn, renderText(tableOf(result)), ...details(result)].join("\n");
}

/** The same for a GitHub step summary. */
export function renderOldGateMarkdown(result: OldGateResult): string {
  const said = details(result).map((line) => `- ${line}`);
  return [
    `## ${headline(result)}`,
    "",
    `**${result.withdrawn}**`,
    "",
    renderMarkdown(tableOf(result)),
    "",
    ...said,
    "",
  ].join("\n");
}

const headline = ({ verdict, run, baseline, simulated }: OldGateResult): string =>
  `gate ${verdict.toUpperCase()} by the withdrawn rule of 0.1.0${simulated ? ", SIMULATED" : ""} · ${run} against ${baseline}`;

const details = ({ checks, remarks }: OldGateResult): string[] => [
  ...checks.map(({ passed, finding }) => `${passed ? "ok" : "NOT OK"}: ${finding}`),
  ...remarks,
];

function tableOf({ lines }: OldGateResult): Table {
  const left = ["task", "method", "metric", "verdict"];
  return {
    columns: [...left, "baseline", "run", "gain", "margin"].map((title) => ({
      title,
      align: left.includes(title) ? "left" : "right",
    })),
    rows: lines.map(({ task, method, metric, verdict, ...line }) => [
      ...[task, method, metric, verdict],
      ...[formatScore(line.baseline), formatScore(line.candidate), signed(line.gain), formatScore(line.margin)],
    ]),
  };
}
