import { MIN_USERS } from "../../../statistics/interval.js";
import { foundAt } from "../../../statistics/power.js";
import type { Task } from "../../../types/index.js";

/** What is known of a comparison before it is made. */
interface PlannedComparison {
  readonly users: number;
  readonly questions: number;
  readonly kind: Task["kind"];
}

/**
 * The smallest paired difference that so many users show with 80 % power in one two-sided test at .05, users being independent and
 * a user's questions alike. Undefined where none as large as the data can hold is, and below MIN_USERS users, which have no test.
 */
export function detectableDifference({ users, questions, kind }: PlannedComparison): number | undefined {
  if (users < MIN_USERS || questions < users) return undefined;
  const each = questions / users;
  const { deviation, isDisagreement } = assumedScatter[kind];
  const { threshold, reach } = foundAt(users - 1);
  const ofOne = (1 + (each - 1) * ALIKE) / questions;
  const scatter = deviation ** 2 * ofOne;
  // The test adds two questions of which one is gained and one lost (`pairedDifference`).
  const tested = Math.sqrt(scatter + 2 / questions ** 2);
  if (!isDisagreement) return threshold * tested + reach * Math.sqrt(scatter);
  // What is gained is no scatter: of answers that are right or wrong the difference's square is taken off.
  const errors = threshold + reach;
  const gained = (errors * tested) / Math.sqrt(1 + errors ** 2 * ofOne);
  return gained > deviation ** 2 ? undefined : gained;
}

const disagreement = {
  deviation: Math.sqrt(0.2),
  isDisagreement: true,
  words: "where two arms disagree on one question in five",
};

/** What is taken for the scatter of a difference on one question before any reply is there, and how a reader may judge it. */
export const assumedScatter: Readonly<
  Record<Task["kind"], { readonly deviation: number; readonly words: string; readonly isDisagreement?: boolean }>
> = {
  label: disagreement,
  choice: disagreement,
  rating: { deviation: 0.6, words: "where the errors of two arms differ by .6 (standard deviation)" },
  text: { deviation: 0.15, words: "where the scores of two arms differ by .15 (standard deviation)" },
};

/** Correlation of the differences on two questions of one user. */
const ALIKE = 0.05;
