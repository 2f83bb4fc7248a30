import { nounOf } from "../../text/count.js";
import type { Cell } from "../../types.js";
import { dash, formatAmount, formatScore, formatUsd, renderMarkdown, type Table } from "../tables/table.js";
import { TOO_NARROW } from "../too-narrow.js";
import type { Judgement, JudgementFacts } from "./judgement.js";
import { type OnParseFail, scoresOf } from "./scores.js";
import { winsOf } from "./wins.js";

/** What the replies of a judge took. */
export interface JudgeSpend {
  readonly calls: number;
  readonly tokens: number;
  /** Undefined where no price is known. */
  readonly usd: number | undefined;
  /** Judgements whose stored replies are gone: what they took is counted as they tell. Absent: none. */
  readonly lost?: number;
}

/** The tables of one judge over one run, in Markdown, with a line for each edit of its records. Says what is unjudged, and whose judge it was. */
export function renderJudgements(
  facts: JudgementFacts,
  { calls, tokens, usd, lost = 0 }: JudgeSpend,
  judgements: readonly Judgement[],
  cells: readonly Cell[],
  edits: readonly string[] = [],
): string {
  const seed = cells[0]?.seed ?? 0;
  const marks = facts.simulated ? " · SIMULATED (embedded model: lexical overlap, no judgement)" : "";
  const settings = Object.entries(facts.options).map(([name, value]) => `${name}=${value}`);
  return [
    `### ${facts.judge} · judge: ${facts.model}${marks}`,
    "",
    `range ${facts.range.join(" to ")}; ${settings.join(", ")}; ${formatAmount(calls)} ${nounOf(calls, "judge call")}, ${formatAmount(tokens)} tokens, ${usd === undefined ? "no price known" : formatUsd(usd)}`,
    ...[...lostLine(lost), ...edits].flatMap((line) => ["", line]),
    ...(facts.ownReplies ? ["", `${facts.model} judges replies that it wrote itself: take them with care`] : []),
    "",
    ...(facts.against === undefined
      ? scoreLines(facts, scoresOf(judgements, cells, { onParseFail: ruleOf(facts), range: facts.range, seed }))
      : [renderMarkdown(winTable(judgements, cells)), "", PAIR_NOTE]),
    "",
  ].join("\n");
}

/** What an unjudged reply counts as under this judge. */
export const ruleOf = ({ options }: JudgementFacts): OnParseFail =>
  options["judge.onParseFail"] === "zero" ? "zero" : "exclude";

const right = (title: string) => ({ title, align: "right" }) as const;
const left = (title: string) => ({ title, align: "left" }) as const;

const lostLine = (lost: number): string[] =>
  lost === 0
    ? []
    : [
        `The stored replies of ${lost} ${nounOf(lost, "judgement")} are gone: calls and tokens are counted as ${nounOf(lost, "it tells", "they tell")}.`,
      ];

const PAIR_NOTE =
  "Each pair is shown in both orders; a verdict that turns with the order counts as no preference. Net: (wins - losses) / judged pairs.";

type Scores = ReturnType<typeof scoresOf>;

function scoreLines(facts: JudgementFacts, scores: Scores): string[] {
  return [
    renderMarkdown(scoreTable(scores)),
    "",
    ruleOf(facts) === "zero"
      ? "Unjudged replies count as 0 (judge.onParseFail=zero, the rule of papers/004), on a scale that has no 0."
      : "Unjudged: the judge gave no verdict that can be read, twice. Such replies are in no mean.",
    ...(scores.some(({ difference }) => difference !== undefined)
      ? ["", `Difference from the first: 95 % interval over users or dialogues, ${TOO_NARROW}.`]
      : []),
  ];
}

function scoreTable(scores: Scores): Table {
  return {
    columns: [
      left("task"),
      left("method"),
      right("mean [95 %]"),
      right("judged"),
      right("unjudged"),
      right("failed"),
      right("users"),
      right("difference from the first [95 %]"),
    ],
    rows: scores.map((score) => [
      score.task,
      score.arm,
      withInterval(score.mean, score.interval),
      String(score.judged),
      String(score.unjudged),
      String(score.failed),
      String(score.users),
      score.difference === undefined ? dash : withInterval(score.difference.value, score.difference.interval),
    ]),
  };
}

function winTable(judgements: readonly Judgement[], cells: readonly Cell[]): Table {
  return {
    columns: [
      left("task"),
      left("method"),
      left("against"),
      right("net [95 %]"),
      right("wins"),
      right("losses"),
      right("ties"),
      right("turned with the order"),
      right("unjudged"),
      right("first place preferred"),
    ],
    rows: winsOf(judgements, cells).map((wins) => [
      wins.task,
      wins.arm,
      wins.against,
      withInterval(wins.net, wins.interval),
      ...[wins.wins, wins.losses, wins.ties, wins.turned, wins.unjudged].map(String),
      formatScore(wins.firstPreferred),
    ]),
  };
}

function withInterval(
  value: number | undefined,
  interval: { readonly low: number; readonly high: number } | undefined,
): string {
  const shown = (number: number): string => number.toFixed(2);
  if (value === undefined) return dash;
  return `${shown(value)} [${interval === undefined ? dash : `${shown(interval.low)}, ${shown(interval.high)}`}]`;
}
