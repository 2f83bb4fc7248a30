import { MIN_USERS } from "../../results/inference.js";
import { studentQuantile } from "../../results/student.js";
import type { Task } from "../../types/index.js";

/** What is known of a comparison before it is made. */
interface PlannedComparison {
  readonly users: number;
  readonly questions: number;
  readonly kind: Task["kind"];
}

/** Returns the smallest difference that so many users find in 80 % of cases, for the assumed spread. Undefined below MIN_USERS users. */
export function detectableDifference({ users, questions, kind }: PlannedComparison): number | undefined {
  if (users < MIN_USERS || questions < users) return undefined;
  const { deviation } = assumedSpread[kind];
  const se = deviation * Math.sqrt((1 + (questions / users - 1) * ALIKE) / questions);
  return (studentQuantile(0.975, users - 1) + studentQuantile(0.8, users - 1)) * se;
}

const disagreement = { deviation: Math.sqrt(0.2), words: "where two methods disagree on one question in five" };

/** The spread of a difference on one question that is assumed before any reply is there. */
export const assumedSpread: Readonly<Record<Task["kind"], { readonly deviation: number; readonly words: string }>> = {
  label: disagreement,
  choice: disagreement,
  rating: { deviation: 0.6, words: "where the errors of two methods differ by .6 (standard deviation)" },
  text: { deviation: 0.15, words: "where the scores of two methods differ by .15 (standard deviation)" },
};

/** Correlation of the differences on two questions of one user. */
const ALIKE = 0.05;
