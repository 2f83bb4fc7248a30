import { UsageError } from "../errors.js";
import type { Pair, Row } from "../types/index.js";
import { groupBy } from "./grouped.js";
import { drawnWhole, isScored, pairOf, repeatsOf } from "./pairs.js";

/** One entry for each repeat; undefined where that repeat failed. */
export type Replies = readonly (Pair | undefined)[];

/** What one arm replied to one question in all its repeats. */
export interface Answers {
  readonly id: string;
  /** The user, or the cluster where the data name one. */
  readonly user: string;
  /** The gold answer, or what stands for it: equal in two arms on the same data. Undefined: there is none. */
  readonly gold: string | undefined;
  /** Whether any repeat replied. */
  readonly answered: boolean;
  /** Empty where the gold answer is not known. */
  readonly replies: Replies;
}

/** A question of two arms side by side. */
export interface PairedQuestion {
  readonly id: string;
  readonly user: string;
  readonly baseline: Replies;
  readonly candidate: Replies;
}

interface PairedAnswers {
  /** Scored in both. */
  readonly questions: readonly PairedQuestion[];
  /**
   * Questions that the baseline answered and the candidate failed in every repeat, or lacks. `baseline` is empty where the gold of an
   * absent question is not known.
   */
  readonly lost: readonly PairedQuestion[];
  /** Questions left out of `questions`, by reason. */
  readonly leftOut: {
    readonly onlyA: number;
    readonly onlyB: number;
    readonly failed: number;
    readonly noGold: number;
  };
}

/** Puts two arms side by side by question id. Throws what `other` makes of a question with another user or gold in the candidate. */
export function pairAnswers(
  baseline: readonly Answers[],
  candidate: readonly Answers[],
  other: (old: Answers, now: Answers) => Error,
): PairedAnswers {
  const fresh = new Map(candidate.map((answers) => [answers.id, answers]));
  const questions: PairedQuestion[] = [];
  const lost: PairedQuestion[] = [];
  const leftOut = { onlyA: 0, onlyB: 0, failed: 0, noGold: 0 };
  for (const old of baseline) {
    const now = fresh.get(old.id);
    fresh.delete(old.id);
    if (now !== undefined && (now.user !== old.user || now.gold !== old.gold)) throw other(old, now);
    const question = { id: old.id, user: old.user, baseline: old.replies, candidate: now?.replies ?? [] };
    const isKnown = now === undefined ? old.gold !== undefined : old.replies.length > 0;
    if (now === undefined) leftOut.onlyA += 1;
    else if (!isKnown) leftOut.noGold += 1;
    else if (old.answered && now.answered) questions.push(question);
    else leftOut.failed += 1;
    if (isKnown && old.answered && now?.answered !== true) lost.push(question);
  }
  return { questions, lost, leftOut: { ...leftOut, onlyB: fresh.size } };
}

/** The answers of an arm's rows, question by question. Throws UsageError on a question with two users or golds. */
export function answersIn(rows: readonly Row[]): Answers[] {
  const cells = repeatsOf(rows);
  return [...groupBy(rows, ({ question }) => question)].map(([id, ofQuestion]) => {
    const { gold } = ofQuestion[0]!; // groups are never empty
    const user = drawnWhole(ofQuestion[0]!);
    const replies: (Pair | undefined)[] = gold === undefined ? [] : cells.map(() => undefined);
    for (const row of ofQuestion) {
      if (drawnWhole(row) !== user || row.gold !== gold)
        throw otherData({ id, user, gold }, { id, user: drawnWhole(row), gold: row.gold });
      if (isScored(row)) replies[cells.indexOf(row.cell)] = pairOf(row);
    }
    return { id, user, gold, answered: ofQuestion.some(({ outcome }) => outcome.kind !== "failed"), replies };
  });
}

type Asked = Pick<Answers, "id" | "user" | "gold">;

/** Two arms of different data. */
export function otherData(a: Asked, b: Asked): UsageError {
  const what = a.user === b.user ? "gold" : "user";
  return new UsageError(
    `question ${a.id}: its ${what} is ${JSON.stringify(a[what] ?? null)} in one arm and ${JSON.stringify(b[what] ?? null)} in the other: different data; compare runs of the same files`,
  );
}

/** The pairs of each repeat: none of a repeat that failed everywhere. */
export function byRepeat(replies: readonly Replies[]): Pair[][] {
  const repeats = replies.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: repeats }, (_, r) => replies.flatMap((ofQuestion) => ofQuestion[r] ?? []));
}

/** Those of the repeats that did not fail. */
export const known = (replies: Replies): Pair[] => replies.filter((pair) => pair !== undefined);
