import { studentQuantile } from "../../statistics/student.js";
import type { Task } from "../../types.js";

/** What is known of a comparison before it is made. */
interface PlannedComparison {
  readonly users: number;
  readonly questions: number;
  /** Standard deviation of the difference between two arms on one question. */
  readonly deviation: number;
}

/**
 * The smallest paired difference that so many users show with 80 % power in one two-sided test at .05, users being independent and
 * a user's questions alike. Undefined for fewer than two users.
 */
export function detectableDifference({ users, questions, deviation }: PlannedComparison): number | undefined {
  if (users < 2 || questions < users) return undefined;
  const each = questions / users;
  const ofUser = deviation * Math.sqrt((1 + (each - 1) * ALIKE) / each);
  return (studentQuantile(0.975, users - 1) + studentQuantile(0.8, users - 1)) * (ofUser / Math.sqrt(users));
}

/** What is taken for the scatter of a difference before any reply is there, and how a reader may judge it. */
export const assumedScatter: Readonly<Record<Task["kind"], { readonly deviation: number; readonly words: string }>> = {
  label: { deviation: Math.sqrt(0.2), words: "where two arms disagree on one question in five" },
  rating: { deviation: 0.6, words: "where the errors of two arms differ by .6 (standard deviation)" },
  text: { deviation: 0.15, words: "where the scores of two arms differ by .15 (standard deviation)" },
};

// --- internal ---

/** Correlation of the differences on two questions of one user. */
const ALIKE = 0.05;
