import { type Agreement, countsUnjudged, scoresOf, winsOf } from "../../results/judge-scores.js";
import { countOf, nounOf } from "../../text/count.js";
import type { Cell, JudgedRun } from "../../types/index.js";
import { type ColumnOf, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatScore, formatUsd } from "./format.js";

/** Makes the table of one judge over one run; `cells` are the judged arms, `usd` what its calls cost where a price is known. */
export function judgementTable(said: JudgedRun, cells: readonly Cell[], usd: number | undefined): Table {
  const { facts, judgements } = said;
  const settings = Object.entries(facts.options).map(([name, value]) => `${name}=${value}`);
  const calls = judgements.reduce((sum, one) => sum + one.calls, 0);
  const tokens = judgements.reduce((sum, one) => sum + one.tokens.in + one.tokens.out, 0);
  return {
    title: `${facts.judge} · judge: ${facts.model}${facts.simulated ? " (SIMULATED)" : ""}`,
    warnings: facts.ownReplies ? [`${facts.model} judges replies that it wrote itself: take them with care`] : [],
    keys: 2,
    ...(facts.against === undefined ? scoreTable(said, cells) : winTable(said, cells)),
    notes: [
      `range ${facts.range.join(" to ")}; ${settings.join(", ")}; ${formatAmount(calls)} ${nounOf(calls, "judge call")}, ${formatAmount(tokens)} tokens, ${usd === undefined ? "no price known" : formatUsd(usd)}`,
      ...(facts.simulated ? ["SIMULATED: the embedded model counts words in common; it judges nothing"] : []),
    ],
  };
}

const twoDigits = (value: number): string => value.toFixed(2);

type Shown = Pick<Table, "columns" | "rows" | "legend">;

function scoreTable({ facts, judgements }: JudgedRun, cells: readonly Cell[]): Shown {
  const scores = scoresOf(judgements, cells, facts);
  const isCompared = scores.some(({ difference }) => difference !== undefined);
  const estimate = { format: twoDigits, interval: true };
  const columns: ColumnOf<(typeof scores)[number]>[] = [
    { title: "task", cell: ({ task }) => task },
    { title: "method", cell: ({ arm }) => arm },
    { title: "mean", ...estimate, cell: ({ mean, interval }) => ({ value: mean, interval }) },
    { title: "judged", format: formatAmount, cell: ({ judged }) => judged },
    { title: "unjudged", format: formatAmount, cell: ({ unjudged }) => unjudged },
    { title: "failed", format: formatAmount, cell: ({ failed }) => failed },
    { title: "users", format: formatAmount, cell: ({ users }) => users },
    { key: "difference", title: "difference from the first", ...estimate, cell: ({ difference }) => difference },
  ];
  return {
    ...rowsOfItems(columns, scores),
    legend: [
      countsUnjudged(facts)
        ? "Unjudged replies count as 0 (judge.onParseFail=zero, the rule of the assistant paper), on a scale that has no 0."
        : "Unjudged: the judge gave no verdict that can be read, twice. Such replies are in no mean.",
      ...(isCompared ? ["Difference from the first: 95 % interval over users or dialogues."] : []),
    ],
  };
}

function winTable({ judgements }: JudgedRun, cells: readonly Cell[]): Shown {
  const wins = winsOf(judgements, cells);
  const columns: ColumnOf<(typeof wins)[number]>[] = [
    { title: "task", cell: ({ task }) => task },
    { title: "method", cell: ({ arm }) => arm },
    { title: "against", cell: ({ against }) => against },
    { title: "net", format: twoDigits, interval: true, cell: ({ net, interval }) => ({ value: net, interval }) },
    { title: "wins", format: formatAmount, cell: (one) => one.wins },
    { title: "losses", format: formatAmount, cell: ({ losses }) => losses },
    { title: "ties", format: formatAmount, cell: ({ ties }) => ties },
    { title: "turned with the order", format: formatAmount, cell: ({ turned }) => turned },
    { title: "unjudged", format: formatAmount, cell: ({ unjudged }) => unjudged },
    { title: "first place preferred", format: formatScore, cell: ({ firstPreferred }) => firstPreferred },
  ];
  return {
    ...rowsOfItems(columns, wins),
    legend: [
      "Each pair is shown in both orders; a verdict that turns with the order counts as no preference. Net: (wins - losses) / judged pairs.",
    ],
  };
}

/** Returns a paragraph for each two judges. */
export const agreementText = (agreements: readonly Agreement[]): string =>
  agreements
    .map(({ judges, pairs, same, reversed }) =>
      [
        `${judges.join(" and ")}: the same verdict on ${same} of ${countOf(pairs, "pair")} of replies${pairs === 0 ? "" : ` (${Math.round((100 * same) / pairs)} %)`}`,
        ...(pairs > 0 && reversed.length === 0 ? ["  no two methods are in opposite orders"] : []),
        ...reversed.map(
          ({ task, methods: [better, worse] }) =>
            `  the order differs on ${task}: ${judges[0]} puts ${better} above ${worse}, ${judges[1]} below`,
        ),
      ].join("\n"),
    )
    .join("\n");
