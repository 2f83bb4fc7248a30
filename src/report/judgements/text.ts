import { armLabel, variantOf } from "../../results/arms.js";
import { groupBy } from "../../results/grouped.js";
import type { Interval } from "../../results/inference.js";
import { nounOf } from "../../text/count.js";
import type { Cell } from "../../types/index.js";
import { type ColumnOf, rowsOfItems, type Table } from "../table.js";
import { formatAmount, formatScore, formatUsd } from "../tables/format.js";
import type { JudgedRun, Judgement, JudgementFacts } from "./judgement.js";
import { type OnParseFail, scoresOf, verdictInterval } from "./scores.js";

/** What the replies of a judge took. */
export interface JudgeSpend {
  readonly calls: number;
  readonly tokens: number;
  /** Undefined where no price is known. */
  readonly usd: number | undefined;
}

/** The table of one judge over one run; `cells` are the judged arms. Says what is unjudged, and whose judge it was. */
export function judgementTable(
  { facts, judgements }: JudgedRun,
  cells: readonly Cell[],
  { calls, tokens, usd }: JudgeSpend,
): Table {
  const settings = Object.entries(facts.options).map(([name, value]) => `${name}=${value}`);
  const own = facts.ownReplies ? [`${facts.model} judges replies that it wrote itself: take them with care`] : [];
  return {
    title: `${facts.judge} · judge: ${facts.model}${facts.simulated ? " (SIMULATED)" : ""}`,
    warnings: own,
    keys: 2,
    ...(facts.against === undefined ? scoreTable(facts, judgements, cells) : winTable(judgements, cells)),
    notes: [
      `range ${facts.range.join(" to ")}; ${settings.join(", ")}; ${formatAmount(calls)} ${nounOf(calls, "judge call")}, ${formatAmount(tokens)} tokens, ${usd === undefined ? "no price known" : formatUsd(usd)}`,
      ...(facts.simulated ? ["SIMULATED: the embedded model counts words in common; it judges nothing"] : []),
    ],
  };
}

/** What an unjudged reply counts as under this judge. */
export const ruleOf = ({ options }: JudgementFacts): OnParseFail =>
  options["judge.onParseFail"] === "zero" ? "zero" : "exclude";

const twoDigits = (value: number): string => value.toFixed(2);

type Shown = Pick<Table, "columns" | "rows" | "legend">;

function scoreTable(facts: JudgementFacts, judgements: readonly Judgement[], cells: readonly Cell[]): Shown {
  const rule = ruleOf(facts);
  const scores = scoresOf(judgements, cells, { onParseFail: rule, range: facts.range });
  const isCompared = scores.some(({ difference }) => difference !== undefined);
  const estimate = { format: twoDigits, interval: true };
  return {
    ...rowsOfItems(
      [
        { title: "task", cell: ({ task }) => task },
        { title: "method", cell: ({ arm }) => arm },
        { title: "mean", ...estimate, cell: ({ mean, interval }) => ({ value: mean, interval }) },
        { title: "judged", format: formatAmount, cell: ({ judged }) => judged },
        { title: "unjudged", format: formatAmount, cell: ({ unjudged }) => unjudged },
        { title: "failed", format: formatAmount, cell: ({ failed }) => failed },
        { title: "users", format: formatAmount, cell: ({ users }) => users },
        { key: "difference", title: "difference from the first", ...estimate, cell: ({ difference }) => difference },
      ],
      scores,
    ),
    legend: [
      rule === "zero"
        ? "Unjudged replies count as 0 (judge.onParseFail=zero, the rule of the assistant paper), on a scale that has no 0."
        : "Unjudged: the judge gave no verdict that can be read, twice. Such replies are in no mean.",
      ...(isCompared ? ["Difference from the first: 95 % interval over users or dialogues."] : []),
    ],
  };
}

function winTable(judgements: readonly Judgement[], cells: readonly Cell[]): Shown {
  const count = (title: string, of: (wins: ArmWins) => number): ColumnOf<ArmWins> => ({
    title,
    format: formatAmount,
    cell: of,
  });
  return {
    ...rowsOfItems(
      [
        { title: "task", cell: ({ task }) => task },
        { title: "method", cell: ({ arm }) => arm },
        { title: "against", cell: ({ against }) => against },
        { title: "net", format: twoDigits, interval: true, cell: ({ net, interval }) => ({ value: net, interval }) },
        count("wins", ({ wins }) => wins),
        count("losses", ({ losses }) => losses),
        count("ties", ({ ties }) => ties),
        count("turned with the order", ({ turned }) => turned),
        count("unjudged", ({ unjudged }) => unjudged),
        { title: "first place preferred", format: formatScore, cell: ({ firstPreferred }) => firstPreferred },
      ],
      winsOf(judgements, cells),
    ),
    legend: [
      "Each pair is shown in both orders; a verdict that turns with the order counts as no preference. Net: (wins - losses) / judged pairs.",
    ],
  };
}

/** How often an arm's reply was found better than the other's, each pair shown in both orders. */
interface ArmWins {
  readonly task: string;
  readonly arm: string;
  readonly against: string;
  readonly pairs: number;
  /** Found better, worse, or neither, the same in both orders. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** The verdict turned with the order: it counts as no preference. */
  readonly turned: number;
  /** A pair with an order that was not judged; it is in no share. */
  readonly unjudged: number;
  /** (wins - losses) / judged pairs. */
  readonly net: number | undefined;
  readonly interval: Interval | undefined;
  /** Share of the judged pairs in which the reply shown first was preferred in both orders. */
  readonly firstPreferred: number | undefined;
}

/** Wins of every compared arm. A judge that always prefers the first place gives a net of 0, all pairs turned. */
export function winsOf(judgements: readonly Judgement[], cells: readonly Cell[]): ArmWins[] {
  const cellOf = new Map(cells.map((cell) => [cell.id, cell]));
  const compared = judgements.filter(({ against }) => against !== undefined);
  const byArm = groupBy(compared, ({ cell, against }) => `${cell} ${against?.cell}`);
  return [...byArm.values()].flatMap((ofArm) => {
    const [cell, other] = [cellOf.get(ofArm[0]!.cell), cellOf.get(ofArm[0]!.against!.cell)]; // no group is empty, all are compared
    if (cell === undefined || other === undefined) return [];
    const pairs = [...groupBy(ofArm, ({ question }) => question).values()].map(pairOf);
    const judged = pairs.filter(({ result }) => result !== "unjudged");
    const count = (result: PairResult) => pairs.filter((pair) => pair.result === result).length;
    const [wins, losses] = [count("win"), count("loss")];
    const share = (part: number) => (judged.length === 0 ? undefined : part / judged.length);
    return [
      {
        task: cell.task,
        arm: armLabel({ method: cell.method, variant: variantOf(cell, cells) }),
        against: armLabel({ method: other.method, variant: variantOf(other, cells) }),
        pairs: pairs.length,
        wins,
        losses,
        ties: count("tie"),
        turned: count("turned"),
        unjudged: count("unjudged"),
        net: share(wins - losses),
        interval: verdictInterval(
          judged.map(({ user, question, result }) => ({ user, question, value: NET[result] })),
          [-1, 1],
        ),
        firstPreferred: share(judged.filter(({ firstTwice }) => firstTwice).length),
      },
    ];
  });
}

type PairResult = "win" | "loss" | "tie" | "turned" | "unjudged";

const NET: Readonly<Record<PairResult, number>> = { win: 1, loss: -1, tie: 0, turned: 0, unjudged: 0 };

/** Both orders of one pair of replies. */
function pairOf(both: readonly Judgement[]): {
  readonly user: string;
  readonly question: string;
  readonly result: PairResult;
  readonly firstTwice: boolean;
} {
  const { user, question } = both[0]!; // no group is empty
  const values = both.map(({ judged, against }) => {
    if (judged.kind !== "judged") return undefined;
    return { shown: judged.value, forArm: against?.shownFirst === true ? -judged.value : judged.value };
  });
  const [one, two] = values;
  if (values.length !== 2 || one === undefined || two === undefined)
    return { user, question, result: "unjudged", firstTwice: false };
  const firstTwice = one.shown === 1 && two.shown === 1;
  if (one.forArm !== two.forArm) return { user, question, result: "turned", firstTwice };
  return { user, question, result: one.forArm === 0 ? "tie" : one.forArm > 0 ? "win" : "loss", firstTwice };
}
