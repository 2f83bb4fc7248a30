import { UsageError } from "../errors.js";
import type { Pair, Row } from "../types/index.js";
import { groupBy } from "./grouped.js";
import type { UserPairs } from "./inference.js";
import { drawnWhole, isScored, pairOf, repeatsOf } from "./pairs.js";

/** What one arm replied to one question: a place for each repeat, empty where it failed. */
export interface Answers {
  readonly id: string;
  /** The user, or the cluster where the data name one. */
  readonly user: string;
  /** Undefined: the data hold none. */
  readonly gold: string | undefined;
  readonly pairs: readonly (Pair | undefined)[];
}

/** Returns the answers of an arm by the ids of the questions. Throws UsageError on one with two users or golds. */
export function answersIn(rows: readonly Row[], cells: readonly string[] = repeatsOf(rows)): Answers[] {
  const questions = [...groupBy(rows, ({ question }) => question)].sort(([a], [b]) => (a < b ? -1 : 1));
  return questions.map(([id, ofQuestion]) => {
    const first = ofQuestion[0]!; // groups are never empty
    const pairs: (Pair | undefined)[] = cells.map(() => undefined);
    for (const row of ofQuestion) {
      refuseOther(id, first, row);
      if (isScored(row)) pairs[cells.indexOf(row.cell)] = pairOf(row);
    }
    return { id, user: drawnWhole(first), gold: first.gold, pairs };
  });
}

type Asked = Pick<Row, "cluster" | "user" | "gold">;

function refuseOther(id: string, a: Asked, b: Asked): void {
  const user = drawnWhole(a) !== drawnWhole(b);
  if (!user && a.gold === b.gold) return;
  const [one, other] = user ? [drawnWhole(a), drawnWhole(b)] : [a.gold, b.gold];
  throw new UsageError(
    `question ${id}: its ${user ? "user" : "gold"} is ${JSON.stringify(one ?? null)} in one arm and ${JSON.stringify(other ?? null)} in the other: different data; compare runs of the same files`,
  );
}

/** Questions that not all arms answered, by reason. */
export interface LeftOut {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly failed: number;
  readonly noGold: number;
}

/** Returns the answers of both arms to the questions that both answered. Throws UsageError on different data. */
export function answeredByBoth(
  a: readonly Answers[],
  b: readonly Answers[],
): { readonly a: Answers[]; readonly b: Answers[]; readonly leftOut: LeftOut } {
  const others = new Map(b.map((answers) => [answers.id, answers]));
  const both: [Answers, Answers][] = [];
  const leftOut = { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 };
  for (const one of a) {
    const other = others.get(one.id);
    others.delete(one.id);
    if (other === undefined) {
      leftOut.onlyA += 1;
      continue;
    }
    refuseOther(one.id, one, other);
    if (one.gold === undefined) leftOut.noGold += 1;
    else if (isAnswered(one) && isAnswered(other)) both.push([one, other]);
    else leftOut.failed += 1;
  }
  return {
    a: both.map(([one]) => one),
    b: both.map(([, other]) => other),
    leftOut: { ...leftOut, onlyB: others.size },
  };
}

export const isAnswered = ({ pairs }: Answers): boolean => pairs.some((pair) => pair !== undefined);

/** Returns the pairs of each user by repeat, users in the order of their first question. */
export const usersOf = (answers: readonly Answers[]): UserPairs[] =>
  [...groupBy(answers, ({ user }) => user).values()].map((own) => ({ questions: own.length, repeats: byRepeat(own) }));

/** Returns the pairs of each repeat: none of a repeat that failed everywhere. */
export function byRepeat(answers: readonly Answers[]): Pair[][] {
  const repeats = answers.reduce((most, { pairs }) => Math.max(most, pairs.length), 0);
  return Array.from({ length: repeats }, (_, r) => answers.flatMap(({ pairs }) => pairs[r] ?? []));
}

/** Returns the pairs of the repeats that did not fail. */
export const knownPairs = ({ pairs }: Answers): Pair[] => pairs.filter((pair) => pair !== undefined);
