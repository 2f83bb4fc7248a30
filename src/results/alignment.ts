import type { OptionValue } from "../types/index.js";

interface Counted {
  readonly incidents: Readonly<Record<string, number>>;
}

interface Spending extends Counted {
  readonly spend: Readonly<Partial<Record<string, unknown>>>;
}

/** Whether an incident says that a persona was not aligned: there was nothing to learn from, or no usable rewrite came. */
export const isFailedAlignment = (incident: string): boolean =>
  incident.startsWith("align-skipped") || incident === UPDATE_FAILED;

/** Whether a user's, or a question's, alignment changed nothing. Of several iterations all must have failed: else something was learned. */
export function hasNoAlignment({ incidents }: Counted, options: Readonly<Record<string, OptionValue>>): boolean {
  const iterations = Number(options["align.iterations"] ?? 1);
  return Object.entries(incidents).some(
    ([incident, count]) => isFailedAlignment(incident) && count >= (incident === UPDATE_FAILED ? iterations : 1),
  );
}

/**
 * Whether that holds of all users of an arm, and no question was aligned later on what had been remembered (`align.schedule=rolling`);
 * or of all questions, where each has an alignment of its own.
 */
export const isUnaligned = (
  users: readonly Counted[],
  questions: readonly Spending[],
  options: Readonly<Record<string, OptionValue>>,
): boolean => {
  const isNone = (one: Counted): boolean => hasNoAlignment(one, options);
  const isLater = (one: Spending): boolean => LEARNING.some((phase) => one.spend[phase] !== undefined) && !isNone(one);
  if (questions.length > 0 && questions.every(isNone)) return true;
  return users.length > 0 && users.every(isNone) && !questions.some(isLater);
};

/** Phases of the calls that rewrite a persona. */
const LEARNING = ["gradient", "update"];
const UPDATE_FAILED = "persona_update_failed";
