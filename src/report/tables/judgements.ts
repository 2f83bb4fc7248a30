import { type Agreement, countsUnjudged, scoresOf, winsOf } from "../../results/judge-scores.js";
import { countOf, nounOf } from "../../text/count.js";
import type { ArmSpec, JudgedRun } from "../../types/index.js";
import { type ColumnOf, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatScore, formatUsd } from "./format.js";

/** Makes the table of one judge over `arms`; `usd`: what its calls cost where a price is known. */
export function judgementTable(said: JudgedRun, arms: readonly ArmSpec[], usd: number | undefined): Table {
  const { facts, judgements } = said;
  const settings = Object.entries(facts.options).map(([name, value]) => `${name}=${value}`);
  const calls = judgements.reduce((sum, one) => sum + one.calls, 0);
  const tokens = judgements.reduce((sum, one) => sum + one.tokens.in + one.tokens.out, 0);
  const unread = judgements.filter(({ judged }) => judged.kind === "unjudged").length;
  const spent = [
    `${formatAmount(calls)} ${nounOf(calls, "judge call")}`,
    `${formatAmount(tokens)} tokens`,
    usd === undefined ? "no price known" : formatUsd(usd),
  ];
  return {
    title: `${facts.judge} · judge: ${facts.model}${facts.simulated ? " (SIMULATED)" : ""}`,
    warnings: [
      ...(facts.ownReplies ? [`${facts.model} judges replies that it wrote itself: take them with care`] : []),
      ...(unread === 0 || unread < judgements.length / 10
        ? []
        : [`${unread} of ${countOf(judgements.length, "verdict")} cannot be read`]),
    ],
    keys: 2,
    ...(facts.against === undefined ? scoreTable(said, arms) : winTable(said, arms)),
    notes: [
      `range ${facts.range.join(" to ")}; ${settings.join(", ")}; ${spent.join(", ")}`,
      ...(facts.simulated ? ["SIMULATED: the embedded model counts words in common; it judges nothing"] : []),
    ],
  };
}

const estimate = { format: (value: number): string => value.toFixed(2), interval: true };
const amount = { format: formatAmount };

function scoreTable(
  { facts, judgements }: JudgedRun,
  arms: readonly ArmSpec[],
): Pick<Table, "columns" | "rows" | "legend"> {
  const scores = scoresOf(judgements, arms, facts);
  const columns: ColumnOf<(typeof scores)[number]>[] = [
    { title: "task", cell: ({ task }) => task },
    { title: "method", cell: ({ arm }) => arm },
    { title: "mean", ...estimate, cell: ({ mean, interval }) => ({ value: mean, interval }) },
    { title: "judged", ...amount, cell: ({ judged }) => judged },
    { title: "unjudged", ...amount, cell: ({ unjudged }) => unjudged },
    { title: "failed", ...amount, cell: ({ failed }) => failed },
    { title: "users", ...amount, cell: ({ users }) => users },
  ];
  const unjudged = countsUnjudged(facts)
    ? "Unjudged replies count as 0 (judge.onParseFail=zero, the rule of the assistant paper), on a scale that has no 0."
    : "Unjudged: the judge gave no verdict that can be read, twice. Such replies are in no mean.";
  return { ...rowsOfItems(columns, scores), legend: [unjudged] };
}

function winTable({ judgements }: JudgedRun, arms: readonly ArmSpec[]): Pick<Table, "columns" | "rows" | "legend"> {
  const wins = winsOf(judgements, arms);
  const columns: ColumnOf<(typeof wins)[number]>[] = [
    { title: "task", cell: ({ task }) => task },
    { title: "method", cell: ({ arm }) => arm },
    { title: "against", cell: ({ against }) => against },
    { title: "net", ...estimate, cell: ({ net, interval }) => ({ value: net, interval }) },
    { title: "wins", ...amount, cell: (one) => one.wins },
    { title: "losses", ...amount, cell: ({ losses }) => losses },
    { title: "ties", ...amount, cell: ({ ties }) => ties },
    { title: "turned with the order", ...amount, cell: ({ turned }) => turned },
    { title: "unjudged", ...amount, cell: ({ unjudged }) => unjudged },
    { title: "first place preferred", format: formatScore, cell: ({ firstPreferred }) => firstPreferred },
  ];
  const legend = [
    "Each pair is shown in both orders; a verdict that turns with the order counts as no preference.",
    "Net: (wins - losses) / judged pairs.",
  ];
  return { ...rowsOfItems(columns, wins), legend: [legend.join(" ")] };
}

/** Returns a paragraph for each two judges. */
export const agreementText = (agreements: readonly Agreement[]): string =>
  agreements.map((one) => agreementLines(one).join("\n")).join("\n");

function agreementLines({ judges, pairs, same, reversed }: Agreement): string[] {
  const share = pairs === 0 ? "" : ` (${Math.round((100 * same) / pairs)} %)`;
  return [
    `${judges.join(" and ")}: the same verdict on ${same} of ${countOf(pairs, "pair")} of replies${share}`,
    ...(pairs > 0 && reversed.length === 0 ? ["  no two methods are in opposite orders"] : []),
    ...reversed.map(
      ({ task, methods: [better, worse] }) =>
        `  the order differs on ${task}: ${judges[0]} puts ${better} above ${worse}, ${judges[1]} below`,
    ),
  ];
}
