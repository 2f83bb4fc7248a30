import { UsageError } from "../../errors.js";
import type { Row } from "../../types.js";
import { groupBy } from "../grouped.js";
import { isScored, type ScoredRow } from "../pairs.js";

/** A question that both arms answered and whose gold is known. One row per repeat. */
export interface AlignedQuestion {
  readonly question: string;
  readonly user: string;
  readonly gold: string;
  readonly a: readonly ScoredRow[];
  readonly b: readonly ScoredRow[];
}

export interface Alignment {
  readonly questions: readonly AlignedQuestion[];
  /** Questions left out, by reason. */
  readonly leftOut: {
    readonly onlyA: number;
    readonly onlyB: number;
    readonly failed: number;
    readonly noGold: number;
  };
}

/**
 * Puts the rows of two arms side by side by question id. Failed rows are not scored: a question without any other row
 * in an arm is left out and counted. Throws UsageError when a question has another user or gold in the other arm.
 */
export function align(a: readonly Row[], b: readonly Row[]): Alignment {
  const [ofA, ofB] = [byQuestion(a), byQuestion(b)];
  const questions: AlignedQuestion[] = [];
  let [failed, noGold] = [0, 0];
  for (const [question, rowsA] of ofA) {
    const rowsB = ofB.get(question);
    if (rowsB === undefined) continue;
    const { user, gold } = rowsA[0]!; // groups are never empty
    for (const row of [...rowsA, ...rowsB]) refuseOther(question, { user, gold }, row);
    const [scoredA, scoredB] = [scored(rowsA), scored(rowsB)];
    if (gold === undefined) noGold += 1;
    else if (scoredA.length === 0 || scoredB.length === 0) failed += 1;
    else questions.push(new Aligned(question, scoredA, scoredB));
  }
  const missing = (from: Map<string, Row[]>, other: Map<string, Row[]>) =>
    [...from.keys()].filter((question) => !other.has(question)).length;
  return { questions, leftOut: { onlyA: missing(ofA, ofB), onlyB: missing(ofB, ofA), failed, noGold } };
}

/** User and gold, which all rows have alike, are read when they are asked for. */
class Aligned implements AlignedQuestion {
  readonly question: string;
  readonly a: readonly ScoredRow[];
  readonly b: readonly ScoredRow[];

  constructor(question: string, a: readonly ScoredRow[], b: readonly ScoredRow[]) {
    this.question = question;
    this.a = a;
    this.b = b;
  }

  get user(): string {
    return this.a[0]!.user; // there is one
  }
  get gold(): string {
    return this.a[0]!.gold;
  }
}

const scored = (rows: readonly Row[]): readonly ScoredRow[] => (rows.every(isScored) ? rows : rows.filter(isScored));

const byQuestion = (rows: readonly Row[]): Map<string, Row[]> => groupBy(rows, ({ question }) => question);

function refuseOther(question: string, known: { user: string; gold: string | undefined }, row: Row): void {
  const what = row.user !== known.user ? "user" : row.gold !== known.gold ? "gold" : undefined;
  if (what === undefined) return;
  throw new UsageError(
    `question ${question}: its ${what} is ${JSON.stringify(known[what] ?? null)} in one arm and ${JSON.stringify(row[what] ?? null)} in the other: different data; compare runs of the same files`,
  );
}
