import type { Interval } from "../../statistics/interval.js";
import type { Cell } from "../../types.js";
import { armLabel, variantOf } from "../arms.js";
import { groupBy } from "../grouped.js";
import type { Judgement } from "./judgement.js";
import { verdictInterval } from "./verdict-interval.js";

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
